/** A tree that somebody works on: what is known of it, and what is done to it. */

import { get, post, remove } from "../../api/client";
import { asRefusal, Loaded } from "../../api/loaded.svelte";
import type { Refusal } from "../../api/client";
import { place } from "../../place/place.svelte";
import { notices } from "../../shell/notices.svelte";
import { things } from "../../text/format";
import { Gists } from "./gists.svelte";
import { saying } from "./message";
import { amongSiblings, numberOf, treeOf } from "./topology";
import type { Bookmark, Message, Shape } from "./types";

/** How many messages of a shape, and of a conversation, are asked for at once. */
const SHAPES = 50_000;
const MESSAGES = 1000;

/** A part of a list. */
interface Part<T> {
  items: T[];
  next?: string | null;
}

export class Workbench {
  readonly root: string;
  readonly detail: Loaded<Awaited<ReturnType<typeof this.askDetail>>>;
  readonly shapes: Loaded<Shape[]>;
  readonly path: Loaded<Message[]>;
  readonly marks = new Loaded((signal) =>
    get("/api/v1/forest/bookmarks", { query: { limit: MESSAGES }, signal }),
  );
  readonly gists = new Gists();
  #isBusy = $state(false);
  #refusal = $state.raw<Refusal | undefined>();

  /** The tree with what its messages are called. */
  readonly tree = $derived.by(() =>
    treeOf(this.shapes.value ?? [], this.labels, (node) => this.gists.words(node)),
  );

  /** The names of each message of this tree. */
  readonly labels = $derived.by(() => {
    const labels = new Map<string, string[]>();
    for (const { node, title } of this.marks.value?.items ?? []) {
      const titles = labels.get(node);
      if (titles === undefined) labels.set(node, [title]);
      else titles.push(title);
    }
    return labels;
  });

  /** Where one is: the message of the address, else where one was last, else the newest end. */
  readonly at: string = $derived.by(() => {
    const named = place.query.get("at");
    if (named !== null && named !== "") return named;
    const newest = this.tree.row(this.tree.leaf ?? -1)?.id;
    return this.detail.value?.current ?? newest ?? this.root;
  });

  /** The message that is chosen; nothing at the beginning. */
  readonly chosen = $derived.by(() => {
    const last = this.path.value?.at(-1);
    return last?.id === this.at ? last : undefined;
  });

  readonly siblings = $derived.by(() => amongSiblings(this.shapes.value ?? [], this.at));

  constructor(root: string) {
    this.root = root;
    this.detail = new Loaded((signal) => this.askDetail(signal));
    this.shapes = new Loaded((signal) => this.#askShapes(signal));
    this.path = new Loaded((signal) => this.#askPath(signal));
  }

  /** Whether something is being done. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Why what was wanted last was not done. */
  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  private askDetail(signal: AbortSignal) {
    return get("/api/v1/forest/roots/{root}", { path: { root: this.root }, signal });
  }

  async #askShapes(signal: AbortSignal): Promise<Shape[]> {
    const shapes: Shape[] = [];
    const path = { root: this.root };
    let next: string | null | undefined = "0";
    while (next != null) {
      const query = { limit: SHAPES, cursor: Number(next) };
      const part: Part<Shape> = await get("/api/v1/forest/roots/{root}/topology", { path, query, signal });
      shapes.push(...part.items);
      next = part.next;
    }
    return shapes;
  }

  async #askPath(signal: AbortSignal): Promise<Message[]> {
    const messages: Message[] = [];
    const asked = { place: this.at, limit: MESSAGES };
    let next: string | null | undefined;
    do {
      const query = next == null ? asked : { ...asked, cursor: next };
      const part: Part<Message> = await get("/api/v1/forest/path", { query, signal });
      messages.push(...part.items);
      next = part.next;
    } while (next != null);
    return messages;
  }

  /** Chooses a message, or the beginning of the tree. */
  choose(node: string): void {
    this.#refusal = undefined;
    place.refine({ at: node });
  }

  /** Chooses a branch: the newest message that it leads to. */
  follow(node: string): void {
    const line = numberOf(node);
    this.choose((line === null ? undefined : this.tree.row(this.tree.end(line))?.id) ?? node);
  }

  /** Asks for everything anew. */
  again(): void {
    this.detail.again();
    this.shapes.again();
    this.path.again();
    this.marks.again();
    this.gists.forget();
  }

