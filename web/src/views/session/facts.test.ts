import { expect, test } from "vitest";

import { exportLink, lastedFor } from "./facts";

test("how long a session went on", () => {
  const began = "2026-11-01T09:00:00.000Z";
  expect(lastedFor(began, "2026-11-01T09:00:20.000Z")).toBe("");
  expect(lastedFor(began, "2026-11-01T10:05:00.000Z")).toBe(", over 1 h 5 min");
  expect(lastedFor(began, "2026-11-05T10:05:00.000Z")).toBe(", over 4 days");
  expect(lastedFor(null, began)).toBe("");
});

test("a link to a file says which branch, and keeps odd names in one piece", () => {
  const detail = { id: "a b", path: "/home/x&y/é.jsonl" };
  expect(exportLink(detail, "markdown", "leaf1")).toBe(
    "/api/v1/sessions/a%20b/export?format=markdown&file=%2Fhome%2Fx%26y%2F%C3%A9.jsonl&leaf=leaf1",
  );
  expect(exportLink(detail, "html", null, true)).toContain("&redact=true");
});
