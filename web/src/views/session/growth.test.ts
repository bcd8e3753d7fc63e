import { expect, test } from "vitest";

import { grown } from "./growth";

interface Row {
  line: number;
  isLeaf: boolean;
}

function said(rows: readonly Row[]): string {
  return rows.map(({ line, isLeaf }) => `${line}${isLeaf ? "!" : ""}`).join(" ");
}

function check(known: Row[], more: Row[], expected: string): void {
  expect(said(grown(known, more))).toBe(expected);
}

const row = (line: number, isLeaf = false): Row => ({ line, isLeaf });

test("what is written last is where pi would go on", () => {
  check([row(2), row(3, true)], [row(4, true)], "2 3 4!");
  check([], [row(2), row(3, true)], "2 3!");
});

test("a part from the middle moves nothing, and nothing comes twice", () => {
  check([row(2)], [row(3)], "2 3");
  check([row(2), row(3, true)], [row(3, true)], "2 3!");
  check([row(2), row(3, true)], [], "2 3!");
});
