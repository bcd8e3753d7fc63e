/** What the daemon tells, in words. */

import { bytes, count, moment, things } from "../../text/format";
import type { Job, Status } from "./types";

/** What it is doing. */
export function activityWords(activity: Status["activity"]): string {
  switch (activity.kind) {
    case "idle":
      return "Nothing to do";
    case "looking":
      return "Looking for what is new";
    case "reading":
      return `Reading sessions: ${bytes(activity.done)} of ${bytes(activity.total)}`;
    case "deriving":
      return `Finding units of work: ${count(activity.done)} of ${things(activity.total, "family", "families")}`;
    case "indexing":
      return `Making it searchable: ${count(activity.done)} of ${things(activity.total, "change")}`;
    case "stopping":
      return "About to end";
  }
}

/** How far it is, from 0 to 1; nothing where that cannot be said. */
export function progressOf(activity: Status["activity"]): number | undefined {
  if (!("total" in activity) || activity.total === 0) return undefined;
  return Math.min(1, activity.done / activity.total);
}

/** What the last look came to. */
export function refreshWords(last: NonNullable<Status["lastRefresh"]>): string {
  const { files, entries, nodes, milliseconds } = last;
  if (files === 0 && nodes === 0) return `nothing new, ${count(milliseconds)} ms`;
  return [
    things(files, "file"),
    things(entries, "new entry", "new entries"),
    things(nodes, "unit of work", "units of work"),
    `${count(milliseconds)} ms`,
  ].join(", ");
}

/** How a job is. */
export function jobState(job: Job, now: number): string {
  if (job.owner != null) return `with ${job.owner}`;
  if (job.dead) return "given up";
  return Date.parse(job.due) > now ? `from ${moment(job.due)}` : "waiting";
}
