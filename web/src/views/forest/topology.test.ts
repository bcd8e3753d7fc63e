import { expect, test } from "vitest";

import { amongSiblings, countWith, leavesOf, numberOf, rootOf, treeOf } from "./topology";
import type { Shape } from "./types";

/** A tree in the notation `1 2 3; 2 4`: a chain 1–2–3, with 4 branching off 2. */
function tree(notation: string): Shape[] {
  const parents = new Map<number, number>();
  for (const chain of notation.split(";")) {
    const numbers = chain.trim().split(" ").map(Number);
    numbers.forEach((number, at) => {
      if (!parents.has(number)) parents.set(number, numbers[at - 1] ?? 0);
    });
  }
  const name = (number: number): string => (number === 0 ? "root-1" : `root-1/node-${number}`);
  return [...parents].map(([number, parent]) => ({
    id: name(number),
    parent: name(parent),
    children: [...parents].filter(([, above]) => above === number).map(([child]) => name(child)),
    role: "user",
    created: null,
    flags: [],
  }));
}

test("places are taken apart", () => {
  expect(numberOf("root-12/node-5")).toBe(5);
  expect(numberOf("root-12")).toBeNull();
  expect(rootOf("root-12/node-5")).toBe("root-12");
});

test("a tree is drawn with what its messages are called, and asks for no words before they are read", () => {
  const asked: string[] = [];
  const words = (node: string): string => {
    asked.push(node);
    return `words of ${node}`;
  };
  const shape = treeOf(tree("1 2 3; 2 4"), new Map([["root-1/node-3", ["good", "best"]]]), words);
  expect(asked).toEqual([]);
  expect(shape.children(2)).toEqual([3, 4]);
  expect(shape.leaf).toBe(4);
  expect(shape.row(3)?.label).toBe("good, best");
  expect(shape.row(4)?.text).toBe("words of root-1/node-4");
  expect(asked).toEqual(["root-1/node-4"]);
});

test("leaves are told newest first", () => {
  const leaves = leavesOf(tree("1 2 3; 2 4; 1 5")).map(({ id }) => id);
  expect(leaves).toEqual(["root-1/node-5", "root-1/node-4", "root-1/node-3"]);
});

test("a message knows which of its siblings it is", () => {
  const shapes = tree("1 2; 1 3; 1 4");
  expect(amongSiblings(shapes, "root-1/node-3")).toEqual({
    at: 1,
    count: 3,
    before: "root-1/node-2",
    after: "root-1/node-4",
  });
  expect(amongSiblings(shapes, "root-1/node-1")).toBeUndefined();
});

test("what goes with a message is counted", () => {
  const shape = treeOf(tree("1 2 3; 2 4"), new Map(), () => "");
  expect(countWith(shape, "root-1/node-2")).toBe(3);
  expect(countWith(shape, "root-1/node-4")).toBe(1);
  expect(countWith(shape, "root-1")).toBe(0);
});
