import { expect, test } from "vitest";

import type { Job } from "./types";
import { activityWords, jobState, progressOf, refreshWords } from "./words";

test("what it is doing is said with how far it is", () => {
  expect(activityWords({ kind: "idle" })).toBe("Nothing to do");
  const reading = { kind: "reading", done: 500_000, total: 2_000_000 } as const;
  expect(activityWords(reading)).toBe("Reading sessions: 500 KB of 2.0 MB");
  expect(progressOf(reading)).toBe(0.25);
  expect(progressOf({ kind: "deriving", done: 9, total: 3 })).toBe(1);
  expect(progressOf({ kind: "reading", done: 0, total: 0 })).toBeUndefined();
  expect(progressOf({ kind: "idle" })).toBeUndefined();
});

test("a look that found nothing says so", () => {
  const last = { at: "2026-11-16T09:00:00Z", milliseconds: 3, files: 0, entries: 0, nodes: 0 };
  expect(refreshWords(last)).toBe("nothing new, 3 ms");
  expect(refreshWords({ ...last, files: 1, entries: 2, nodes: 1 })).toBe(
    "1 file, 2 new entries, 1 unit of work, 3 ms",
  );
});

test("a job is with somebody, given up, due later or waiting", () => {
  const job: Job = {
    id: 1,
    kind: "analyse",
    node: null,
    created: "2026-11-16T09:00:00Z",
    due: "2026-11-16T09:00:00Z",
    attempts: 0,
    dead: false,
    owner: null,
    trouble: null,
    error: null,
  };
  const now = Date.parse("2026-11-16T10:00:00Z");
  expect(jobState(job, now)).toBe("waiting");
  expect(jobState({ ...job, owner: "worker 1" }, now)).toBe("with worker 1");
  expect(jobState({ ...job, dead: true }, now)).toBe("given up");
  expect(jobState({ ...job, due: "2026-11-16T11:00:00Z" }, now)).toMatch(/^from 2026-11-16/u);
});
