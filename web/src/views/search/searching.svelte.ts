/** A search that goes on as one types, and further as one scrolls. */

import { untrack } from "svelte";

import { get, type Refusal } from "../../api/client";
import { asRefusal } from "../../api/loaded.svelte";
import type { Hit } from "../../api/types";
import { isBlank } from "./query";

/** How many results at once. */
const LIMIT = 30;

/** How long to wait for the next letter. */
const PAUSE = 90;

export class Searching {
  #hits = $state.raw<readonly Hit[]>([]);
  #found = $state.raw<{ total: number; tookMs: number } | undefined>();
  #next = $state.raw<number | undefined>();
  #refusal = $state.raw<Refusal | undefined>();
  #isSearching = $state(false);
  #query = "";
  #aborter = new AbortController();

  /** Searches whenever the query changes. An answer that comes after the next question is dropped. */
  constructor(query: () => string) {
    let isFirst = true;
    $effect(() => {
      const wanted = query();
      this.#aborter.abort();
      this.#aborter = new AbortController();
      const { signal } = this.#aborter;
      this.#query = wanted;
      if (isBlank(wanted)) {
        untrack(() => this.#clear());
        return;
      }
      const timer = setTimeout(() => void this.#search(signal), isFirst ? 0 : PAUSE);
      isFirst = false;
      return () => clearTimeout(timer);
    });
    $effect(() => () => this.#aborter.abort());
  }

  get hits(): readonly Hit[] {
    return this.#hits;
  }

  /** How many there are, and how long that took; nothing before the first answer. */
  get found(): { total: number; tookMs: number } | undefined {
    return this.#found;
  }

  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  get isSearching(): boolean {
    return this.#isSearching;
  }

  get hasMore(): boolean {
    return this.#next !== undefined;
  }

  /** Gets the next part, unless it is on its way. */
  more(): void {
    if (this.#next !== undefined && !this.#isSearching) void this.#search(this.#aborter.signal, this.#next);
  }

  async #search(signal: AbortSignal, cursor?: number): Promise<void> {
    this.#isSearching = true;
    try {
      const asked = { q: this.#query, limit: LIMIT, ...(cursor === undefined ? {} : { cursor }) };
      const part = await get("/api/v1/search", { query: asked, signal });
      if (signal.aborted) return;
      if (cursor === undefined) this.#found = part;
      this.#hits = cursor === undefined ? part.results : [...this.#hits, ...part.results];
      this.#next = part.next ?? undefined;
      this.#refusal = undefined;
    } catch (error) {
      if (signal.aborted) return;
      this.#refusal = asRefusal(error);
    }
    this.#isSearching = false;
  }

  #clear(): void {
    this.#hits = [];
    this.#found = this.#next = this.#refusal = undefined;
    this.#isSearching = false;
  }
}