  /**
   * Does something, and shows where that leads. What was refused has changed nothing; why is kept for whoever asked. Returns
   * whether it was done.
   */
  async #act(work: () => Promise<{ said?: string; at?: string; undo?: () => void }>): Promise<boolean> {
    if (this.#isBusy) return false;
    this.#isBusy = true;
    this.#refusal = undefined;
    try {
      const { said, at, undo } = await work();
      if (at !== undefined) place.refine({ at });
      this.again();
      if (said !== undefined) notices.done(said, undo);
      return true;
    } catch (error) {
      this.#refusal = asRefusal(error);
      return false;
    } finally {
      this.#isBusy = false;
    }
  }

  append(role: "user" | "assistant", text: string): Promise<boolean> {
    return this.#act(async () => {
      const done = await post("/api/v1/forest/append", {
        place: this.at,
        messages: [saying(role, text)],
        trim: false,
      });
      // What is new is seen at once.
      return { at: done.end, ...(done.created.length > 0 ? {} : { said: "That stood there already." }) };
    });
  }

  edit(node: string, text: string): Promise<boolean> {
    return this.#act(async () => {
      const done = await post("/api/v1/forest/edit", { node, text, keepBookmarks: false });
      if (done.inPlace) return { said: "Changed; what it said before is kept with it.", at: done.node };
      return { said: "The new text is a branch; the old one stays beside it.", at: done.node };
    });
  }

  split(node: string, at: number): Promise<boolean> {
    return this.#act(async () => {
      const { left, right } = await post("/api/v1/forest/split", { node, at });
      return { said: "Split in two.", at: right, undo: () => void this.join(left) };
    });
  }

  join(node: string): Promise<boolean> {
    return this.#act(async () => {
      const joined = await post("/api/v1/forest/join", { node });
      return { said: "Joined.", at: joined.node };
    });
  }

  remove(node: string, how: { keepChildren: boolean; force: boolean }): Promise<boolean> {
    const parent = this.shapes.value?.find(({ id }) => id === node)?.parent ?? this.root;
    const marks = this.marks.value?.items ?? [];
    return this.#act(async () => {
      const done = await post("/api/v1/forest/delete", { nodes: [node], ...how });
      const dropped = marks.filter(({ title }) => done.droppedBookmarks.includes(title));
      const lost = dropped.length === 0 ? "" : `, and ${things(dropped.length, "bookmark")}`;
      return {
        said: `${things(done.removed.length, "message")} deleted${lost}.`,
        at: parent,
        undo: () => void this.restore(done.restorable, dropped),
      };
    });
  }

  /** Brings messages back, and the bookmarks that went with them. */
  restore(nodes: readonly string[], marks: readonly Pick<Bookmark, "node" | "title">[]): Promise<boolean> {
    return this.#act(async () => {
      let at = this.root;
      for (const node of nodes) at = (await post("/api/v1/forest/restore", { place: node })).place;
      for (const { node, title } of marks) await post("/api/v1/forest/bookmarks", { node, title });
      return { said: "Restored.", at };
    });
  }

  bookmark(node: string, title: string): Promise<boolean> {
    return this.#act(async () => {
      const marked = await post("/api/v1/forest/bookmarks", { node, title });
      return { said: `Bookmarked as “${marked.title}”.` };
    });
  }

  rename(title: string, to: string): Promise<boolean> {
    return this.#act(async () => {
      const renamed = await post("/api/v1/forest/bookmarks/{title}/rename", { to }, { path: { title } });
      return { said: `Now called “${renamed.title}”.` };
    });
  }

  unmark(title: string, node: string): Promise<boolean> {
    return this.#act(async () => {
      await remove("/api/v1/forest/bookmarks/{title}", { path: { title } });
      return { said: `Bookmark “${title}” removed.`, undo: () => void this.bookmark(node, title) };
    });
  }

  call(node: string, title: string): Promise<boolean> {
    return this.#act(async () => {
      await post("/api/v1/forest/title", { node, title: title === "" ? null : title });
      return { said: title === "" ? "Title taken away." : "Title set." };
    });
  }

  tag(node: string, change: { add?: string[]; remove?: string[] }): Promise<boolean> {
    return this.#act(async () => {
      await post("/api/v1/forest/tags", { node, add: change.add ?? [], remove: change.remove ?? [] });
      return { said: "Tags changed." };
    });
  }
}
