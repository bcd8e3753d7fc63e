import { expect, test } from "vitest";

import type { Drawn } from "./drawing";
import { stepFor } from "./steps";

/** a b, with a branch c d that left b; then e goes on. */
const LINES: Drawn[] = [
  line(1, 0, false, 1, null),
  line(2, 0, false, 1, 1),
  line(3, 1, true, 3, 2),
  line(4, 1, false, 3, 3),
  line(5, 0, false, 1, 2),
];

function line(number: number, depth: number, isHead: boolean, head: number, above: number | null): Drawn {
  const row = { line: number, type: "message", text: "", isLeaf: false };
  return { row, depth, isHead, head, above, folded: 0 };
}

test.each([
  ["ArrowDown", 0, { kind: "move", to: 1 }],
  ["ArrowDown", 4, { kind: "move", to: 4 }],
  ["j", 1, { kind: "move", to: 2 }],
  ["ArrowUp", 0, { kind: "move", to: 0 }],
  ["k", 3, { kind: "move", to: 2 }],
  ["Home", 3, { kind: "move", to: 0 }],
  ["End", 0, { kind: "move", to: 4 }],
  ["PageDown", 0, { kind: "move", to: 4 }],
  ["ArrowRight", 1, { kind: "move", to: 2 }],
  ["ArrowLeft", 3, { kind: "move", to: 2 }],
  ["ArrowLeft", 2, { kind: "fold", line: 3, isFolded: true }],
  ["ArrowLeft", 4, { kind: "move", to: 0 }],
  ["ArrowLeft", 0, undefined],
  ["Enter", 3, { kind: "select", line: 4 }],
  ["x", 0, undefined],
  ["ArrowDown", -1, { kind: "move", to: 0 }],
])("%s at line %i", (key, at, expected) => {
  expect(stepFor(key, LINES, at)).toEqual(expected);
});

test("a folded branch is unfolded to the right, and left to the left", () => {
  const folded = LINES.slice(0, 3).map((drawn) => (drawn.isHead ? { ...drawn, folded: 1 } : drawn));
  expect(stepFor("ArrowRight", folded, 2)).toEqual({ kind: "fold", line: 3, isFolded: false });
  expect(stepFor("ArrowLeft", folded, 2)).toEqual({ kind: "move", to: 1 });
});

test("an empty tree has nothing to step through", () => {
  expect(stepFor("ArrowDown", [], -1)).toBeUndefined();
});
