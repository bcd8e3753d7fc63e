import { expect, test } from "vitest";

import { Shape } from "../../tree/shape";
import { marksOf, type MarkedRow } from "./marks";

function rowAt(line: number, more: Partial<MarkedRow> = {}): MarkedRow {
  return {
    line,
    parentLine: line === 2 ? null : line - 1,
    id: `e${line}`,
    type: "message",
    role: "assistant",
    text: `words ${line}`,
    isLeaf: false,
    ...more,
  };
}

test("what one may want to jump to is marked, each for its reason", () => {
  const path = [
    rowAt(2, { role: "user" }),
    rowAt(3),
    rowAt(4, { type: "compaction", role: null }),
    rowAt(5, { isFailure: true }),
    rowAt(6, { role: "user", label: "start" }),
  ];
  const shape = new Shape([...path, rowAt(7, { parentLine: 3 })]);
  const marks = marksOf(path, shape, 100);
  expect(marks.map(({ kind, line }) => `${kind} ${line}`)).toEqual([
    "user 2",
    "branch 3",
    "compaction 4",
    "error 5",
    "label 6",
  ]);
  expect(marks.map(({ at }) => at)).toEqual([0, 0.25, 0.5, 0.75, 1]);
});

test("where there is little room, what matters most is kept", () => {
  const path = Array.from({ length: 1000 }, (_, at) =>
    rowAt(at + 2, at === 500 ? { label: "here", role: "user" } : { role: "user" }),
  );
  const marks = marksOf(path, new Shape(path), 20);
  expect(marks.length).toBeLessThanOrEqual(20);
  expect(marks.filter(({ kind }) => kind === "label").map(({ line }) => line)).toEqual([502]);
});

test("a path of one entry, and of none", () => {
  const one = [rowAt(2, { role: "user" })];
  expect(marksOf(one, new Shape(one), 10)).toHaveLength(1);
  expect(marksOf([], new Shape([]), 10)).toEqual([]);
});
