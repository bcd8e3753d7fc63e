/** What an answer says, and which of its sources says it. */

export type Part =
  { readonly kind: "said"; readonly text: string } | { readonly kind: "source"; readonly number: number };

/** Cuts an answer into lines, and these where a source is named. A number that no source has, or in code, stays text. */
export function readAnswer(answer: string, sources: number): Part[][] {
  return linesOf(answer).map((line) => readLine(line, sources));
}

function linesOf(answer: string): string[] {
  return answer.split("\n").filter((line) => line.trim() !== "");
}

function readLine(line: string, sources: number): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of line.matchAll(/`[^`]+`|\[(\d+(?:, ?\d+)*)\]/gu)) {
    const numbers = match[1]?.split(",").map(Number) ?? [];
    if (numbers.length === 0 || !numbers.every((number) => number >= 1 && number <= sources)) continue;
    if (match.index > end) parts.push({ kind: "said", text: line.slice(end, match.index) });
    parts.push(...numbers.map((number): Part => ({ kind: "source", number })));
    end = match.index + match[0].length;
  }
  if (end < line.length) parts.push({ kind: "said", text: line.slice(end) });
  return parts;
}

/** An answer of which each source has one line of its own. */
export interface Listed {
  /** What stands above the lines. */
  readonly lead: string;
  /** For each source, what is said of it. */
  readonly lines: readonly string[];
}

/** Takes an answer apart that goes through its sources one by one, as those without a model do; nothing for any other. */
export function listed(answer: string, sources: number): Listed | undefined {
  const lines = linesOf(answer);
  const lead = lines.slice(0, lines.length - sources);
  const rest = lines.slice(lines.length - sources);
  const isInOrder = rest.every((line, at) => {
    const numbers = readLine(line, sources).flatMap((part) => (part.kind === "source" ? [part.number] : []));
    return line.endsWith(`[${at + 1}]`) && numbers.length === 1;
  });
  const isApart = lead.every((line) => readLine(line, sources).every(({ kind }) => kind === "said"));
  if (sources === 0 || lines.length < sources || !isInOrder || !isApart) return undefined;
  return { lead: lead.join("\n"), lines: rest.map(withoutMarks) };
}

/** That something was decided anew or given up is shown beside it. */
function withoutMarks(line: string): string {
  return line.replace(/\s*\[\d+\]$/u, "").replace(/^(?:Earlier|Given up) \([^)]*\): /u, "");
}
