import { expect, test } from "vitest";

import { proofOf } from "./proof";

const node = {
  content: { summary: "Did it", keyDecisions: [{ what: "Use SQLite", why: "one file" }] },
  lessons: { tool: [{ summary: "edit wants the exact text" }] },
  ext: {
    evidence: {
      "content.keyDecisions[0]": ["a1", "a2"],
      "lessons.tool.0": ["b1"],
      "content.nothing[3]": ["c1"],
      "content.summary": [],
    },
  },
};

test("a statement leads to the entry in which it was said", () => {
  expect(proofOf(node, ["Use SQLite"])).toBe("a1");
  expect(proofOf(node, ["never said", "edit wants the exact text"])).toBe("b1");
});

test("what nobody noted has no proof", () => {
  expect(proofOf(node, ["Did it"])).toBeUndefined();
  expect(proofOf(node, ["something else"])).toBeUndefined();
  expect(proofOf({}, ["Use SQLite"])).toBeUndefined();
  expect(proofOf({ ext: null }, [])).toBeUndefined();
});
