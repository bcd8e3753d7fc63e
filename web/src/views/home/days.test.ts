import { expect, test } from "vitest";

import { byDay, dayName } from "./days";

/** A Wednesday. */
const NOW = new Date("2026-11-18T10:00").getTime();

test.each([
  ["2026-11-18", "Today"],
  ["2026-11-17", "Yesterday"],
  ["2026-11-16", "Monday"],
  ["2026-11-13", "Friday"],
  ["2026-11-11", "11 November"],
  ["2026-03-01", "1 March"],
  ["2025-12-31", "31 December 2025"],
])("%s is %s", (key, name) => {
  expect(dayName(key, NOW)).toBe(name);
});

test("what happened on one day stands together, in its order", () => {
  const items = ["2026-11-18T09:00", "2026-11-18T00:01", "2026-11-17T23:59"].map((started) => ({ started }));
  expect(byDay(items, NOW).map(({ title, items }) => [title, items.length])).toEqual([
    ["Today", 2],
    ["Yesterday", 1],
  ]);
  expect(byDay([], NOW)).toEqual([]);
});
