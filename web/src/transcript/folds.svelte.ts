/** What is unfolded in a transcript. It is kept apart from what is shown, since that leaves the page when it is scrolled away. */

import { getContext, setContext } from "svelte";
import { SvelteMap } from "svelte/reactivity";

export class Folds {
  readonly #open = new SvelteMap<string, boolean>();

  isOpen(key: string, byDefault = false): boolean {
    return this.#open.get(key) ?? byDefault;
  }

  set(key: string, isOpen: boolean): void {
    this.#open.set(key, isOpen);
  }
}

const KEY = Symbol("folds");

export function provideFolds(folds: Folds): void {
  setContext(KEY, folds);
}

export function useFolds(): Folds {
  return getContext<Folds>(KEY);
}
