import { expect, test } from "vitest";

import { dollars } from "../../text/format";
import { costSentence, linesOf, ownWords, type FamilyMessage, type Relative } from "./family";

function message(id: number, parent: number | null, children: number[], sessions: string[]): FamilyMessage {
  return {
    id,
    parent,
    children,
    role: id % 2 === 1 ? "user" : "assistant",
    created: null,
    words: `words ${id}`,
    labels: [],
    occurrences: sessions.map((session) => ({ session, entry: `e${id}` })),
  };
}

const sessions = ["one", "two"].map((id) => ({ id })) as Relative[];

/** 1–2–3–4, and 5–6 after 2, which only the fork has. */
const messages = [
  message(1, null, [2], ["one", "two"]),
  message(2, 1, [3, 5], ["one", "two"]),
  message(3, 2, [4], ["one"]),
  message(4, 3, [], ["one"]),
  message(5, 2, [6], ["two"]),
  message(6, 5, [], ["two"]),
];

test("what is shared stands once, and ways are set in where they part", () => {
  const lines = linesOf(messages, sessions);
  expect(lines.map(({ message: { id }, depth }) => `${id}/${depth}`)).toEqual([
    "1/0",
    "2/0",
    "3/1",
    "4/1",
    "5/0",
    "6/0",
  ]);
  expect(lines.map(({ sessions: who }) => [...who].join(""))).toEqual(["01", "01", "0", "0", "1", "1"]);
});

test("a part of a family whose beginning is elsewhere is shown all the same", () => {
  expect(linesOf(messages.slice(4), sessions).map(({ message: { id } }) => id)).toEqual([5, 6]);
});

test("forks are told apart by what only they say", () => {
  const lines = linesOf(messages, sessions);
  expect(ownWords(lines, 0)).toBe("words 3");
  expect(ownWords(lines, 1)).toBe("words 5");
  expect(ownWords(lines.slice(0, 2), 0)).toBeNull();
});

test("the cost is explained in a sentence", () => {
  expect(costSentence({ honest: 1.5, naive: 4 }, 3, dollars)).toContain(
    "$1.50, with every answer counted once",
  );
  expect(costSentence({ honest: 1.5, naive: 4 }, 3, dollars)).toContain("the 3 files gets $4.00");
  expect(costSentence({ honest: 1.5, naive: 1.5 }, 2, dollars)).toContain("No answer");
  expect(costSentence({ honest: 1.5, naive: 1.5 }, 1, dollars)).toBe("It cost $1.50.");
});

test("a chain of 100,000 messages is laid out", () => {
  const long = Array.from({ length: 100_000 }, (_, at) =>
    message(at + 1, at === 0 ? null : at, at === 99_999 ? [] : [at + 2], ["one"]),
  );
  expect(linesOf(long, sessions)).toHaveLength(100_000);
});
