/** Which result belongs to which tool call. */

import type { TreeRow } from "../tree/rows";
import type { Block } from "./blocks";
import type { EntrySource, Held } from "./source";

export interface Result {
  readonly row: TreeRow;
  readonly held: Held;
  readonly tool: string;
}

export interface Paired {
  /** Results by the place of their call among the blocks. */
  readonly of: ReadonlyMap<number, Result>;
  /** Results that nothing called for. */
  readonly strays: readonly Result[];
}

/**
 * Pairs results with calls by the id that both name. Results that are not there yet are taken to be in the order of the calls
 * that have none.
 */
export function pairUp(
  blocks: readonly Block[],
  rows: readonly TreeRow[],
  source: EntrySource | undefined,
): Paired {
  const of = new Map<number, Result>();
  const strays: Result[] = [];
  if (source === undefined) return { of, strays };
  const results = rows.map((row) => {
    const held = source.at(row.line);
    const isRead = held.kind === "here" && held.entry.kind === "toolResult";
    return { row, held, tool: isRead ? held.entry.tool : "tool", callId: isRead ? held.entry.callId : null };
  });
  const freeCall = (id: string | null): number =>
    blocks.findIndex(
      (block, at) => block.kind === "toolCall" && !of.has(at) && (id === null || block.id === id),
    );
  const inOrder = [
    ...results.filter(({ callId }) => callId !== null),
    ...results.filter(({ callId }) => callId === null),
  ];
  for (const result of inOrder) {
    const at = freeCall(result.callId);
    if (at === -1) strays.push(result);
    else of.set(at, result);
  }
  return { of, strays };
}
