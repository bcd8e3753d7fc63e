import { expect, test } from "vitest";

import { isQuotes, readAnswer } from "./words";

test("numbers of sources stand apart from what is said", () => {
  expect(readAnswer("We dropped `redis` [1]\n\nEarlier: we kept it [2]", 2)).toEqual([
    [
      { kind: "text", text: "We dropped " },
      { kind: "code", text: "redis" },
      { kind: "text", text: " " },
      { kind: "source", number: 1 },
    ],
    [
      { kind: "text", text: "Earlier: we kept it " },
      { kind: "source", number: 2 },
    ],
  ]);
});

test("several sources may be named at once", () => {
  expect(readAnswer("Both [1, 3].", 3)[0]).toEqual([
    { kind: "text", text: "Both " },
    { kind: "source", number: 1 },
    { kind: "source", number: 3 },
    { kind: "text", text: "." },
  ]);
});

test("a number that is no source is text", () => {
  expect(readAnswer("args[0] and args[7]", 3)).toEqual([[{ kind: "text", text: "args[0] and args[7]" }]]);
  expect(readAnswer("`args[1]`", 3)).toEqual([[{ kind: "code", text: "args[1]" }]]);
});

test("an answer that only quotes is known as such", () => {
  expect(
    isQuotes("We dropped it. [1]\nEarlier (2026-01-02): We kept it. [2]", ["We dropped it.", "We kept it."]),
  ).toBe(true);
  expect(isQuotes("shop cost $3.10 in October [1] [2]", ["Added a cart", "Fixed the cart"])).toBe(false);
  expect(isQuotes("Nothing in the sessions answers this question.", [])).toBe(false);
});

test("what stands out is known", () => {
  expect(readAnswer("- **Use** it", 0)[0]?.[1]).toEqual({ kind: "strong", text: "Use" });
});
