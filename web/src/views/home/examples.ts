/** Questions to begin with, about what a person has really worked on. */

import type { DecisionRow, ProjectRow } from "../../api/types";
import { projectName } from "../../text/format";

export interface Known {
  readonly projects: readonly Pick<ProjectRow, "project" | "cost">[];
  readonly tags: readonly { readonly tag: string; readonly nodes: number }[];
  readonly decisions: readonly Pick<DecisionRow, "what" | "why">[];
}

/** Longer decisions make no question that one reads at a glance. */
const SHORT = 60;

/** Returns a few questions, each of another kind. */
export function exampleQuestions({ projects, tags, decisions }: Known): string[] {
  const named = projects.filter(({ project }) => project !== "");
  const [last, next] = named.map(({ project }) => lastPart(project));
  const paid = named.find(({ cost }) => cost > 0);
  const decision = decisions.find(({ what, why }) => why !== "" && what.length <= SHORT);
  const topic = tags.find(({ nodes }) => nodes > 1) ?? tags[0];
  return [
    decision === undefined ? undefined : `Why ${decapitalise(decision.what)}?`,
    last === undefined ? undefined : `What was done last in ${last}?`,
    topic === undefined ? undefined : `What did we learn about ${topic.tag}?`,
    paid === undefined ? undefined : `What did ${lastPart(paid.project)} cost last month?`,
    next === undefined ? undefined : `What went wrong in ${next}?`,
  ].filter((question) => question !== undefined);
}

function lastPart(path: string): string {
  return projectName(path).split("/").at(-1) ?? path;
}

/** A sentence goes on where it began: without its full stop, and small unless its first word is a name. */
function decapitalise(sentence: string): string {
  const text = sentence.replace(/[.!?\s]+$/u, "");
  const [first = ""] = text.split(" ");
  const isName = first.slice(1) !== first.slice(1).toLowerCase();
  return isName ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
