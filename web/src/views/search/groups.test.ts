import { expect, test } from "vitest";

import type { Hit, NodeRow } from "../../api/types";
import { byWork } from "./groups";

function work(id: string): NodeRow {
  return {
    id,
    version: 1,
    project: "/home/me/shop",
    type: "coding",
    outcome: "success",
    summary: `Work ${id}`,
    started: "2026-11-16T09:00:00Z",
    minutes: 5,
    tokens: 1,
    cost: 0.1,
    entries: 3,
    computer: "laptop",
    sessionId: "s1",
    sessionFile: "/s1.jsonl",
    startEntry: "e1",
    endEntry: "e3",
    analyzer: "built-in",
  };
}

function hit(entry: string, node?: string, kind = "message"): Hit {
  return {
    kind,
    score: 1,
    entry,
    session: "s1",
    node: node ?? null,
    project: "/home/me/shop",
    time: "2026-11-16T09:01:00Z",
    snippet: entry,
    pieces: [{ text: entry, isHit: true }],
    role: kind === "message" ? "user" : null,
    work: node === undefined ? null : work(node),
  };
}

test("hits of one unit of work stand together, where the best of them was", () => {
  const groups = byWork([hit("a", "n1"), hit("b", "n2"), hit("c", "n1"), hit("d", "n1", "node")]);
  expect(groups.map(({ key, messages }) => [key, messages.map(({ entry }) => entry)])).toEqual([
    ["n1", ["a", "c"]],
    ["n2", ["b"]],
  ]);
  expect(groups[0]?.own?.entry).toBe("d");
  expect(groups[0]?.work?.summary).toBe("Work n1");
});

test("what belongs to no unit of work yet stands alone", () => {
  const groups = byWork([hit("a"), hit("b")]);
  expect(groups.map(({ work, time }) => [work, time])).toEqual([
    [undefined, "2026-11-16T09:01:00Z"],
    [undefined, "2026-11-16T09:01:00Z"],
  ]);
});
