/** Which way through a session is shown, and what stands on it. */

import { nameOfRow, type TreeRow } from "../../tree/rows";
import type { Shape } from "../../tree/shape";

/** What an address says: the entry that is pointed at, and the end of the path. */
export interface Said {
  readonly at: string | null;
  readonly leaf: string | null;
}

export interface Way {
  /** The lines of the path, from the root on. */
  readonly path: readonly number[];
  /** The line that is pointed at. */
  readonly at: number | null;
  /** What was pointed at is not there. */
  readonly isLost: boolean;
}

/**
 * Finds the way that an address means. What is pointed at is always on it, whatever else is said: first the way to the leaf
 * that is named, then the one on which pi would go on, then the newest.
 */
export function wayOf(shape: Shape, { at: named, leaf: end }: Said): Way {
  const at = named === null ? undefined : shape.find(named);
  const leaf = end === null ? undefined : shape.find(end);
  const isLost = (named !== null && at === undefined) || (end !== null && leaf === undefined);
  const ends = [leaf, shape.leaf ?? undefined].filter((line) => line !== undefined);
  for (const line of ends) {
    const path = shape.pathTo(line);
    if (at === undefined || path.includes(at)) return { path, at: at ?? null, isLost };
  }
  return { path: at === undefined ? [] : shape.pathThrough(at), at: at ?? null, isLost };
}

/** What an address has to say so that an entry is pointed at; the path stays, if the entry is on it. */
export function pointAt(shape: Shape, line: number, path: readonly number[]): Record<string, string | null> {
  const row = shape.row(line);
  if (row === undefined) return {};
  const at = nameOfRow(row);
  if (path.includes(line)) return { at };
  const end = shape.row(shape.end(line));
  const isTrunk = shape.leaf !== null && shape.pathTo(shape.leaf).includes(line);
  return { at, leaf: isTrunk || end === undefined ? null : nameOfRow(end) };
}

/** The nearest line of a path, before or after a place on it, that is wanted. */
export function nextOf(
  path: readonly TreeRow[],
  from: number | null,
  by: 1 | -1,
  isWanted: (row: TreeRow) => boolean,
): number | null {
  const here = from === null ? -1 : path.findIndex(({ line }) => line === from);
  const start = here === -1 && by === -1 ? path.length : here;
  for (let at = start + by; at >= 0 && at < path.length; at += by) {
    const row = path[at];
    if (row !== undefined && isWanted(row)) return row.line;
  }
  return null;
}

export function isUser(row: TreeRow): boolean {
  return row.role === "user";
}

/** Whether an entry was written a few minutes ago: pi may be at work. */
export function isRecent(row: TreeRow | undefined, now: number): boolean {
  return now - Date.parse(row?.timestamp ?? "") < RECENT;
}

const RECENT = 5 * 60_000;

/** Where two ways part. */
export interface Parting {
  /** The lines that both have. */
  readonly shared: readonly number[];
  readonly left: readonly number[];
  readonly right: readonly number[];
}

export function partingOf(left: readonly number[], right: readonly number[]): Parting {
  let at = 0;
  while (at < left.length && at < right.length && left[at] === right[at]) at += 1;
  return { shared: left.slice(0, at), left: left.slice(at), right: right.slice(at) };
}
