/** Where a transcript gets its entries from: they may all be there, or come as they are wanted. */

import { readEntry, type Entry } from "./entry";

/** What is known of an entry. */
export type Held =
  | { readonly kind: "here"; readonly entry: Entry }
  | { readonly kind: "coming" }
  /** It alone is larger than what is sent at once. */
  | { readonly kind: "tooLarge"; readonly bytes: number; readonly open: () => void }
  | { readonly kind: "refused"; readonly message: string; readonly again: () => void };

export interface EntrySource {
  /** Returns what is known of the entry at a line. Where entries come later, this can be watched. */
  at(line: number): Held;
  /** Says that these entries are about to be shown, so that those which are not there come. */
  want(lines: readonly number[]): void;
}

const LOST: Held = {
  kind: "here",
  entry: { kind: "unknown", type: "unreadable line", id: null, time: null, raw: null },
};

/** Entries that are all there, each read when it is first looked at. */
export class EntriesInMemory implements EntrySource {
  readonly #raw: ReadonlyMap<number, unknown>;
  readonly #read = new Map<number, Held>();

  constructor(raw: ReadonlyMap<number, unknown>) {
    this.#raw = raw;
  }

  at(line: number): Held {
    const known = this.#read.get(line);
    if (known !== undefined) return known;
    if (!this.#raw.has(line)) return LOST;
    const held: Held = { kind: "here", entry: readEntry(this.#raw.get(line)) };
    this.#read.set(line, held);
    return held;
  }

  want(): void {
    // All are there.
  }
}
