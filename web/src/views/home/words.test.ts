import { expect, test } from "vitest";

import { listed, readAnswer } from "./words";

test("numbers of sources stand apart from what is said", () => {
  expect(readAnswer("We dropped `redis` [1]\n\nBoth [1, 2].", 2)).toEqual([
    [
      { kind: "said", text: "We dropped `redis` " },
      { kind: "source", number: 1 },
    ],
    [
      { kind: "said", text: "Both " },
      { kind: "source", number: 1 },
      { kind: "source", number: 2 },
      { kind: "said", text: "." },
    ],
  ]);
});

test("a number that is no source is text", () => {
  expect(readAnswer("args[0] and args[7]", 3)).toEqual([[{ kind: "said", text: "args[0] and args[7]" }]]);
  expect(readAnswer("`args[1]`", 3)).toEqual([[{ kind: "said", text: "`args[1]`" }]]);
});

test("an answer that goes through its sources is a list", () => {
  expect(listed("We dropped it. [1]\nEarlier (2026-01-02): We kept it. [2]", 2)).toEqual({
    lead: "",
    lines: ["We dropped it.", "We kept it."],
  });
  expect(listed("$3.10 on shop.\n$3: a cart [1]\n$0.10: a fix [2]", 2)).toEqual({
    lead: "$3.10 on shop.",
    lines: ["$3: a cart", "$0.10: a fix"],
  });
});

test("an answer in other words is none", () => {
  expect(listed("It was dropped [2], since it was slow [1].", 2)).toBeUndefined();
  expect(listed("It was slow. [1]\nIt was dropped. [1]", 2)).toBeUndefined();
  expect(listed("See [1].\nIt was slow. [1]", 1)).toBeUndefined();
  expect(listed("Nothing in the sessions answers this question.", 0)).toBeUndefined();
});
