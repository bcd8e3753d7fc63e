/** The sessions that a list has so far: more come as one scrolls, and what changes is seen. */

import { untrack } from "svelte";

import { get, type Query, type Refusal } from "../../api/client";
import { live } from "../../api/live.svelte";
import { asRefusal } from "../../api/loaded.svelte";
import type { SessionRow } from "../../api/types";
import { merged } from "./rows";

type Wanted = Omit<Exclude<Query<"get", "/api/v1/sessions">, undefined>, "limit" | "cursor">;

/** How many come at once. */
const PART = 200;

/** What happens in quick succession is looked at once. */
const PAUSE = 1000;

export class SessionList {
  #rows = $state.raw<readonly SessionRow[]>([]);
  #total = $state<number | undefined>();
  #refusal = $state.raw<Refusal | undefined>();
  #next: string | null = null;
  #isBusy = false;
  readonly #wanted: () => Wanted;

  /** Lists what `wanted` says, anew whenever that changes. To be made while a component is set up. */
  constructor(wanted: () => Wanted) {
    this.#wanted = wanted;
    $effect(() => {
      const aborter = new AbortController();
      const asked = wanted();
      untrack(() => void this.#begin(asked, aborter.signal));
      return () => aborter.abort();
    });
    $effect(() => this.#follow());
  }

  get rows(): readonly SessionRow[] {
    return this.#rows;
  }

  /** How many there are in all; nothing until the first answer. */
  get total(): number | undefined {
    return this.#total;
  }

  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  /** Gets the next part, if there is one. */
  more(): void {
    const cursor = this.#next;
    if (cursor === null || this.#isBusy) return;
    const asked = this.#wanted();
    this.#isBusy = true;
    get("/api/v1/sessions", { query: { ...asked, limit: PART, cursor } })
      .then((part) => {
        // Somebody may have wanted something else meanwhile.
        if (this.#next !== cursor) return;
        this.#rows = [...this.#rows, ...part.items];
        [this.#total, this.#next] = [part.total, part.next ?? null];
      })
      // The list has changed at the very place where it was to go on.
      .catch(() => this.again())
      .finally(() => (this.#isBusy = false));
  }

  /** Begins anew. */
  again(): void {
    void this.#begin(this.#wanted());
  }

  async #begin(asked: Wanted, signal?: AbortSignal): Promise<void> {
    try {
      const part = await get("/api/v1/sessions", { query: { ...asked, limit: PART }, signal });
      if (signal?.aborted === true) return;
      [this.#rows, this.#total, this.#next] = [part.items, part.total, part.next ?? null];
      this.#refusal = undefined;
    } catch (error) {
      if (signal?.aborted !== true) this.#refusal = asRefusal(error);
    }
  }

  /** Looks at the beginning of the list whenever something was taken in. */
  #follow(): () => void {
    let pause: ReturnType<typeof setTimeout> | undefined;
    const silence = live.listen("ingest", (told) => {
      const isNews = told.type === "missed" || (told.type === "event" && told.event === "ingest_finished");
      if (isNews) pause ??= setTimeout(() => void this.#look().finally(() => (pause = undefined)), PAUSE);
    });
    return () => {
      silence();
      clearTimeout(pause);
    };
  }

  async #look(): Promise<void> {
    const asked = this.#wanted();
    const part = await get("/api/v1/sessions", { query: { ...asked, limit: PART } }).catch(() => undefined);
    if (part === undefined || JSON.stringify(asked) !== JSON.stringify(this.#wanted())) return;
    const isShorter = part.total < (this.#total ?? 0);
    this.#rows = isShorter ? part.items : merged(this.#rows, part.items);
    if (isShorter || part.next == null) this.#next = part.next ?? null;
    this.#total = part.total;
  }
}
