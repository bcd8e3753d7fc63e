import { expect, test } from "vitest";

import { because, differences, sayValue } from "./diff";

test("changes are said in words", () => {
  const said = differences([
    { path: "content.outcome", type: "changed", oldValue: "success", newValue: "partial" },
    {
      path: "content.keyDecisions[1]",
      type: "added",
      newValue: { what: "Use SQLite", why: "one file", alternativesConsidered: [] },
    },
    { path: "lessons.tool[0]", type: "removed", oldValue: { summary: "Run tests with -q", tags: [] } },
    { path: "semantic.tags[3]", type: "added", newValue: "jwt" },
    { path: "something.new", type: "changed", oldValue: true, newValue: 2.001 },
  ]);
  expect(said).toEqual([
    { kind: "changed", about: "Outcome", before: "success", after: "partial" },
    { kind: "added", about: "Decision", before: undefined, after: "Use SQLite, because one file" },
    { kind: "removed", about: "Lesson about the tool", before: "Run tests with -q", after: undefined },
    { kind: "added", about: "Tag", before: undefined, after: "jwt" },
    { kind: "changed", about: "something.new", before: "yes", after: "2" },
  ]);
});

test("what only follows from the rest is left out", () => {
  expect(
    differences([
      { path: 'ext.evidence["content.outcome"][0]', type: "added", newValue: "e1" },
      { path: "ext.trigger", type: "changed", oldValue: "initial", newValue: "user_feedback" },
      { path: "ext.feedback[0]", type: "added", newValue: { path: "content.outcome", value: "partial" } },
    ]),
  ).toEqual([]);
});

test.each([
  [null, "nothing"],
  [[], "nothing"],
  [["a", "b"], "a, b"],
  [{ type: "TypeError", message: "x is not a function", resolved: true }, "TypeError: x is not a function"],
  [{ tool: "bash", errorType: "exit code 1", model: "a/b" }, "bash: exit code 1"],
  [{ provider: "anthropic", model: "opus" }, "opus"],
  [{ deep: { x: 1 } }, '{"deep":{"x":1}}'],
])("%j is said as %s", (value, text) => {
  expect(sayValue(value)).toBe(text);
});

test("an unknown reason stands for itself", () => {
  expect(because("user_feedback")).toBe("you corrected it");
  expect(because("moonlight")).toBe("moonlight");
});
