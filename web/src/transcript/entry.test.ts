import { expect, test } from "vitest";

import { readEntry } from "./entry";

function message(fields: object): unknown {
  return { type: "message", id: "a", timestamp: "2026-01-01T00:00:00.000Z", message: fields };
}

test("an answer has its blocks, its model and what it took", () => {
  const entry = readEntry(
    message({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "yes" },
        { type: "toolCall", id: "c", name: "bash", arguments: { command: "ls" } },
      ],
      provider: "p",
      model: "m",
      usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: { total: 0.5 } },
      stopReason: "toolUse",
      durationMs: 1200,
    }),
  );
  expect(entry).toMatchObject({
    kind: "assistant",
    id: "a",
    time: Date.UTC(2026, 0, 1),
    model: "m",
    usage: { total: 10, cost: 0.5 },
    error: null,
    milliseconds: 1200,
  });
  expect(entry.kind === "assistant" && entry.blocks.map(({ kind }) => kind)).toEqual([
    "thinking",
    "text",
    "toolCall",
  ]);
});

test.each([
  [
    { type: "compaction", summary: "s", tokensBefore: 7 },
    { kind: "compaction", tokensBefore: 7 },
  ],
  [
    { type: "branch_summary", summary: "s", fromId: "x" },
    { kind: "branchSummary", from: "x" },
  ],
  [
    { type: "model_change", provider: "p", modelId: "m" },
    { kind: "modelChange", model: "m" },
  ],
  [
    { type: "thinking_level_change", thinkingLevel: "high" },
    { kind: "thinkingLevelChange", level: "high" },
  ],
  [
    { type: "label", targetId: "t", label: "" },
    { kind: "label", target: "t", label: null },
  ],
  [
    { type: "session_info", name: "n" },
    { kind: "sessionInfo", name: "n" },
  ],
  [
    { type: "custom", customType: "c", data: 1 },
    { kind: "custom", data: 1 },
  ],
  [{ type: "custom_message", customType: "c", content: "x", display: false }, { isShown: false }],
  [
    { type: "usage", kind: "cache_warm", usage: { totalTokens: 9 } },
    { kind: "usage", about: "cache_warm" },
  ],
  [
    { type: "context_edit", targetId: "t", replacement: null },
    { kind: "contextEdit", replacement: null },
  ],
  [message({ role: "system", content: "s", toolsAdded: [{ name: "bash" }, 7] }), { tools: ["bash"] }],
  [
    message({ role: "system", content: "", sections: { rules: "be kind", old: null } }),
    { blocks: [{ text: "# rules\nbe kind" }, { text: "# old\n(taken away)" }] },
  ],
  [message({ role: "bashExecution", command: "c", exitCode: 2 }), { kind: "bash", exitCode: 2 }],
  [message({ role: "hookMessage", customType: "h", content: "x" }), { kind: "customMessage", isShown: true }],
  [message({ role: "toolResult", toolCallId: "c", content: [], isError: true }), { isError: true }],
  [message({ role: "of a host" }), { kind: "unknown", type: "message of of a host" }],
  [{ type: "invented" }, { kind: "unknown", type: "invented" }],
])("%j is read as what it is", (raw, expected) => {
  expect(readEntry(raw)).toMatchObject(expected);
});

test("nothing that stands in a file makes reading fail", () => {
  const values = [null, undefined, 0, "", "text", [], {}, { type: 1 }, { __proto__: null }, [[]], NaN];
  const types = [
    "message",
    "compaction",
    "label",
    "usage",
    "context_edit",
    "custom_message",
    "custom",
    "__proto__",
  ];
  const roles = ["user", "assistant", "toolResult", "bashExecution", "system", "custom", "constructor"];
  for (const value of values) {
    expect(readEntry(value).kind).toBe("unknown");
    for (const type of types) {
      const whole = { type, id: value, timestamp: value, message: value, content: value, usage: value };
      expect(readEntry({ ...whole, replacement: value, targetId: value }).id).toBe(
        typeof value === "string" ? value : null,
      );
    }
    for (const role of roles)
      expect(() => readEntry(message({ role, content: value, usage: value, details: value }))).not.toThrow();
    expect(() => readEntry(message({ role: "assistant", content: [value, { type: value }] }))).not.toThrow();
  }
});

test("an image is shown only if all of it is in the file and it is made of pixels", () => {
  const image = (mimeType: unknown, data: unknown): unknown => {
    const entry = readEntry(message({ role: "user", content: [{ type: "image", mimeType, data }] }));
    const [block] = entry.kind === "user" ? entry.blocks : [];
    return block?.kind === "image" ? block.source : undefined;
  };
  expect(image("image/png", "iVBORw0=")).toBe("data:image/png;base64,iVBORw0=");
  expect(image("image/svg+xml", "PHN2Zz4=")).toBeNull();
  expect(image('image/png" onerror="x', "AAAA")).toBeNull();
  expect(image("image/png", 'AAAA" onerror="x')).toBeNull();
  expect(image("image/png", "https://example.invalid/x.png")).toBeNull();
  expect(image("text/html", "AAAA")).toBeNull();
  expect(image(null, null)).toBeNull();
});
