import { expect, test } from "vitest";

import type { NodeRow } from "../../api/types";
import type { TreeRow } from "../../tree/rows";
import { Shape } from "../../tree/shape";
import { workBeside } from "./work";

function rowAt(line: number, parentLine: number | null): TreeRow {
  return { line, parentLine, id: `e${line}`, type: "message", role: "user", text: "", isLeaf: line === 8 };
}

/** 2–3–4–5 with 6–7–8 branching off 3. */
const shape = new Shape([
  rowAt(2, null),
  rowAt(3, 2),
  rowAt(4, 3),
  rowAt(5, 4),
  rowAt(6, 3),
  rowAt(7, 6),
  rowAt(8, 7),
]);

function node(id: string, startEntry: string, endEntry: string): NodeRow {
  return { id, startEntry, endEntry } as NodeRow;
}

function said(nodes: NodeRow[], path: number[]): string {
  const found = workBeside(nodes, shape, path);
  return path
    .map((line) => {
      const beside = found.get(line);
      if (beside === undefined) return "-";
      return `${beside.isFirst ? "[" : ""}${beside.node.id}${beside.isLast ? "]" : ""}`;
    })
    .join(" ");
}

test("a unit of work lies beside its entries, and only on its branch", () => {
  const nodes = [node("a", "e2", "e5"), node("b", "e6", "e7")];
  expect(said(nodes, [2, 3, 4, 5])).toBe("[a a a a]");
  expect(said(nodes, [2, 3, 6, 7, 8])).toBe("[a a] [b b] -");
});

test("what names entries that are not there is left out", () => {
  expect(said([node("a", "gone", "e5"), node("b", "e2", "gone")], [2, 3])).toBe("- -");
});
