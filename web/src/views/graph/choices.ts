/** What is chosen in the view of the graph, as the address says it. */

import type { Filter } from "./graph";
import type { ColourBy } from "./groups";

export interface Choices extends Filter {
  readonly by: ColourBy;
  /** Words that are looked for. */
  readonly q: string;
  /** The node in the focus, and the one that a way is looked for to. */
  readonly at: string | null;
  readonly to: string | null;
}

const WAYS: readonly ColourBy[] = ["project", "type", "outcome", "time"];
const DAY = 86_400_000;

export function readChoices(query: URLSearchParams): Choices {
  return {
    by: WAYS.find((way) => way === query.get("by")) ?? "project",
    q: query.get("q") ?? "",
    at: query.get("at"),
    to: query.get("path"),
    project: query.get("project"),
    type: query.get("type"),
    without: new Set((query.get("without") ?? "").split(",").filter((type) => type !== "")),
    from: dayStart(query.get("from")),
    until: after(dayStart(query.get("to"))),
  };
}

/** When a day begins, where the person is. */
export function dayStart(day: string | null): number | undefined {
  const time = day === null || !/^\d{4}-\d\d-\d\d$/u.test(day) ? NaN : new Date(`${day}T00:00`).getTime();
  return Number.isNaN(time) ? undefined : time;
}

/** The end of a day is the beginning of the next; some have an hour more or less. */
function after(start: number | undefined): number | undefined {
  if (start === undefined) return undefined;
  const next = new Date(start + DAY + DAY / 2);
  return new Date(next.getFullYear(), next.getMonth(), next.getDate()).getTime();
}
