/** The shape of a tree, as the tree of a session is drawn: numbers of messages stand for lines. */

import { Shape as TreeShape } from "../../tree/shape";
import type { TreeRow } from "../../tree/rows";
import type { Shape } from "./types";

/** The number of a message: 5 for `root-1/node-5`. */
export function numberOf(node: string): number | null {
  const number = /\/node-(\d+)$/u.exec(node)?.[1];
  return number === undefined ? null : Number(number);
}

/** The tree that a place is in. */
export function rootOf(place: string): string {
  return place.split("/")[0] ?? place;
}

/** A message in its tree. What it says is asked for only where it is read, so that the shape of a large tree costs little. */
class Row implements TreeRow {
  readonly type = "message";
  readonly line: number;
  readonly id: string;
  readonly parentLine: number | null;
  readonly role: string;
  /** That is where pi would go on in a session; a tree has no such place. */
  readonly isLeaf = false;
  readonly timestamp: string | null;
  readonly label: string | null;
  readonly #words: (node: string) => string;

  constructor(shape: Shape, labels: readonly string[], words: (node: string) => string) {
    this.line = numberOf(shape.id) ?? 0;
    this.id = shape.id;
    this.parentLine = numberOf(shape.parent);
    this.role = shape.role;
    this.timestamp = shape.created == null ? null : new Date(shape.created).toISOString();
    this.label = labels.length === 0 ? null : labels.join(", ");
    this.#words = words;
  }

  get text(): string {
    return this.#words(this.id);
  }
}

/** Puts a tree together. `labels` are the names of messages; `words` says what one begins with. */
export function treeOf(
  shapes: readonly Shape[],
  labels: ReadonlyMap<string, readonly string[]>,
  words: (node: string) => string,
): TreeShape {
  return new TreeShape(shapes.map((shape) => new Row(shape, labels.get(shape.id) ?? [], words)));
}

/** The messages that nothing follows, newest first. */
export function leavesOf(shapes: readonly Shape[]): Shape[] {
  return shapes
    .filter(({ children }) => children.length === 0)
    .sort((one, other) => (numberOf(other.id) ?? 0) - (numberOf(one.id) ?? 0));
}

/** A message among those that follow the same one: which of how many, and its neighbours. */
export interface Among {
  readonly at: number;
  readonly count: number;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Where a message stands among its siblings; nothing if it has none. */
export function amongSiblings(shapes: readonly Shape[], node: string): Among | undefined {
  const parent = shapes.find(({ id }) => id === node)?.parent;
  const siblings = shapes.filter((shape) => shape.parent === parent).map(({ id }) => id);
  if (siblings.length < 2) return undefined;
  const at = siblings.indexOf(node);
  return { at, count: siblings.length, before: siblings[at - 1], after: siblings[at + 1] };
}

/** How many messages go when one is deleted with everything that follows it. */
export function countWith(tree: TreeShape, node: string): number {
  const line = numberOf(node);
  return line === null ? 0 : 1 + tree.descendants(line).length;
}
