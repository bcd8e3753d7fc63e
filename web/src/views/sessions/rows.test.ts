import { expect, test } from "vitest";

import type { SessionRow } from "../../api/types";
import { isLive, latestOf, merged, sortNamed, titleOf } from "./rows";

function row(file: string, more: Partial<SessionRow> = {}): SessionRow {
  return {
    id: `id of ${file}`,
    file,
    name: null,
    project: "/home/dev/shop",
    parentSession: null,
    created: "2026-11-01T09:00:00.000Z",
    lastActive: null,
    written: "2026-11-01T10:00:00.000Z",
    computer: "here",
    size: 100,
    digest: null,
    ...more,
  };
}

test("a session is called by its name, then by its first words, and never by its id", () => {
  expect(titleOf({ name: "Orders", firstWords: "why is" })).toBe("Orders");
  expect(titleOf({ name: " ", firstWords: "why is" })).toBe("why is");
  expect(titleOf({ name: null, firstWords: null })).toBe("Nothing was said yet");
});

test("a session that was written to a moment ago goes on", () => {
  const now = Date.parse("2026-11-01T10:04:00.000Z");
  expect(isLive(row("a"), now)).toBe(true);
  expect(isLive(row("a", { written: "2026-11-01T09:55:00.000Z" }), now)).toBe(false);
  expect(isLive(row("a", { written: "2027-11-01T09:55:00.000Z" }), now)).toBe(false);
});

test("the latest of what is known counts", () => {
  expect(latestOf(row("a"))).toBe("2026-11-01T09:00:00.000Z");
  expect(latestOf(row("a", { lastActive: "2026-11-02T09:00:00.000Z" }))).toBe("2026-11-02T09:00:00.000Z");
});

test("a newer beginning stands before the rest, and nothing is there twice or lost", () => {
  const old = ["a", "b", "c", "d"].map((file) => row(file));
  const files = (rows: SessionRow[]): string => rows.map(({ file }) => file).join("");
  expect(files(merged(old, [row("x"), row("a")]))).toBe("xabcd");
  expect(files(merged(old, [row("d"), row("a"), row("b")]))).toBe("dabc");
  expect(files(merged([], [row("a")]))).toBe("a");
});

test("an unknown order is the usual one", () => {
  expect(sortNamed("cost")).toBe("cost");
  expect(sortNamed("nonsense")).toBe("latest");
  expect(sortNamed(null)).toBe("latest");
});
