/** A unit of work, and what a person can do to it. */

import { get, post, remove } from "../../api/client";
import { Loaded } from "../../api/loaded.svelte";
import type { NodeShown } from "../../api/types";
import { notices } from "../../shell/notices.svelte";
import type { LinkType } from "./links";

export type NoteType = "note" | "quirk" | "fail" | "win";

export class Unit {
  readonly shown: Loaded<NodeShown>;
  readonly #id: string;

  /** To be made while a component is set up; `name` is an id, perhaps with `-v2` for a version. */
  constructor(readonly name: string) {
    this.#id = name.replace(/-v\d+$/u, "");
    this.shown = new Loaded((signal) => get("/api/v1/nodes/{id}", { path: { id: name }, signal }));
  }

  get id(): string {
    return this.#id;
  }

  /** An old version is looked at, and stays as it is. */
  get isOld(): boolean {
    return this.name !== this.#id;
  }

  /** Corrects a value; the notice takes it back. */
  async correct(path: string, value: unknown, before: unknown, words: string): Promise<boolean> {
    const put = (to: unknown): Promise<unknown> =>
      post("/api/v1/nodes/{id}/feedback", { path, value: to }, { path: { id: this.#id } });
    return this.#act(
      () => put(value),
      words,
      () => put(before),
    );
  }

  async note(type: NoteType, message: string): Promise<boolean> {
    return this.#act(
      () => post("/api/v1/nodes/{id}/flags", { type, message }, { path: { id: this.#id } }),
      "The note is kept",
    );
  }

  async hide(hidden: boolean): Promise<boolean> {
    const put = (hidden: boolean): Promise<unknown> =>
      post("/api/v1/nodes/{id}/hidden", { hidden }, { path: { id: this.#id } });
    const words = hidden ? "Hidden from lists and search" : "Shown again in lists and search";
    return this.#act(
      () => put(hidden),
      words,
      () => put(!hidden),
    );
  }

  async link(other: string, type: LinkType, reason: string): Promise<boolean> {
    const wish = { sourceNodeId: this.#id, targetNodeId: other, type, reason: reason === "" ? null : reason };
    let made: string | undefined;
    return this.#act(
      async () => (made = (await post("/api/v1/edges", wish)).id),
      "Linked",
      () =>
        made === undefined ? Promise.resolve() : remove("/api/v1/edges/{edge}", { path: { edge: made } }),
    );
  }

  async unlink({ edge }: NodeShown["links"][number]): Promise<boolean> {
    const { sourceNodeId, targetNodeId, type, ext } = edge;
    const again = { sourceNodeId, targetNodeId, type, reason: ext?.reason ?? null };
    return this.#act(
      () => remove("/api/v1/edges/{edge}", { path: { edge: edge.id } }),
      "The link is gone",
      () => post("/api/v1/edges", again),
    );
  }

  async analyse(): Promise<boolean> {
    return this.#act(
      () => post("/api/v1/daemon/analyse", { nodes: [this.#id] }),
      "A model reads it next; this page shows what it finds",
    );
  }

  /** Does something, says so, and shows what has become of the unit; returns whether it could be done. */
  async #act(act: () => Promise<unknown>, words: string, undo?: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
    } catch (error) {
      notices.failed(error);
      return false;
    }
    notices.done(words, undo === undefined ? undefined : () => void this.#act(undo, "Taken back"));
    this.shown.again();
    return true;
  }
}
