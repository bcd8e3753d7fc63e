import { expect, test } from "vitest";

import { canCut, charactersBefore, isRestOf, isTextOnly, partsOf, saying, wholeText } from "./message";

const said = (...content: unknown[]): unknown => ({ role: "assistant", content });

test("every kind of block is shown as what it is", () => {
  const message = said(
    { type: "thinking", thinking: "hm" },
    { type: "text", text: "Yes." },
    { type: "tool-use", id: "c", name: "read", parameters: { path: "/a" } },
    { type: "shell", command: "ls", output: "a\nb", exitCode: 2 },
    { type: "compaction", summary: "before" },
    { type: "custom", customType: "x", content: [{ type: "text", text: "from an extension" }] },
    { type: "image", mimeType: "image/png", sha256: "00" },
    { type: "hologram", depth: 3 },
  );
  expect(partsOf(message)).toEqual([
    { kind: "thinking", text: "hm" },
    { kind: "text", text: "Yes." },
    { kind: "call", name: "read", parameters: '{\n  "path": "/a"\n}' },
    { kind: "shell", command: "ls", output: "a\nb", isBad: true },
    { kind: "summary", title: "Compaction", text: "before" },
    { kind: "text", text: "from an extension" },
    { kind: "note", text: "An image (image/png)" },
    { kind: "other", type: "hologram", json: '{\n  "type": "hologram",\n  "depth": 3\n}' },
  ]);
});

test("what is no message says nothing and breaks nothing", () => {
  for (const odd of [null, 7, "text", [], { content: "text" }, { content: [null, 3] }]) {
    expect(() => partsOf(odd)).not.toThrow();
    expect(isTextOnly(odd)).toBe(false);
  }
});

test("only text can be edited and cut", () => {
  const text = { type: "text", text: "a" };
  expect(isTextOnly(said(text, { type: "text", text: "b" }))).toBe(true);
  expect(wholeText(said(text, { type: "text", text: "b" }))).toBe("ab");
  expect(isTextOnly(said(text, { type: "tool-use", id: "c", name: "x", parameters: {} }))).toBe(false);
  expect(isTextOnly({ role: "tool", content: [text] })).toBe(false);
});

test("a caret is counted in characters, as the daemon counts", () => {
  expect(charactersBefore("abc", 2)).toBe(2);
  expect(charactersBefore("a🌳b", 3)).toBe(2);
  expect(charactersBefore("ä👩‍🚀", "ä👩‍🚀".length)).toBe(4);
});

test("a cut leaves something on both sides", () => {
  expect(canCut("ab", 1)).toBe(true);
  expect(canCut("ab", 0)).toBe(false);
  expect(canCut("ab", 2)).toBe(false);
  expect(canCut("  ab", 2)).toBe(false);
});

test("what is appended has the shape that trees have", () => {
  expect(saying("user", "Hi")).toEqual({ role: "user", content: [{ type: "text", text: "Hi" }] });
});

test("what was cut off goes on with the half before it", () => {
  const half = { message: said(), splitSource: "root-1/node-2" };
  expect(isRestOf(said(), half)).toBe(true);
  expect(isRestOf({ role: "user", content: [] }, half)).toBe(false);
  expect(isRestOf(said(), { message: said(), splitSource: null })).toBe(false);
  expect(isRestOf(said(), undefined)).toBe(false);
});
