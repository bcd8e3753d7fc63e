import { expect, test } from "vitest";

import { agentsMd, inline } from "./agents-md";

test("lessons stand under what they are about, between marks", () => {
  const block = agentsMd([
    { level: "tool", summary: "edit wants the exact text", actionable: "Read the file first", count: 3 },
    { level: "project", summary: "Tests need a database", count: 1 },
    { level: "tool", summary: "grep takes a regex", actionable: "  ", count: 1 },
  ]);
  expect(block).toBe(`<!-- pi-brain lessons: begin -->
## Lessons

### tool

- edit wants the exact text → Read the file first (3×)
- grep takes a regex

### project

- Tests need a database
<!-- pi-brain lessons: end -->
`);
});

test("nothing that was said ends the block or becomes a mark", () => {
  for (const [said, written] of [
    ["--> <!-- x", String.raw`\--&gt; &lt;\!-- x`],
    ["# not a heading\n- nor a list", String.raw`\# not a heading - nor a list`],
    ["1. first", String.raw`1\. first`],
    ["`code` *and* [link](x)", "\\`code\\` \\*and\\* \\[link\\](x)"],
    ["\u001b[31mred\u001b[0m \u202Ereversed", "red reversed"],
  ] as const) {
    expect(inline(said)).toBe(written);
  }
});
