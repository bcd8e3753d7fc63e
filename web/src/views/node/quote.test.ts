import { expect, test } from "vitest";

import { quoteOf } from "./quote";

const message = (message: object): object => ({ type: "message", id: "e1", message });

test.each([
  [message({ role: "user", content: "Why?" }), { who: "You", text: "Why?" }],
  [
    message({
      role: "assistant",
      content: [{ type: "toolCall", id: "c", name: "bash", arguments: { command: "ls" } }],
    }),
    { who: "Model", text: 'bash {"command":"ls"}' },
  ],
  [
    message({
      role: "toolResult",
      toolName: "edit",
      isError: true,
      content: [{ type: "text", text: "no match" }],
    }),
    { who: "edit failed", text: "no match" },
  ],
  [
    { type: "compaction", id: "e2", summary: "All so far" },
    { who: "Compaction", text: "All so far" },
  ],
  [null, { who: "", text: "" }],
])("%j", (entry, quote) => {
  expect(quoteOf(entry)).toEqual(quote);
});

test("long texts are cut, and tricks are shown", () => {
  const { text } = quoteOf(message({ role: "user", content: `\u202eabc${"x".repeat(5000)}` }));
  expect(text.startsWith("\ufffdabc")).toBe(true);
  expect(text.length).toBe(701);
});
