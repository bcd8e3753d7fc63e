import { expect, test } from "vitest";

import { Finder, textsIn, wordsIn } from "./finder";
import { gistOf } from "./gist";
import { readExport, usageOf } from "./session";
import { readEntry } from "../transcript/entry";

const USAGE = { totalTokens: 100, cost: { total: 0.5 } };

const CARRIED = {
  title: "Title",
  file: "x.jsonl",
  header: { type: "session", id: "s", cwd: "/home/dev/shop" },
  leaf: 5,
  isRedacted: true,
  generated: "now",
  problems: [[3, "not JSON; the line is left out"], "odd"],
  entries: [
    [2, null, said("a", "user", "hello", "2026-01-01T10:00:00Z")],
    [
      4,
      2,
      {
        ...said("b", "assistant", "hi", "2026-01-01T10:05:00Z"),
        message: { role: "assistant", usage: USAGE },
      },
    ],
    [5, 4, { type: "label", id: "c", targetId: "a", label: "first" }],
    [6, 2, { type: "label", id: "d", targetId: "a", label: "kept" }],
    [7, 6, { type: "label", id: "e", targetId: "b", label: "gone" }],
    [8, 7, { type: "label", id: "f", targetId: "b" }],
    [9, 8, null],
    "no pair",
    [null, 1, {}],
  ],
};

function said(id: string, role: string, content: string, timestamp: string): object {
  return { type: "message", id, timestamp, message: { role, content } };
}

test("what a file carries is read", () => {
  const exported = readExport(CARRIED);
  expect(exported).toMatchObject({
    title: "Title",
    project: "/home/dev/shop",
    session: "s",
    leaf: 5,
    isRedacted: true,
    problems: [{ line: 3, text: "not JSON; the line is left out" }],
    started: Date.UTC(2026, 0, 1, 10),
    ended: Date.UTC(2026, 0, 1, 10, 5),
  });
  expect(exported.rows.map(({ line, parentLine }) => [line, parentLine])).toEqual([
    [2, null],
    [4, 2],
    [5, 4],
    [6, 2],
    [7, 6],
    [8, 7],
    [9, 8],
  ]);
  expect(exported.rows.map(({ role }) => role).slice(0, 3)).toEqual(["user", "assistant", null]);
  // The last label in the file holds, wherever it was written, and pi goes on after the last line.
  expect(exported.rows.map(({ label }) => label).slice(0, 2)).toEqual(["kept", null]);
  expect(exported.rows.filter(({ isLeaf }) => isLeaf).map(({ line }) => line)).toEqual([9]);
  expect(usageOf(exported, [2, 4])).toMatchObject({ total: 100, cost: 0.5 });
  expect(usageOf(exported, [2])).toMatchObject({ total: 0, cost: 0 });
});

test("a file that carries nothing, or nonsense, is an empty session", () => {
  for (const nothing of [null, 7, [], {}, { entries: {}, header: [], problems: "x", leaf: "y" }])
    expect(readExport(nothing)).toMatchObject({
      title: "",
      leaf: null,
      rows: [],
      problems: [],
      started: null,
    });
});

test("all words have to occur, in whatever an entry says", () => {
  const finder = new Finder(
    new Map<number, unknown>([
      [2, { message: { content: "Hello World" } }],
      [3, { message: { content: [{ type: "toolCall", arguments: { command: "echo HELLO" } }] } }],
      [4, { message: { content: [{ type: "image", data: "hello" }] }, id: "hello" }],
      [5, null],
    ]),
  );
  expect([...finder.find(wordsIn(" hello "))]).toEqual([2, 3]);
  expect([...finder.find(wordsIn("world hello"))]).toEqual([2]);
  expect([...finder.find(["echo"])]).toEqual([3]);
  expect(wordsIn("  ")).toEqual([]);
});

test("what is nested deeply is searched all the same", () => {
  let deep: unknown = "needle";
  for (let level = 0; level < 50_000; level += 1) deep = [deep];
  expect(textsIn({ deep, other: [null, 1, true] })).toBe("needle");
});

test.each([
  [said("a", "user", "two\nlines", ""), "two lines"],
  [
    { type: "message", message: { role: "assistant", content: [], errorMessage: "overloaded" } },
    "overloaded",
  ],
  [
    {
      type: "message",
      message: {
        role: "assistant",
        content: [{ type: "toolCall", name: "bash", arguments: { command: "ls" } }],
      },
    },
    "→ bash ls",
  ],
  [
    {
      type: "message",
      message: { role: "toolResult", toolName: "bash", content: [{ type: "text", text: "\u001b[31mred" }] },
    },
    "bash: red",
  ],
  [{ type: "message", message: { role: "bashExecution", command: "make" } }, "$ make"],
  [{ type: "label", targetId: "a" }, "(cleared) on a"],
  [{ type: "model_change", provider: "p", modelId: "m" }, "p/m"],
  [{ type: "session_info", name: "\u202ename" }, "\ufffdname"],
  [{ type: "odd" }, "odd"],
])("%j in one line", (raw, gist) => {
  expect(gistOf(readEntry(raw))).toBe(gist);
});

test("a line is no longer than can be shown", () => {
  expect(gistOf(readEntry(said("a", "user", "x".repeat(1_000_000), "")))).toHaveLength(300);
});
