/** Short notices at the edge of the page: what was done, and what could not be. */

import { asRefusal } from "../api/loaded.svelte";

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly kind: "done" | "failed";
  /** Takes back what was done. */
  readonly undo: (() => void) | undefined;
}

const SHOWN_FOR = 6000;

class Notices {
  #all = $state.raw<readonly Notice[]>([]);
  #next = 1;

  get all(): readonly Notice[] {
    return this.#all;
  }

  done(text: string, undo?: () => void): void {
    this.#add({ id: this.#next++, text, kind: "done", undo });
  }

  failed(error: unknown): void {
    const { message, hint } = asRefusal(error);
    const text = hint === undefined ? message : `${message} – ${hint}`;
    this.#add({ id: this.#next++, text, kind: "failed", undo: undefined });
  }

  dismiss(id: number): void {
    this.#all = this.#all.filter((notice) => notice.id !== id);
  }

  #add(notice: Notice): void {
    // What was done before is seen already; only what can be taken back, or failed, is worth the room.
    const kept = this.#all.filter(({ kind, undo }) => kind === "failed" || undo !== undefined);
    this.#all = [...kept, notice];
    // What failed stays until it was read.
    if (notice.kind === "done") setTimeout(() => this.dismiss(notice.id), SHOWN_FOR);
  }
}

export const notices = new Notices();
