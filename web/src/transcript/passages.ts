/** A path as what is read in one go: an answer stands together with what its tools gave back. */

import { isSetting } from "../tree/filter";
import type { TreeRow } from "../tree/rows";

export interface Passage {
  readonly row: TreeRow;
  /** The results of its tool calls. */
  readonly results: readonly TreeRow[];
  /** Whether it goes on with what the one before it said: the same answer, after its tools. */
  readonly isContinued: boolean;
}

/**
 * Cuts a path into passages. This needs no more than the shape, so that a long session can be laid out before its entries are
 * there: results follow the answer that called for them, with at most settings between.
 */
export function passagesOf(path: readonly TreeRow[]): Passage[] {
  const passages: Passage[] = [];
  let answer: { results: TreeRow[] } | undefined;
  for (const row of path) {
    if (answer !== undefined && row.role === "toolResult") {
      answer.results.push(row);
      continue;
    }
    const isAnswer = row.role === "assistant";
    const results: TreeRow[] = [];
    passages.push({ row, results, isContinued: isAnswer && answer !== undefined });
    if (isAnswer) answer = { results };
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
