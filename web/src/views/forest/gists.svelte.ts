/** How messages begin, asked for where somebody looks, many at once. */

import { SvelteMap } from "svelte/reactivity";

import { get } from "../../api/client";

/** How many are asked for at once, at most. */
const AT_ONCE = 200;

export class Gists {
  readonly #known = new SvelteMap<string, string>();
  readonly #asked = new Set<string>();
  #waiting: string[] = [];

  /** Returns how a message begins; nothing until that is known. Looking is asking. */
  words(node: string): string {
    const known = this.#known.get(node);
    if (known === undefined) this.#want(node);
    return known ?? "";
  }

  /** Forgets everything: messages may say something else now. What stands there stays until it is answered anew. */
  forget(): void {
    this.#asked.clear();
    for (const node of this.#known.keys()) this.#want(node);
  }

  #want(node: string): void {
    if (this.#asked.has(node)) return;
    this.#asked.add(node);
    this.#waiting.push(node);
    if (this.#waiting.length === 1) setTimeout(() => void this.#ask(), 20);
  }

  async #ask(): Promise<void> {
    const nodes = this.#waiting.splice(0, AT_ONCE);
    if (this.#waiting.length > 0) setTimeout(() => void this.#ask(), 0);
    try {
      const gists = await get("/api/v1/forest/gists", { query: { nodes: nodes.join(",") } });
      for (const { id, words } of gists) this.#known.set(id, words);
    } catch {
      // Whatever shows the tree says that the daemon is gone; whoever looks again asks again.
      for (const node of nodes) this.#asked.delete(node);
    }
  }
}
