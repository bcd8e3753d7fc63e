/** Units of work beside the entries that they were made from. */

import type { NodeRow } from "../../api/types";
import type { Shape } from "../../tree/shape";

/** How a unit of work lies beside an entry. */
export interface Beside {
  readonly node: NodeRow;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/**
 * Finds for each line of a path the unit of work that it belongs to. A unit of work is a run of entries on one way through the
 * session: from its first entry down to its last, and nothing of other branches that were written in between.
 */
export function workBeside(
  nodes: readonly NodeRow[],
  shape: Shape,
  path: readonly number[],
): Map<number, Beside> {
  const positions = new Map(path.map((line, at) => [line, at]));
  const beside = new Map<number, Beside>();
  for (const node of nodes) {
    const [start, end] = [shape.find(node.startEntry), shape.find(node.endEntry)];
    const first = start === undefined ? undefined : positions.get(start);
    if (first === undefined || end === undefined) continue;
    // On another branch than its end, the path has only a part of it.
    const whole = new Set(shape.pathTo(end));
    let last = first;
    for (let at = first; at < path.length && whole.has(path[at] ?? 0); at += 1) last = at;
    for (let at = first; at <= last; at += 1) {
      const line = path[at] ?? 0;
      if (!beside.has(line)) beside.set(line, { node, isFirst: at === first, isLast: at === last });
    }
  }
  return beside;
}
