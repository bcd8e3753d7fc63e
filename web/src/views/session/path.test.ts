import { expect, test } from "vitest";

import type { TreeRow } from "../../tree/rows";
import { Shape } from "../../tree/shape";
import { isRecent, isUser, nextOf, partingOf, pointAt, wayOf } from "./path";

/** `a b c; b d` is a chain a–b–c, with d branching off b. The last one is where pi would go on. */
function shapeOf(notation: string): Shape {
  const lines = new Map<string, number>();
  const rows: TreeRow[] = [];
  for (const chain of notation.split(";")) {
    let parent: number | null = null;
    for (const id of chain.trim().split(" ")) {
      const known = lines.get(id);
      const line = known ?? rows.length + 2;
      if (known === undefined) {
        lines.set(id, line);
        const role = rows.length % 2 === 0 ? "user" : "assistant";
        rows.push({ line, parentLine: parent, id, type: "message", role, text: id, isLeaf: false });
      }
      parent = line;
    }
  }
  return new Shape(rows.map((row, at) => ({ ...row, isLeaf: at === rows.length - 1 })));
}

function ids(shape: Shape, lines: readonly number[]): string {
  return shape
    .rowsOf(lines)
    .map(({ id }) => id)
    .join("");
}

function check(notation: string, at: string | null, leaf: string | null, expected: string): void {
  const shape = shapeOf(notation);
  expect(ids(shape, wayOf(shape, { at, leaf }).path)).toBe(expected);
}

test("what an address points at is always on the way", () => {
  check("a b c; b d e", null, null, "abde");
  check("a b c; b d e", null, "c", "abc");
  check("a b c; b d e", "b", "c", "abc");
  check("a b c; b d e", "c", null, "abc");
  check("a b c; b d e", "d", "c", "abde");
  check("a b c; b d e", "a", null, "abde");
});

test("what is not there is told, and something is shown all the same", () => {
  const shape = shapeOf("a b");
  expect(wayOf(shape, { at: "zzz", leaf: null })).toMatchObject({ isLost: true, at: null });
  check("a b", "zzz", null, "ab");
  check("a b", null, "zzz", "ab");
  expect(wayOf(new Shape([]), { at: null, leaf: null })).toEqual({ path: [], at: null, isLost: false });
});

test("pointing at an entry changes the path only if it has to", () => {
  const shape = shapeOf("a b c; b d e");
  const path = wayOf(shape, { at: null, leaf: null }).path;
  const line = (id: string): number => shape.find(id) ?? 0;
  expect(pointAt(shape, line("b"), path)).toEqual({ at: "b" });
  expect(pointAt(shape, line("c"), path)).toEqual({ at: "c", leaf: "c" });
  const other = wayOf(shape, { at: "c", leaf: null }).path;
  expect(pointAt(shape, line("d"), other)).toEqual({ at: "d", leaf: null });
});

test("steps go from one to the next, and stop at the ends", () => {
  const shape = shapeOf("a b c d e");
  const path = shape.rowsOf(wayOf(shape, { at: null, leaf: null }).path);
  expect(nextOf(path, 2, 1, isUser)).toBe(4);
  expect(nextOf(path, 4, -1, isUser)).toBe(2);
  expect(nextOf(path, null, 1, isUser)).toBe(2);
  expect(nextOf(path, null, -1, isUser)).toBe(6);
  expect(nextOf(path, 6, 1, isUser)).toBeNull();
});

test("two ways are the same up to where they part", () => {
  expect(partingOf([1, 2, 3], [1, 2, 5, 6])).toEqual({ shared: [1, 2], left: [3], right: [5, 6] });
  expect(partingOf([1, 2], [1, 2, 3])).toEqual({ shared: [1, 2], left: [], right: [3] });
  expect(partingOf([1], [4])).toEqual({ shared: [], left: [1], right: [4] });
});

test("only what was written a moment ago is recent", () => {
  const now = Date.parse("2026-11-01T10:00:00.000Z");
  const row = (timestamp: string | null): TreeRow => ({
    line: 2,
    type: "message",
    text: "",
    isLeaf: true,
    timestamp,
  });
  expect(isRecent(row("2026-11-01T09:58:00.000Z"), now)).toBe(true);
  expect(isRecent(row("2026-11-01T09:28:00.000Z"), now)).toBe(false);
  expect(isRecent(row(null), now)).toBe(false);
  expect(isRecent(undefined, now)).toBe(false);
});
