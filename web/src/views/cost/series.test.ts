import { expect, test } from "vitest";

import { addDays, daysBetween, isDay, mondayOf, weekday } from "./dates";
import {
  before,
  buckets,
  change,
  type DayRow,
  levels,
  parts,
  rangeOf,
  stepFor,
  ticks,
  totals,
  within,
} from "./series";

const spent = (cost: number) => ({
  answers: 1,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: cost * 100,
  cost,
});

/** A day on which money was spent on two projects. */
function row(day: string, shop: number, ledger: number): DayRow {
  return {
    day,
    ...spent(shop + ledger),
    answers: shop + ledger > 0 ? 2 : 0,
    activeMinutes: shop,
    sessions: 1,
    nodes: ledger,
    parts: { "/shop": spent(shop), "/ledger": spent(ledger) },
  };
}

const rows = Array.from({ length: 20 }, (_, at) =>
  row(addDays("2026-10-30", at), at < 3 ? 0 : at, at < 3 ? 0 : 1),
);

test("days are counted over months, leap years and changed clocks", () => {
  expect(addDays("2026-10-31", 1)).toBe("2026-11-01");
  expect(addDays("2028-02-28", 1)).toBe("2028-02-29");
  expect(daysBetween("2026-03-28", "2026-03-30")).toBe(2);
  expect([weekday("2026-11-16"), weekday("2026-11-22")]).toEqual([0, 6]);
  expect(mondayOf("2026-11-18")).toBe("2026-11-16");
  expect([isDay("2026-02-30"), isDay("yesterday"), isDay(null)]).toEqual([true, false, false]);
});

test("ranges end today, or where somebody said", () => {
  const none = { from: null, to: null };
  expect(rangeOf("30d", "2026-11-18", none)).toEqual({ from: "2026-10-20", to: "2026-11-18" });
  expect(rangeOf("all", "2026-11-18", none)).toBeUndefined();
  const own = { from: "2026-11-01", to: "2026-11-05" };
  expect(rangeOf("own", "2026-11-18", own)).toEqual(own);
  expect(rangeOf("own", "2026-11-18", { from: "2026-12-01", to: "nonsense" })).toEqual({
    from: "2026-10-20",
    to: "2026-11-18",
  });
});

test("everything begins with the first day on which something was done", () => {
  expect(within(rows, undefined)[0]?.day).toBe("2026-11-02");
  expect(within(rows, { from: "2026-11-05", to: "2026-11-06" })).toHaveLength(2);
  expect(within([], undefined)).toEqual([]);
});

test("a range is compared with as many days before it", () => {
  const range = { from: "2026-11-10", to: "2026-11-14" };
  expect(before(rows, range)?.map(({ day }) => day)).toEqual([
    "2026-11-05",
    "2026-11-06",
    "2026-11-07",
    "2026-11-08",
    "2026-11-09",
  ]);
  expect(before(rows, { from: "2026-10-31", to: "2026-11-14" })).toBeUndefined();
  expect(before(rows, undefined)).toBeUndefined();
  expect(totals(within(rows, range))).toMatchObject({ cost: 11 + 12 + 13 + 14 + 15 + 5, time: 65, nodes: 5 });
  expect(change(15, 10)).toBeCloseTo(0.5);
  expect(change(15, 0)).toBeUndefined();
});

test("bars stand for days, weeks or months, and lose nothing", () => {
  expect([stepFor(30), stepFor(365), stepFor(3000)]).toEqual(["day", "week", "month"]);
  const sum = totals(rows).cost;
  for (const step of ["day", "week", "month"] as const) {
    const made = buckets(rows, "cost", step);
    expect(made.reduce((all, { value }) => all + value, 0)).toBeCloseTo(sum);
    const shares = made.flatMap(({ parts }) => [...parts.values()]);
    expect(shares.reduce((all, part) => all + part, 0)).toBeCloseTo(sum);
  }
  expect(buckets(rows, "cost", "month").map(({ from, to }) => [from, to])).toEqual([
    ["2026-10-30", "2026-10-31"],
    ["2026-11-01", "2026-11-18"],
  ]);
  expect(buckets(rows, "time", "month")[0]?.parts.size).toBe(0);
});

test("what was spent on each is added up, the dearest first", () => {
  const [first, second] = parts(rows);
  expect([first?.name, second?.name]).toEqual(["/shop", "/ledger"]);
  expect(second).toMatchObject({ cost: 17, tokens: 1700 });
});

test("an axis has round numbers up to the most", () => {
  expect(ticks(0)).toEqual([0, 1]);
  expect(ticks(10)).toEqual([0, 2.5, 5, 7.5, 10]);
  expect(ticks(93).at(-1)).toBeGreaterThanOrEqual(93);
  expect(ticks(0.3).at(-1)).toBeGreaterThanOrEqual(0.3);
});

test("squares are as strong as is usual for them", () => {
  expect(levels([0, 0, 0])).toEqual([0, 0, 0]);
  expect(levels([0, 1, 2, 3, 4, 5, 6, 7, 8])).toEqual([0, 1, 1, 2, 2, 3, 3, 4, 4]);
  expect(levels([0, 5, 5, 5])).toEqual([0, 1, 1, 1]);
});
