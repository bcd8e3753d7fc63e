import { expect, test } from "vitest";

import { blocksOf, callsOf, type ToolCall } from "./blocks";
import { cut } from "./cut";
import { readEntry, type ToolResult } from "./entry";
import { gistOf, lengthOf, titleOf, viewOf } from "./tools";

function call(name: string, args: unknown): ToolCall {
  const [made] = callsOf(blocksOf([{ type: "toolCall", id: "c", name, arguments: args }]));
  if (made === undefined) throw new Error("no call");
  return made;
}

function result(text: string, more: object = {}): ToolResult {
  const content = [{ type: "text", text }];
  const entry = readEntry({ type: "message", message: { role: "toolResult", content, ...more } });
  if (entry.kind !== "toolResult") throw new Error("no result");
  return entry;
}

test.each([
  ["bash", { command: "ls\n-la" }, "ls -la"],
  ["read", { path: "src/a.ts", offset: 10, limit: 5 }, "src/a.ts:10–14"],
  ["read", { path: "src/a.ts", offset: 10 }, "src/a.ts:10"],
  ["grep", { pattern: "x+", path: "src" }, "x+ in src"],
  ["mcp__brain__recall", { query: "why" }, "why"],
  ["unknown", { a: 1 }, '{ "a": 1 }'],
  ["edit", null, "{}"],
])("%s of %j is called %j", (name, args, title) => {
  expect(titleOf(call(name, args))).toBe(title);
});

test("an edit is what the tool says it changed, or what it was asked to", () => {
  const asked = call("edit", {
    path: "x",
    edits: [
      { oldText: "a", newText: "b" },
      { oldText: "c", newText: "" },
    ],
  });
  const noted = viewOf(asked, result("done", { details: { diff: "-7 old\n+7 new" } }));
  expect(noted.kind === "edit" && noted.lines.map(({ number, text }) => [number, text])).toEqual([
    [7, "old"],
    [7, "new"],
  ]);
  const wanted = viewOf(asked, result("done"));
  expect(wanted.kind === "edit" && wanted.lines.map(({ sign, text }) => sign + text)).toEqual([
    "-a",
    "+b",
    "…",
    "-c",
  ]);
  expect(gistOf(wanted, result("done"))).toBe("+1 −2");
  const old = viewOf(call("edit", { path: "x", oldText: "a", newText: "b" }), undefined);
  expect(old.kind === "edit" && old.lines).toHaveLength(2);
});

test("tools are shown as what they are, and unknown ones by name and arguments", () => {
  expect(viewOf(call("bash", { command: "ls" }), result("a\nb\n"))).toEqual({
    kind: "shell",
    command: "ls",
    output: "a\nb\n",
  });
  expect(viewOf(call("read", { path: "src/main.rs" }), result("fn"))).toMatchObject({ language: "rs" });
  expect(viewOf(call("write", { path: "Dockerfile", content: "FROM x" }), result("ok"))).toMatchObject({
    text: "FROM x",
    language: "dockerfile",
  });
  expect(viewOf(call("__proto__", { x: 1 }), undefined)).toMatchObject({ kind: "other", output: "" });
  expect(gistOf(viewOf(call("bash", {}), undefined), undefined)).toBe("no result");
});

test("lines are counted as people count them", () => {
  expect([lengthOf(""), lengthOf("(no output)"), lengthOf("a"), lengthOf("a\n"), lengthOf("a\nb")]).toEqual([
    "empty",
    "empty",
    "1 line",
    "1 line",
    "2 lines",
  ]);
});

test("what is long is cut in its middle, never inside a character, and nothing is miscounted", () => {
  expect(cut("short", 100)).toEqual({ head: "short", tail: "", left: 0 });
  const one = "😀".repeat(10_000);
  const { head, tail, left } = cut(one, 1001);
  expect(head + tail).toMatch(/^(?:😀)+$/u);
  expect(head.length + tail.length + left).toBe(one.length);
  const lines = Array.from({ length: 1000 }, (_, at) => `line ${at}`).join("\n");
  const parts = cut(lines, 1000);
  expect(parts.head.endsWith("\n")).toBe(true);
  expect(parts.tail.startsWith("line ")).toBe(true);
});
