import { expect, test } from "vitest";

import type { TreeRow } from "../tree/rows";
import { blocksOf } from "./blocks";
import { passageOf, passagesOf } from "./passages";
import { pairUp } from "./results";
import { EntriesInMemory } from "./source";

/** Rows by a letter each: u(ser), a(ssistant), t(ool result), l(abel). */
function path(letters: string): TreeRow[] {
  const roles: Record<string, string> = { u: "user", a: "assistant", t: "toolResult" };
  return Array.from(letters, (letter, at) => ({
    line: at + 1,
    type: letter === "l" ? "label" : "message",
    role: roles[letter] ?? null,
    text: letter,
    isLeaf: false,
  }));
}

function written(letters: string): string {
  return passagesOf(path(letters))
    .map(
      ({ row, results, isContinued }) => `${isContinued ? "+" : ""}${row.text}${"t".repeat(results.length)}`,
    )
    .join(" ");
}

test("results stand with the answer that called for them", () => {
  expect(written("uattua")).toBe("u att u a");
  expect(written("uatata")).toBe("u at +at +a");
  expect(written("ualtt")).toBe("u att l");
  expect(written("utt")).toBe("u t t");
  expect(passageOf(passagesOf(path("uattua")), 4)).toBe(1);
  expect(passageOf(passagesOf(path("uattua")), 99)).toBe(-1);
});

test("results are paired with calls by their ids, and strays are kept", () => {
  const call = (id: string): object => ({ type: "toolCall", id, name: "bash", arguments: {} });
  const blocks = blocksOf([{ type: "text", text: "x" }, call("one"), call("two"), call("__proto__")]);
  const result = (toolCallId: string): unknown => ({
    type: "message",
    message: { role: "toolResult", toolCallId, toolName: "bash", content: [] },
  });
  const source = new EntriesInMemory(
    new Map([
      [2, result("two")],
      [3, result("one")],
      [4, result("nobody's")],
    ]),
  );
  const { of, strays } = pairUp(blocks, path("utttt").slice(1, 4), source);
  expect([...of].map(([at, { row }]) => [at, row.line])).toEqual([
    [2, 2],
    [1, 3],
  ]);
  expect(strays.map(({ row }) => row.line)).toEqual([4]);
});

test("results that are on their way stand where they will be", () => {
  const blocks = blocksOf([{ type: "toolCall", id: "one", name: "bash", arguments: {} }]);
  const coming = { at: () => ({ kind: "coming" as const }), want: () => undefined };
  expect(pairUp(blocks, path("t"), coming).of.get(0)?.held.kind).toBe("coming");
});
