/** A path as what is read in one go: an answer stands together with what its tools gave back. */

import { isSetting } from "../tree/filter";
import type { TreeRow } from "../tree/rows";

export interface Passage {
  readonly row: TreeRow;
  /** The results of its tool calls. */
  readonly results: readonly TreeRow[];
}

/**
 * Cuts a path into passages. This needs no more than the shape, so that a long session can be laid out before its entries are
 * there: results follow the answer that called for them, with at most settings between.
 */
export function passagesOf(path: readonly TreeRow[]): Passage[] {
  const passages: { row: TreeRow; results: TreeRow[] }[] = [];
  let answer: { row: TreeRow; results: TreeRow[] } | undefined;
  for (const row of path) {
    if (answer !== undefined && row.role === "toolResult") {
      answer.results.push(row);
      continue;
    }
    const passage = { row, results: [] };
    passages.push(passage);
    if (row.role === "assistant") answer = passage;
    else if (!isSetting(row)) answer = undefined;
  }
  return passages;
}

/** Finds the passage that an entry is in. */
export function passageOf(passages: readonly Passage[], line: number): number {
  return passages.findIndex(
    ({ row, results }) => row.line === line || results.some((result) => result.line === line),
  );
}
