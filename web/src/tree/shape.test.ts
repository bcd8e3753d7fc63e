import { expect, test } from "vitest";

import { draw, type Choice } from "./drawing";
import type { TreeRow } from "./rows";
import { Shape } from "./shape";

/**
 * A session in a short notation: `a b c; b d` is a chain a–b–c with d branching off b. Lines are counted from 1 in the order in
 * which the letters first occur, and the last one is where pi would go on.
 */
function rowsOf(notation: string, more: Record<string, Partial<TreeRow>> = {}): TreeRow[] {
  const lines = new Map<string, number>();
  const parents = new Map<string, number | null>();
  for (const chain of notation.split(";")) {
    let before: string | null = null;
    for (const id of chain.trim().split(" ")) {
      if (!lines.has(id)) {
        lines.set(id, lines.size + 1);
        parents.set(id, before === null ? null : (lines.get(before) ?? null));
      }
      before = id;
    }
  }
  return [...lines].map(([id, line]) => ({
    line,
    parentLine: parents.get(id) ?? null,
    id,
    type: "message",
    role: "user",
    text: `text of ${id}`,
    isLeaf: line === lines.size,
    ...more[id],
  }));
}

/** Draws as `pi-brain session tree` does. */
function drawn(rows: readonly TreeRow[], choice: Partial<Choice> = {}): string {
  return draw(new Shape(rows), { filter: "all", ...choice })
    .map(({ row, depth, folded }) => `${"│".repeat(depth)}${row.id ?? "?"}${folded > 0 ? `+${folded}` : ""}`)
    .join(" ");
}

test("a straight run is not set in, branches are, and the way to the leaf goes on below", () => {
  expect(drawn(rowsOf("a b c"))).toBe("a b c");
  expect(drawn(rowsOf("a b c d; b e f"))).toBe("a b │c │d e f");
  expect(drawn(rowsOf("a b c; b d; b e"))).toBe("a b │c │d e");
  expect(drawn(rowsOf("a b c d; c e; b f"))).toBe("a b │c ││d │e f");
});

test("there may be several roots", () => {
  expect(drawn(rowsOf("a b; c d"))).toBe("a b c d");
  expect(new Shape(rowsOf("a b; c d")).roots).toEqual([1, 3]);
});

test("a branch can be folded, and says how much is in it", () => {
  const rows = rowsOf("a b c d; c e; b f");
  expect(drawn(rows, { folded: new Set([3]) })).toBe("a b │c+2 f");
  // What begins no branch cannot be folded.
  expect(drawn(rows, { folded: new Set([2]) })).toBe(drawn(rows));
});

test("what a filter leaves out is stepped over", () => {
  const rows = rowsOf("a b c d; b e f", {
    b: { role: "toolResult" },
    c: { type: "label", role: null },
    e: { role: "assistant", text: "→ bash ls" },
    d: { label: "kept" },
  });
  expect(drawn(rows, { filter: "default" })).toBe("a b │d f");
  expect(drawn(rows, { filter: "no-tools" })).toBe("a │d f");
  expect(drawn(rows, { filter: "user-only" })).toBe("a │d f");
  expect(drawn(rows, { filter: "labeled-only" })).toBe("d f");
  expect(drawn(rows, { filter: "default", matches: ({ line }) => line === 5 || line === 4 })).toBe("d e");
  expect(drawn(rows, { filter: "user-only", matches: ({ line }) => line === 5 || line === 4 })).toBe("d");
});

test("paths lead to an entry, or through it to the newest leaf below it", () => {
  const shape = new Shape(rowsOf("a b c d; b e f; c g"));
  expect(shape.pathTo(3)).toEqual([1, 2, 3]);
  expect(shape.pathThrough(3)).toEqual([1, 2, 3, 7]);
  expect(shape.pathThrough(2)).toEqual([1, 2, 3, 7]);
  expect(shape.pathThrough(6)).toEqual([1, 2, 5, 6]);
  expect(shape.descendants(2)).toEqual([3, 4, 5, 6, 7]);
  expect(shape.leaf).toBe(7);
  expect([2, 3, 4].map((line) => shape.isBranchPoint(line))).toEqual([true, true, false]);
});

test("an entry is found by its id, by the beginning of it, or by its line", () => {
  const shape = new Shape(rowsOf("abc abd xyz __proto__"));
  expect(shape.find("abc")).toBe(1);
  expect(shape.find("x")).toBe(3);
  expect(shape.find("ab")).toBeUndefined();
  expect(shape.find("line-2")).toBe(2);
  expect(shape.find("line-9")).toBeUndefined();
  expect(shape.find("__proto__")).toBe(4);
  expect(shape.find("constructor")).toBeUndefined();
  expect(shape.find("")).toBeUndefined();
});

test("circles, orphans and entries that are their own parents become roots, and nothing is lost", () => {
  const row = (line: number, parentLine: number | null): TreeRow => ({
    line,
    parentLine,
    type: "message",
    text: "",
    isLeaf: false,
  });
  const rows = [row(1, 1), row(2, 4), row(3, 2), row(4, 3), row(5, 99), row(6, 3), row(7, null)];
  const shape = new Shape(rows);
  expect(shape.roots).toEqual([1, 2, 5, 7]);
  expect(shape.pathTo(6)).toEqual([2, 3, 6]);
  expect(shape.downwards().toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(draw(shape, { filter: "all" })).toHaveLength(7);
});

test("a parent may come after its child", () => {
  const rows = rowsOf("a b").map((row) => ({
    ...row,
    line: 3 - row.line,
    parentLine: row.id === "b" ? 2 : null,
  }));
  expect(new Shape(rows).pathTo(1)).toEqual([2, 1]);
});

test("a session without entries has no leaf", () => {
  const shape = new Shape([]);
  expect(shape.leaf).toBeNull();
  expect(draw(shape, { filter: "default" })).toEqual([]);
});

test("depth and breadth are ordinary", () => {
  const many = 100_000;
  const row = (line: number, parentLine: number | null): TreeRow => ({
    line,
    parentLine,
    type: "message",
    text: "",
    isLeaf: line === many,
  });
  const chain = new Shape(Array.from({ length: many }, (_, at) => row(at + 1, at === 0 ? null : at)));
  expect(chain.pathTo(many)).toHaveLength(many);
  expect(chain.end(1)).toBe(many);
  const lines = draw(chain, { filter: "all" });
  expect([lines.length, lines.at(-1)?.depth]).toEqual([many, 0]);
  const star = new Shape(Array.from({ length: many }, (_, at) => row(at + 1, at === 0 ? null : 1)));
  expect(star.descendants(1)).toHaveLength(many - 1);
  expect(draw(star, { filter: "all", folded: new Set([2]) })).toHaveLength(many);
  // Every second entry begins a branch off the one before.
  const comb = new Shape(
    Array.from({ length: many }, (_, at) => row(at + 1, at === 0 ? null : Math.max(1, at - (at % 2)))),
  );
  expect(draw(comb, { filter: "all" })).toHaveLength(many);
}, 60_000);
