/** What an edit changed, line by line: as pi noted it, or found by comparing the two texts. */

export interface DiffLine {
  readonly sign: "+" | "-" | " " | "…";
  /** The number of the line, as far as it is known. */
  readonly number: number | null;
  readonly text: string;
}

/**
 * Reads a diff: pi's own, in which each line has a sign, a number and its text, or a common one, whose hunks say where they
 * begin.
 */
export function parseDiff(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/u, "").split("\n");
  return lines.some((line) => HUNK.test(line)) ? parseHunks(lines) : lines.map(parseNumbered);
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/u;

const GAP: DiffLine = { sign: "…", number: null, text: "" };

function parseNumbered(line: string): DiffLine {
  if (/^\s*\.{3}\s*$/u.test(line)) return GAP;
  const numbered = /^[ +-]\s*(\d+)(?: (.*))?$/su.exec(line);
  const [first] = line;
  const sign = first === "+" || first === "-" ? first : " ";
  if (numbered !== null) return { sign, number: Number(numbered[1]), text: numbered[2] ?? "" };
  return { sign, number: null, text: first === sign ? line.slice(1) : line };
}

function parseHunks(lines: readonly string[]): DiffLine[] {
  const parsed: DiffLine[] = [];
  let [before, after, isInside] = [0, 0, false];
  for (const line of lines) {
    const hunk = HUNK.exec(line);
    if (hunk !== null) {
      if (isInside) parsed.push(GAP);
      [before, after, isInside] = [Number(hunk[1]), Number(hunk[2]), true];
    } else if (isInside && line.startsWith("-")) {
      parsed.push({ sign: "-", number: before, text: line.slice(1) });
      before += 1;
    } else if (isInside && line.startsWith("+")) {
      parsed.push({ sign: "+", number: after, text: line.slice(1) });
      after += 1;
    } else if (isInside && !line.startsWith("\\")) {
      parsed.push({ sign: " ", number: after, text: line.slice(1) });
      [before, after] = [before + 1, after + 1];
    }
  }
  return parsed;
}

/** Comparing takes time by the number of differences and lines; beyond this, all that differs counts as replaced. */
const MOST_WORK = 4_000_000;

/** Around changes, so many lines that stayed are shown. */
const CONTEXT = 3;

/** Compares two texts. Numbers are left out: nobody knows where in its file the text stood. */
export function diffTexts(before: string, after: string): DiffLine[] {
  const [old, now] = [splitLines(before), splitLines(after)];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  )
    tail += 1;
  const same = (lines: readonly string[]): DiffLine[] =>
    lines.map((text) => ({ sign: " ", number: null, text }));
  return withoutFarAway([
    ...same(old.slice(0, head)),
    ...compare(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...same(old.slice(old.length - tail)),
  ]);
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/u, "").split("\n");
}

/** Finds the longest run of lines that both have in the same order. */
function compare(old: readonly string[], now: readonly string[]): DiffLine[] {
  const line = (sign: "+" | "-" | " ", text = ""): DiffLine => ({ sign, number: null, text });
  const replaced = [...old.map((text) => line("-", text)), ...now.map((text) => line("+", text))];
  if (old.length === 0 || now.length === 0 || old.length * now.length > MOST_WORK) return replaced;
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (one: number, other: number): number => lengths[one * width + other] ?? 0;
  for (let one = old.length - 1; one >= 0; one -= 1)
    for (let other = now.length - 1; other >= 0; other -= 1)
      lengths[one * width + other] =
        old[one] === now[other]
          ? at(one + 1, other + 1) + 1
          : Math.max(at(one + 1, other), at(one, other + 1));
  const found: DiffLine[] = [];
  let [one, other] = [0, 0];
  while (one < old.length && other < now.length) {
    if (old[one] === now[other]) {
      found.push(line(" ", old[one]));
      [one, other] = [one + 1, other + 1];
    } else if (at(one + 1, other) >= at(one, other + 1)) {
      found.push(line("-", old[one]));
      one += 1;
    } else {
      found.push(line("+", now[other]));
      other += 1;
    }
  }
  const rest = (sign: "+" | "-", lines: readonly string[]): DiffLine[] =>
    lines.map((text) => line(sign, text));
  return [...found, ...rest("-", old.slice(one)), ...rest("+", now.slice(other))];
}

/** Leaves out what stayed and is far from any change. */
function withoutFarAway(lines: readonly DiffLine[]): DiffLine[] {
  const changes = lines.flatMap(({ sign }, at) => (sign === " " ? [] : [at]));
  const kept: DiffLine[] = [];
  let next = 0;
  let isCut = false;
  for (const [at, line] of lines.entries()) {
    while ((changes[next] ?? Infinity) < at - CONTEXT) next += 1;
    const nearest = changes[next] ?? Infinity;
    const isNear = Math.abs(nearest - at) <= CONTEXT;
    if (isNear) kept.push(line);
    else if (!isCut) kept.push(GAP);
    isCut = !isNear;
  }
  return kept;
}

/** How many lines came, and how many went. */
export function countChanges(lines: readonly DiffLine[]): { added: number; removed: number } {
  const count = (sign: string): number => lines.filter((line) => line.sign === sign).length;
  return { added: count("+"), removed: count("-") };
}
