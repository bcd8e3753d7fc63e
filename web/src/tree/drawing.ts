/**
 * A tree as lines: the way to where pi would go on runs straight down; every other branch is set in beside it, at the point
 * where it left. So depth grows only where the conversation split, however long it is.
 */

import { passes, type TreeFilter } from "./filter";
import type { TreeRow } from "./rows";
import type { Shape } from "./shape";

/** A line of the drawing. */
export interface Drawn {
  readonly row: TreeRow;
  /** How far it is set in. */
  readonly depth: number;
  /** Whether a branch begins here, which can be folded. */
  readonly isHead: boolean;
  /** How many entries are folded into it. */
  readonly folded: number;
  /** The branch that it belongs to: the line that begins it. */
  readonly head: number;
  /** The shown entry that it follows. */
  readonly above: number | null;
}

export interface Choice {
  readonly filter: TreeFilter;
  /** The lines that begin a folded branch. */
  readonly folded?: ReadonlySet<number>;
  /** Of what the filter lets through, only this; nothing is folded then. */
  readonly matches?: ((row: TreeRow) => boolean) | undefined;
}

export function draw(shape: Shape, { filter, folded = new Set(), matches }: Choice): Drawn[] {
  const isShown = (row: TreeRow): boolean =>
    matches === undefined
      ? passes(row, filter)
      : matches(row) && (filter === "default" || passes(row, filter));
  const { roots, children } = reduce(shape, isShown);
  const trunk = new Set(shape.leaf === null ? [] : shape.pathTo(shape.leaf));
  const hasSeveralRoots = roots.length > 1;
  const drawn: Drawn[] = [];
  const open: Omit<Drawn, "folded">[] = [];
  const push = (line: number, rest: Omit<Drawn, "folded" | "row">): void => {
    const row = shape.row(line);
    if (row !== undefined) open.push({ row, ...rest });
  };
  for (const root of roots.toReversed())
    push(root, { depth: 0, isHead: hasSeveralRoots, head: root, above: null });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { line } = next.row;
    if (next.isHead && matches === undefined && folded.has(line)) {
      drawn.push({ ...next, folded: countBelow(line, children) });
      continue;
    }
    drawn.push({ ...next, folded: 0 });
    const following = inOrder(children.get(line) ?? [], trunk);
    const last = following.pop();
    if (last === undefined) continue;
    push(last, { depth: next.depth, isHead: false, head: next.head, above: line });
    for (const child of following.reverse())
      push(child, { depth: next.depth + 1, isHead: true, head: child, above: line });
  }
  return drawn;
}

/** Leaves out what is not shown: what follows it then follows the nearest shown entry above. */
function reduce(
  shape: Shape,
  isShown: (row: TreeRow) => boolean,
): { roots: number[]; children: Map<number, number[]> } {
  const roots: number[] = [];
  const children = new Map<number, number[]>();
  const nearest = new Map<number, number>();
  for (const line of shape.downwards()) {
    const parent = shape.parent(line);
    const above = parent === undefined ? undefined : nearest.get(parent);
    const row = shape.row(line);
    if (row === undefined || !isShown(row)) {
      if (above !== undefined) nearest.set(line, above);
      continue;
    }
    nearest.set(line, line);
    if (above === undefined) roots.push(line);
    else if (!children.get(above)?.push(line)) children.set(above, [line]);
  }
  return { roots, children };
}

/** The newest branch, or the trunk, goes on below; the others come first. */
function inOrder(lines: readonly number[], trunk: ReadonlySet<number>): number[] {
  const onTrunk = lines.filter((line) => trunk.has(line));
  return [...lines.filter((line) => !trunk.has(line)), ...onTrunk];
}

function countBelow(line: number, children: ReadonlyMap<number, readonly number[]>): number {
  let count = 0;
  const open = [...(children.get(line) ?? [])];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    count += 1;
    for (const child of children.get(at) ?? []) open.push(child);
  }
  return count;
}
