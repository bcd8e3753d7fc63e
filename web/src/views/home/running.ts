/** What the daemon is doing, in words. */

import type { Answer } from "../../api/client";
import { things } from "../../text/format";

export type Status = Answer<"get", "/api/v1/daemon/status">;

export interface Work {
  readonly text: string;
  /** How far it is, from 0 to 1; none if nobody knows. */
  readonly done: number | undefined;
}

/** Returns what is going on; nothing while the daemon only waits. */
export function currentWork(status: Pick<Status, "activity" | "analysis">): Work[] {
  return [...activityWork(status.activity), ...analysisWork(status.analysis)];
}

const STEPS = {
  reading: "Reading sessions",
  deriving: "Finding units of work",
  indexing: "Making them searchable",
} as const;

function activityWork(activity: Status["activity"]): Work[] {
  switch (activity.kind) {
    case "idle":
      return [];
    case "looking":
      return [{ text: "Looking for new sessions", done: undefined }];
    case "stopping":
      return [{ text: "The daemon is about to end", done: undefined }];
    default: {
      const { done, total } = activity;
      const count =
        total === 0 ? "" : `: ${done.toLocaleString("en-US")} of ${total.toLocaleString("en-US")}`;
      return [{ text: STEPS[activity.kind] + count, done: total === 0 ? undefined : done / total }];
    }
  }
}

function analysisWork(analysis: Status["analysis"]): Work[] {
  if (analysis === null || analysis === undefined) return [];
  const { running, waiting } = analysis.queue;
  if (running + waiting === 0) return [];
  const left = waiting === 0 ? "" : `, ${waiting.toLocaleString("en-US")} waiting`;
  const text =
    running === 0
      ? `${things(waiting, "unit")} of work waiting for a model`
      : `A model reads ${things(running, "unit")} of work${left}`;
  return [{ text, done: undefined }];
}
