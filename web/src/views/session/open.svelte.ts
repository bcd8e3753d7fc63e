/** A session that is open: its shape, its entries, and how it grows. */

import { untrack } from "svelte";

import { get, type Answer, type Refusal } from "../../api/client";
import { live, type Told } from "../../api/live.svelte";
import { asRefusal } from "../../api/loaded.svelte";
import type { TreeEntry } from "../../api/types";
import { Shape } from "../../tree/shape";
import { EntriesFromDaemon } from "./entries.svelte";
import { grown } from "./growth";

type TreePart = Answer<"get", "/api/v1/sessions/{session}/tree">;

/** How many entries of the shape come at once. */
const PART = 5000;

export class OpenSession {
  readonly source: EntriesFromDaemon;
  #rows = $state.raw<readonly TreeEntry[]>([]);
  #isWhole = $state(false);
  #refusal = $state.raw<Refusal | undefined>();
  #growths = $state(0);
  #shape = $derived(new Shape(this.#rows));
  readonly #which: { session: string; file: string | undefined };
  readonly #aborter = new AbortController();
  /** What is asked for comes one after the other, so that nothing is taken twice. */
  #turn: Promise<void> = Promise.resolve();

  /** Opens a session at an entry. To be made while a component is set up. */
  constructor(session: string, file: string | undefined, at: string | null) {
    this.#which = { session, file };
    this.source = new EntriesFromDaemon(session, file);
    $effect(() =>
      untrack(() => {
        const silence = live.listen(`session:${session}`, (told) => this.#hear(told));
        // What is looked at first comes first: it needs no shape.
        if (at !== null) void this.source.prefetch(at);
        this.#read(0);
        return () => {
          silence();
          this.#aborter.abort();
        };
      }),
    );
    // What was written before the daemon was heard, or while it was not, is told by nobody.
    $effect(() => {
      if (live.isOpen) untrack(() => this.#read());
    });
  }

  get shape(): Shape {
    return this.#shape;
  }

  get rows(): readonly TreeEntry[] {
    return this.#rows;
  }

  /** Whether the whole shape is there. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  /** Grows whenever something was written. */
  get growths(): number {
    return this.#growths;
  }

  /** Reads everything anew. */
  again(): void {
    this.source.clear();
    this.#read(0);
  }

  /** Reads the shape again, and keeps the entries: a label has changed. */
  relabel(): void {
    this.#read(0);
  }

  #hear(told: Told): void {
    if (told.type === "rewritten") return this.again();
    if (told.type === "entries") this.source.take(told.entries);
    // A label stands at the end of the file and changes an entry far above.
    const isLabel = told.type === "entries" && told.entries.some(({ entry }) => typeOf(entry) === "label");
    this.#growths += 1;
    this.#read(isLabel ? 0 : undefined);
  }

  /** Reads the shape from an entry on, by default from the first that is not known. */
  #read(from?: number): void {
    this.#turn = this.#turn
      .then(() => this.#readFrom(from ?? this.#rows.length))
      .catch((error: unknown) => {
        if (!this.#aborter.signal.aborted) this.#refusal = asRefusal(error);
      });
  }

  async #readFrom(from: number): Promise<void> {
    const { session, file } = this.#which;
    let rows: readonly TreeEntry[] = this.#rows.slice(0, from);
    let cursor: number | null = from;
    while (cursor !== null) {
      const part: TreePart = await get("/api/v1/sessions/{session}/tree", {
        path: { session },
        query: { filter: "all", limit: PART, cursor, ...(file === undefined ? {} : { file }) },
        signal: this.#aborter.signal,
      });
      rows = grown(rows, part.items);
      cursor = part.next == null ? null : Number(part.next);
      // Who opens a long session sees its beginning while the rest comes.
      if (cursor !== null && !this.#isWhole) this.#rows = rows;
    }
    [this.#rows, this.#isWhole, this.#refusal] = [rows, true, undefined];
  }
}

function typeOf(entry: unknown): unknown {
  return typeof entry === "object" && entry !== null && "type" in entry ? entry.type : undefined;
}
