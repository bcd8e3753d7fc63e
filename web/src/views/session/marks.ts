/** What a minimap shows: the places on a path that one may want to jump to. */

import type { TreeRow } from "../../tree/rows";
import type { Shape } from "../../tree/shape";

export type MarkKind = "label" | "branch" | "compaction" | "error" | "user";

export interface Mark {
  readonly kind: MarkKind;
  readonly line: number;
  /** How far down the path, from 0 to 1. */
  readonly at: number;
  readonly title: string;
}

/** What matters most comes first: where there is room for one mark only, it is that one. */
const ORDER: readonly MarkKind[] = ["label", "branch", "compaction", "error", "user"];

export interface MarkedRow extends TreeRow {
  /** Whether the conversation goes on in several ways: settings that stand side by side are none. */
  readonly isBranchPoint?: boolean;
  readonly isFailure?: boolean;
}

/** Finds what is marked on a path; of what would lie on one place, only the most important, so that there are at most `most`. */
export function marksOf(path: readonly MarkedRow[], shape: Shape, most: number): Mark[] {
  const places = new Map<number, Mark>();
  for (const [at, row] of path.entries()) {
    const found = markOf(row, shape);
    if (found === undefined) continue;
    const share = path.length < 2 ? 0 : at / (path.length - 1);
    const place = Math.round(share * (most - 1));
    const known = places.get(place);
    if (known !== undefined && ORDER.indexOf(known.kind) <= ORDER.indexOf(found.kind)) continue;
    places.set(place, { ...found, line: row.line, at: share });
  }
  return [...places.values()].sort((one, other) => one.at - other.at);
}

function markOf(row: MarkedRow, shape: Shape): Pick<Mark, "kind" | "title"> | undefined {
  if (row.label != null && row.label !== "") return { kind: "label", title: `Label: ${row.label}` };
  if (row.isBranchPoint ?? shape.isBranchPoint(row.line))
    return { kind: "branch", title: `Goes on in ${shape.children(row.line).length} ways` };
  if (row.type === "compaction") return { kind: "compaction", title: "Compaction" };
  if (row.isFailure === true) return { kind: "error", title: `Failed: ${row.text}` };
  // A message of pictures alone has no words.
  if (row.role === "user") return { kind: "user", title: row.text || "Said by the user" };
  return undefined;
}
