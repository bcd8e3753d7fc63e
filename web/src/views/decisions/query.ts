/** What decisions are narrowed down by, and what is said of them. */

import type { Query } from "../../api/client";
import type { Tone } from "../../parts/Badge.svelte";

export const STANDINGS: readonly { value: string; title: string }[] = [
  { value: "success", title: "In work that succeeded" },
  { value: "partial", title: "In work done in part" },
  { value: "failed", title: "In work that failed" },
  { value: "abandoned", title: "Given up" },
];

export function decisionQuery(said: URLSearchParams): Query<"get", "/api/v1/decisions"> {
  const [q, project, outcome, model] = ["q", "project", "outcome", "model"].map((name) => said.get(name));
  return {
    ...(q && { q }),
    ...(project && { project }),
    ...(outcome && { outcome }),
    ...(model && { model }),
  };
}

/** Whether a decision stands, as far as the end of the work in which it was made tells. */
export function standing(outcome: string): { text: string; tone: Tone; title: string } {
  switch (outcome) {
    case "abandoned":
      return { text: "given up", tone: "quiet", title: "The work in which it was made was abandoned" };
    case "failed":
      return { text: "work failed", tone: "bad", title: "The work in which it was made failed" };
    case "partial":
      return { text: "done in part", tone: "warn", title: "The work in which it was made was done in part" };
    default:
      return { text: "stands", tone: "good", title: "Nothing says otherwise" };
  }
}

const MONTHS = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });

export function monthOf(time: string): string {
  return MONTHS.format(new Date(time));
}
