/** What is unfolded in a transcript. It is kept apart from what is shown, since that leaves the page when it is scrolled away. */

import { getContext, setContext } from "svelte";
import { SvelteMap } from "svelte/reactivity";

/** What can be unfolded all at once. */
export type FoldKind = "thinking" | "tools";

export const NOTHING: ReadonlySet<FoldKind> = new Set();

export class Folds {
  readonly #chosen = new SvelteMap<string, boolean>();
  readonly #unfolded: () => ReadonlySet<FoldKind>;

  /** `unfolded` tells what is unfolded unless somebody folded it. */
  constructor(unfolded: () => ReadonlySet<FoldKind> = () => NOTHING) {
    this.#unfolded = unfolded;
  }

  isOpen(name: string, byDefault = false, kind?: FoldKind): boolean {
    return this.#chosen.get(name) ?? (byDefault || (kind !== undefined && this.#unfolded().has(kind)));
  }

  set(name: string, isOpen: boolean): void {
    this.#chosen.set(name, isOpen);
  }
}

const KEY = Symbol("folds");

export function provideFolds(folds: Folds): void {
  setContext(KEY, folds);
}

export function useFolds(): Folds {
  return getContext<Folds>(KEY);
}
