/** Finds entries by their words: all words have to occur, in whatever an entry says, asks or gives back. */

const UNSPOKEN = new Set([
  "data",
  "thinkingSignature",
  "textSignature",
  "thoughtSignature",
  "id",
  "parentId",
]);

export class Finder {
  readonly #raw: ReadonlyMap<number, unknown>;
  #texts: ReadonlyMap<number, string> | undefined;

  constructor(raw: ReadonlyMap<number, unknown>) {
    this.#raw = raw;
  }

  /** Returns the lines of the entries that have all of the words. */
  find(words: readonly string[]): Set<number> {
    // Reading all texts takes a while, so it waits until somebody searches.
    this.#texts ??= new Map([...this.#raw].map(([line, entry]) => [line, textsIn(entry).toLowerCase()]));
    const wanted = words.map((word) => word.toLowerCase());
    const found = new Set<number>();
    for (const [line, text] of this.#texts) if (wanted.every((word) => text.includes(word))) found.add(line);
    return found;
  }
}

/** What somebody typed, as words. */
export function wordsIn(query: string): string[] {
  return query.split(/\s+/u).filter((word) => word !== "");
}

/** All texts in a value, without those that are for programs. */
export function textsIn(value: unknown): string {
  const texts: string[] = [];
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") texts.push(next);
    else if (Array.isArray(next)) for (const part of next) open.push(part);
    else if (typeof next === "object" && next !== null)
      for (const [name, part] of Object.entries(next)) if (!UNSPOKEN.has(name)) open.push(part);
  }
  return texts.join("\n");
}
