/** Something that is being asked for, was answered, or was refused. */

import { untrack } from "svelte";

import { Refusal } from "./client";
import { live } from "./live.svelte";

export class Loaded<T> {
  #value = $state.raw<T | undefined>();
  #refusal = $state.raw<Refusal | undefined>();
  #isLoading = $state(false);
  #again = $state(0);

  /**
   * Asks whenever what `ask` reads before its first `await` changes. Until the new answer is there the old one stands, so that
   * nothing flickers. To be made while a component is set up.
   */
  constructor(ask: (signal: AbortSignal) => Promise<T>) {
    $effect(() => {
      void this.#again;
      const aborter = new AbortController();
      const asking = ask(aborter.signal);
      untrack(() => (this.#isLoading = true));
      asking.then(
        (value) => {
          if (!aborter.signal.aborted) this.#settle(value, undefined);
        },
        (error: unknown) => {
          if (!aborter.signal.aborted) this.#settle(undefined, asRefusal(error));
        },
      );
      return () => aborter.abort();
    });
    // What nobody answered, or only somebody who was about to go, is asked as soon as the daemon is back.
    $effect(() => {
      if (!live.isOpen) return;
      untrack(() => {
        if (isPassing(this.#refusal)) this.again();
      });
    });
  }

  #settle(value: T | undefined, refusal: Refusal | undefined): void {
    this.#value = value;
    this.#refusal = refusal;
    this.#isLoading = false;
  }

  get value(): T | undefined {
    return this.#value;
  }

  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  get isLoading(): boolean {
    return this.#isLoading;
  }

  /** Asks once more. */
  again(): void {
    this.#again += 1;
  }

  /** Puts a new value in place of the old one, such as the one that a change was answered with. */
  replace(value: T): void {
    this.#settle(value, undefined);
  }
}

/** Whether the daemon was not there, or in no state to answer; a mistake of whoever asks stays one. */
function isPassing(refusal: Refusal | undefined): boolean {
  return refusal !== undefined && (refusal.status === 0 || refusal.status >= 500);
}

/** Turns whatever was thrown into something that can be shown. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Refusal(0, "page_error", message, undefined);
}
