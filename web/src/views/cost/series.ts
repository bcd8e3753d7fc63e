/** What was done and spent, put together for tables and charts. */

import type { Answer } from "../../api/client";
import { addDays, daysBetween, isDay, mondayOf } from "./dates";

export type DayRow = Answer<"get", "/api/v1/timeseries">[number];

/** What can be looked at. */
export type Measure = "cost" | "tokens" | "time" | "nodes";

export type RangeName = "30d" | "90d" | "year" | "all" | "own";

/** From one day to another, both among them. */
export interface Range {
  readonly from: string;
  readonly to: string;
}

const LENGTHS: Partial<Record<RangeName, number>> = { "30d": 30, "90d": 90, year: 365 };

export function rangeOf(
  name: RangeName,
  today: string,
  own: { from: string | null; to: string | null },
): Range | undefined {
  const length = LENGTHS[name];
  if (length !== undefined) return { from: addDays(today, 1 - length), to: today };
  if (name === "all") return undefined;
  const to = isDay(own.to) && own.to <= today ? own.to : today;
  const from = isDay(own.from) && own.from <= to ? own.from : addDays(to, -29);
  return { from, to };
}

/** The rows of a range; of everything, from the first day on which something was done. */
export function within(rows: readonly DayRow[], range: Range | undefined): readonly DayRow[] {
  if (range !== undefined) return rows.filter(({ day }) => day >= range.from && day <= range.to);
  const first = rows.findIndex((row) => row.answers > 0 || row.nodes > 0);
  return first === -1 ? [] : rows.slice(first);
}

/** The same number of days before a range; none if the rows do not go back so far. */
export function before(rows: readonly DayRow[], range: Range | undefined): readonly DayRow[] | undefined {
  if (range === undefined) return undefined;
  const length = daysBetween(range.from, range.to) + 1;
  const [from, to] = [addDays(range.from, -length), addDays(range.from, -1)];
  return rows[0] === undefined || rows[0].day > from ? undefined : within(rows, { from, to });
}

export interface Totals {
  readonly cost: number;
  readonly tokens: number;
  readonly time: number;
  readonly sessions: number;
  readonly nodes: number;
}

/** Adds days up. A session of several days counts on each of them, so sessions are those of a day on average. */
export function totals(rows: readonly DayRow[]): Totals {
  const sum = (of: (row: DayRow) => number): number => rows.reduce((all, row) => all + of(row), 0);
  return {
    cost: sum(({ cost }) => cost),
    tokens: sum(({ totalTokens }) => totalTokens),
    time: sum(({ activeMinutes }) => activeMinutes),
    sessions: sum(({ sessions }) => sessions),
    nodes: sum(({ nodes }) => nodes),
  };
}

/** What changed against before, as a share; unknown if there was nothing before. */
export function change(now: number, then: number | undefined): number | undefined {
  return then === undefined || then === 0 ? undefined : (now - then) / then;
}

/** A day, a week or a month. */
export interface Bucket {
  readonly from: string;
  readonly to: string;
  readonly value: number;
  readonly parts: ReadonlyMap<string, number>;
}

export type Step = "day" | "week" | "month";

/** How much time one bar stands for, so that there are not too many to tell apart. */
export function stepFor(days: number): Step {
  return days <= 92 ? "day" : days <= 750 ? "week" : "month";
}

export function buckets(rows: readonly DayRow[], measure: Measure, step: Step): Bucket[] {
  const found = new Map<string, { from: string; to: string; value: number; parts: Map<string, number> }>();
  for (const row of rows) {
    const key = step === "day" ? row.day : step === "week" ? mondayOf(row.day) : row.day.slice(0, 7);
    const bucket = found.get(key) ?? {
      from: row.day,
      to: row.day,
      value: 0,
      parts: new Map<string, number>(),
    };
    found.set(key, bucket);
    bucket.to = row.day;
    bucket.value += valueOf(row, measure);
    for (const [name, part] of partsOf(row, measure)) {
      bucket.parts.set(name, (bucket.parts.get(name) ?? 0) + part);
    }
  }
  return [...found.values()];
}

function valueOf(row: DayRow, measure: Measure): number {
  switch (measure) {
    case "cost":
      return row.cost;
    case "tokens":
      return row.totalTokens;
    case "time":
      return row.activeMinutes;
    case "nodes":
      return row.nodes;
  }
}

function partsOf(row: DayRow, measure: Measure): [string, number][] {
  if (measure === "time" || measure === "nodes") return [];
  return Object.entries(row.parts ?? {}).map(([name, spent]) => [
    name,
    measure === "cost" ? spent.cost : spent.totalTokens,
  ]);
}

/** What was spent on a project or a model. */
export interface Part {
  readonly name: string;
  readonly cost: number;
  readonly tokens: number;
  readonly answers: number;
}

/** Adds up what was spent on each, the dearest first. */
export function parts(rows: readonly DayRow[]): Part[] {
  const found = new Map<string, { name: string; cost: number; tokens: number; answers: number }>();
  for (const row of rows) {
    for (const [name, spent] of Object.entries(row.parts ?? {})) {
      const part = found.get(name) ?? { name, cost: 0, tokens: 0, answers: 0 };
      found.set(name, part);
      part.cost += spent.cost;
      part.tokens += spent.totalTokens;
      part.answers += spent.answers;
    }
  }
  return [...found.values()].sort(
    (a, b) => b.cost - a.cost || b.tokens - a.tokens || a.name.localeCompare(b.name),
  );
}

/** Steps of an axis: round numbers from 0 to at least the most. */
export function ticks(most: number, wanted = 4): number[] {
  if (most <= 0) return [0, 1];
  const rough = most / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((times) => times * power >= rough) ?? 10) * power;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}

/** How strong a square of a heatmap is: 0 for nothing, then four steps of what is usual. */
export function levels(values: readonly number[]): number[] {
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b);
  const bound = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Infinity;
  const bounds = [bound(0.25), bound(0.5), bound(0.75)];
  return values.map((value) =>
    value <= 0 ? 0 : 1 + bounds.filter((least) => value >= least && least > (sorted[0] ?? 0)).length,
  );
}
