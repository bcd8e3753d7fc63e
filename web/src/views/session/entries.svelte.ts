/** The entries of a session, fetched as they come into sight. */

import { SvelteMap } from "svelte/reactivity";

import { get } from "../../api/client";
import { asRefusal } from "../../api/loaded.svelte";
import type { WholeEntry } from "../../api/types";
import { readEntry } from "../../transcript/entry";
import type { EntrySource, Held } from "../../transcript/source";
import { rangesOf, type Range } from "./ranges";

/** How many entries, and how many bytes of them, are asked for at once. */
const MOST = 200;
const BYTES = 2 << 20;
/** As much as the daemon gives of one entry. */
const MOST_BYTES = 16 << 20;

const COMING: Held = { kind: "coming" };

export class EntriesFromDaemon implements EntrySource {
  readonly #session: string;
  readonly #file: string | undefined;
  readonly #held = new SvelteMap<number, Held>();
  /** What is on its way, so that nothing is asked for twice. */
  readonly #asked = new Set<number>();
  #wanted = new Set<number>();

  constructor(session: string, file: string | undefined) {
    this.#session = session;
    this.#file = file;
  }

  at(line: number): Held {
    return this.#held.get(line) ?? COMING;
  }

  want(lines: readonly number[]): void {
    const missing = lines.filter((line) => !this.#held.has(line) && !this.#asked.has(line));
    if (missing.length === 0) return;
    // What is wanted in one go, such as all that a scroll brings into sight, is asked for together.
    if (this.#wanted.size === 0) queueMicrotask(() => this.#fetch());
    for (const line of missing) this.#wanted.add(line);
  }

  /** Fetches the entries around one, before anything else is known of the session. */
  async prefetch(around: string): Promise<void> {
    await this.#ask({ around, before: 10, after: 30, limit: MOST, bytes: BYTES }).catch(() => undefined);
  }

  /** Takes entries that were told without being asked for. */
  take(entries: readonly { line: number; entry: unknown }[]): void {
    for (const { line, entry } of entries) this.#held.set(line, { kind: "here", entry: readEntry(entry) });
  }

  /** Forgets everything: the file was replaced. */
  clear(): void {
    this.#held.clear();
    this.#asked.clear();
  }

  #fetch(): void {
    const ranges = rangesOf(this.#wanted, MOST);
    for (const line of this.#wanted) this.#asked.add(line);
    this.#wanted = new Set();
    for (const range of ranges) void this.#fetchRange(range);
  }

  async #fetchRange({ from, to }: Range): Promise<void> {
    let next: number | null = from;
    try {
      while (next !== null) next = await this.#ask({ from: next, to, limit: MOST, bytes: BYTES });
    } catch (error) {
      const { message } = asRefusal(error);
      const again = (): void => {
        this.#forget({ from, to });
        this.want(lines({ from, to }));
      };
      for (const line of lines({ from, to }))
        if (this.#asked.has(line) && this.#held.get(line)?.kind !== "here")
          this.#held.set(line, { kind: "refused", message, again });
    }
    for (const line of lines({ from, to })) this.#asked.delete(line);
  }

  /** Asks for entries and keeps them; returns the line to go on from. */
  async #ask(query: {
    from?: number;
    to?: number;
    around?: string;
    before?: number;
    after?: number;
    limit: number;
    bytes: number;
  }): Promise<number | null> {
    const part = await get("/api/v1/sessions/{session}/entries", {
      path: { session: this.#session },
      query: { ...query, ...(this.#file === undefined ? {} : { file: this.#file }) },
    });
    for (const item of part.items) this.#keep(item);
    return part.next ?? null;
  }

  #keep({ line, bytes, entry }: WholeEntry): void {
    const open = (): void => {
      this.#held.set(line, COMING);
      void this.#fetchAlone(line, bytes);
    };
    const held: Held =
      entry == null ? { kind: "tooLarge", bytes, open } : { kind: "here", entry: readEntry(entry) };
    this.#held.set(line, held);
  }

  async #fetchAlone(line: number, bytes: number): Promise<void> {
    const again = (): void => void this.#fetchAlone(line, bytes);
    try {
      await this.#ask({ from: line, to: line, limit: 1, bytes: MOST_BYTES });
      if (this.#held.get(line)?.kind === "tooLarge")
        this.#held.set(line, {
          kind: "refused",
          message: "This entry is larger than what is sent to a page. The exported file has it.",
          again,
        });
    } catch (error) {
      this.#held.set(line, { kind: "refused", message: asRefusal(error).message, again });
    }
  }

  #forget(range: Range): void {
    for (const line of lines(range)) if (this.#held.get(line)?.kind === "refused") this.#held.delete(line);
  }
}

function lines({ from, to }: Range): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
