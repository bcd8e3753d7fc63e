/**
 * The query language, as the daemon reads it: words, phrases in quotes, exclusions with a minus, and filters such as
 * `project:shop`. A query is cut into parts that are the text again when they are put together, so that a filter can be added
 * or taken away without touching what a person typed around it.
 */

export const FILTERS = [
  "project",
  "file",
  "tool",
  "model",
  "type",
  "outcome",
  "before",
  "after",
  "is",
  "kind",
  "role",
] as const;

export type FilterName = (typeof FILTERS)[number];

/** A part of a query. `source` is how it was written, with the white space before it. */
export type Part =
  | { readonly kind: "word" | "phrase" | "excluded"; readonly source: string; readonly text: string }
  | { readonly kind: "filter"; readonly source: string; readonly name: FilterName; readonly value: string }
  | { readonly kind: "space"; readonly source: string };

export type Filter = Extract<Part, { kind: "filter" }>;

const QUOTE = /["“”]/u;

/** Cuts a query into its parts. */
export function parse(query: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  while (at < query.length) {
    const { part, end } = next(query, at);
    parts.push(part);
    at = end;
  }
  return parts;
}

/** Puts parts together. */
export function write(parts: readonly Part[]): string {
  return parts.map(({ source }) => source).join("");
}

export function filtersOf(query: string): Filter[] {
  return parse(query).filter((part) => part.kind === "filter");
}

/** Whether a query has anything to look for. */
export function isBlank(query: string): boolean {
  return query.trim() === "";
}

/** Adds a filter at the end. Where only one can hold, such as a time, it takes the place of the one that is there. */
export function withFilter(query: string, name: FilterName, value: string): string {
  const isSingle = name === "before" || name === "after" || name === "is" || name === "kind";
  const isGone = (part: Part): boolean =>
    part.kind === "filter" && part.name === name && (isSingle || part.value === value);
  const rest = write(parse(query).filter((part) => !isGone(part))).trim();
  return `${rest} ${writeFilter(name, value)}`.trim();
}

/** Takes the filter at a place among the filters away. */
export function withoutFilter(query: string, at: number): string {
  let seen = -1;
  const isKept = (part: Part): boolean => {
    if (part.kind === "filter") seen += 1;
    return part.kind !== "filter" || seen !== at;
  };
  return write(parse(query).filter(isKept)).trim();
}

/** Writes a filter; a value with spaces needs quotes, and cannot have any inside. */
export function writeFilter(name: FilterName, value: string): string {
  const plain = value.replace(/["“”]/gu, "");
  const isPlain = plain !== "" && !/\s/u.test(plain) && !plain.startsWith("//") && !plain.startsWith(":");
  return isPlain ? `${name}:${plain}` : `${name}:"${plain}"`;
}

function next(query: string, start: number): { part: Part; end: number } {
  const from = skip(query, start, (sign) => /\s/u.test(sign));
  const source = (end: number): string => query.slice(start, end);
  if (from === query.length) return { part: { kind: "space", source: source(from) }, end: from };
  if (QUOTE.test(query.charAt(from))) {
    const { text, end } = quoted(query, from + 1);
    return { part: { kind: "phrase", source: source(end), text }, end };
  }
  // Two dashes make an option of a command, and a dash alone is punctuation.
  if (/^-[^-\s]/u.test(query.slice(from, from + 3))) {
    const isQuoted = QUOTE.test(query.charAt(from + 1));
    const { text, end } = isQuoted ? quoted(query, from + 2) : word(query, from + 1);
    return { part: { kind: "excluded", source: source(end), text }, end };
  }
  const { text, end } = word(query, from);
  const [, name = "", value = ""] = /^([a-z]+):(.*)$/u.exec(text) ?? [];
  if (isFilter(name) && value !== "" && !value.startsWith("//") && !value.startsWith(":")) {
    return { part: { kind: "filter", source: source(end), name, value }, end };
  }
  if (isFilter(name) && value === "" && QUOTE.test(query.charAt(end))) {
    const inside = quoted(query, end + 1);
    const part: Part = { kind: "filter", source: source(inside.end), name, value: inside.text };
    return { part, end: inside.end };
  }
  return { part: { kind: "word", source: source(end), text }, end };
}

function isFilter(name: string): name is FilterName {
  return (FILTERS as readonly string[]).includes(name);
}

/** Reads up to the closing quote, or to the end if there is none. */
function quoted(query: string, from: number): { text: string; end: number } {
  const close = skip(query, from, (sign) => !QUOTE.test(sign));
  return { text: query.slice(from, close), end: Math.min(close + 1, query.length) };
}

/** Reads up to the next white space or quote. */
function word(query: string, from: number): { text: string; end: number } {
  const end = skip(query, from, (sign) => !/\s/u.test(sign) && !QUOTE.test(sign));
  return { text: query.slice(from, end), end };
}

function skip(text: string, from: number, isPassed: (sign: string) => boolean): number {
  let at = from;
  while (at < text.length && isPassed(text.charAt(at))) at += 1;
  return at;
}
