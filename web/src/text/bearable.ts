/**
 * Whether a text can be read as Markdown in a moment. Reading takes time by the square of a paragraph's length, and of how
 * deeply things are nested; nobody writes such texts, apart from those who want a page to hang.
 */

/** Texts longer than this are not read as Markdown. */
export const LONGEST_MARKDOWN = 50_000;

/** Nor are those with a longer paragraph. */
export const LONGEST_PARAGRAPH = 5_000;

/** Quotes and lists inside each other, this often. */
const NESTED = /^(?:\s*(?:>|[-*+]|\d{1,9}[.)])){20}/u;

/** What begins a paragraph of its own without an empty line before: list items, headings, rows of tables. */
const BEGINNING = /^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6}|\|)\s/u;

const FENCE = /^ {0,3}(`{3,}(?!.*`)|~{3,})/u;

export function isBearable(text: string): boolean {
  if (text.length > LONGEST_MARKDOWN) return false;
  let [paragraph, fence] = [0, ""];
  for (const line of text.split("\n")) {
    if (fence !== "") {
      // Code is not read any further, however long it is.
      if (isEnd(line, fence)) fence = "";
      continue;
    }
    fence = FENCE.exec(line)?.[1] ?? "";
    if (fence !== "" || line.trim() === "") paragraph = 0;
    else paragraph = (BEGINNING.test(line) ? 0 : paragraph) + line.length + 1;
    if (paragraph > LONGEST_PARAGRAPH || NESTED.test(line)) return false;
  }
  return true;
}

function isEnd(line: string, fence: string): boolean {
  const end = line.trim();
  return end.startsWith(fence) && end === fence.charAt(0).repeat(end.length);
}
