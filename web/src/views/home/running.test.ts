import { expect, test } from "vitest";

import { currentWork, type Status } from "./running";

type Analysis = NonNullable<Status["analysis"]>;

type Doing = Pick<Status, "activity" | "analysis">;

function status(activity: Status["activity"], queue?: Partial<Analysis["queue"]>): Doing {
  if (queue === undefined) return { activity, analysis: null };
  const analysis: Analysis = {
    by: "pi",
    done: 0,
    failed: 0,
    prompts: "1",
    left: { tokens: 1 },
    queue: { dead: 0, running: 0, waiting: 0, ...queue },
    today: { dollars: 0, failed: 0, runs: 0, tokensIn: 0, tokensOut: 0 },
  };
  return { activity, analysis };
}

function texts(of: Doing): string[] {
  return currentWork(of).map(({ text }) => text);
}

test("a daemon that waits does nothing", () => {
  expect(currentWork(status({ kind: "idle" }))).toEqual([]);
  expect(currentWork(status({ kind: "idle" }, {}))).toEqual([]);
});

test("it is said how far an ingest is", () => {
  expect(currentWork(status({ kind: "reading", done: 250, total: 1000 }))).toEqual([
    { text: "Reading sessions: 250 of 1,000", done: 0.25 },
  ]);
  expect(currentWork(status({ kind: "indexing", done: 0, total: 0 }))).toEqual([
    { text: "Making them searchable", done: undefined },
  ]);
});

test("what models have to do is told beside it", () => {
  expect(texts(status({ kind: "looking" }, { running: 1, waiting: 12 }))).toEqual([
    "Looking for new sessions",
    "A model reads 1 unit of work, 12 waiting",
  ]);
  expect(texts(status({ kind: "idle" }, { waiting: 2 }))).toEqual(["2 units of work waiting for a model"]);
});
