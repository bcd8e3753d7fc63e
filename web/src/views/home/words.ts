/** The words of an answer: lines, and in each line text, what stands out, and the numbers of sources. */

export type Word =
  | { readonly kind: "text" | "code" | "strong"; readonly text: string }
  | { readonly kind: "source"; readonly number: number };

/** Cuts an answer into lines, and these where a source is named. A number that no source has stays text. */
export function readAnswer(answer: string, sources: number): Word[][] {
  return answer
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => readLine(line, sources));
}

function readLine(line: string, sources: number): Word[] {
  const words: Word[] = [];
  let end = 0;
  for (const match of line.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\[(\d+(?:, ?\d+)*)\]/gu)) {
    const [whole, code, strong, numbers] = match;
    const named = numbers?.split(",").map(Number) ?? [];
    if (!named.every((number) => number >= 1 && number <= sources)) continue;
    if (match.index > end) words.push({ kind: "text", text: line.slice(end, match.index) });
    if (code !== undefined) words.push({ kind: "code", text: code });
    if (strong !== undefined) words.push({ kind: "strong", text: strong });
    words.push(...named.map((number): Word => ({ kind: "source", number })));
    end = match.index + whole.length;
  }
  if (end < line.length) words.push({ kind: "text", text: line.slice(end) });
  return words;
}

/** Whether an answer is nothing but its sources, one line for each: then these say it all. */
export function isQuotes(answer: string, excerpts: readonly string[]): boolean {
  const lines = answer.split("\n").filter((line) => line.trim() !== "");
  return (
    lines.length === excerpts.length &&
    lines.every((line, at) => line.endsWith(`${excerpts[at] ?? ""} [${at + 1}]`))
  );
}
