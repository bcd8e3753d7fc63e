/** Questions to begin with, about what a person has really worked on. */

import type { DecisionRow, ProjectRow } from "../../api/types";
import { projectName } from "../../text/format";

export interface Known {
  readonly projects: readonly Pick<ProjectRow, "project" | "cost" | "nodes">[];
  readonly tags: readonly { readonly tag: string; readonly nodes: number }[];
  readonly decisions: readonly Pick<DecisionRow, "what" | "why">[];
}

/** A decision that reads like a heading makes a question; what was said in passing does not. */
const HEADING = /^\p{Lu}[^.?!:,“”"*`]{7,48}$/u;

/** A tag that more than a fourth of all work has is about everything. */
const RARE = 4;

/** Returns a few questions, each of another kind. */
export function exampleQuestions({ projects, tags, decisions }: Known): string[] {
  const named = projects.filter(({ project }) => project !== "");
  const paid = named.find(({ cost }) => cost > 0);
  const [last, next = last] = named.map(({ project }) => lastPart(project));
  const decision = decisions.find(({ what, why }) => why !== "" && what.includes(" ") && HEADING.test(what));
  const all = projects.reduce((sum, { nodes }) => sum + nodes, 0);
  const topic = tags.find(({ nodes }) => nodes > 1 && nodes * RARE <= all);
  return [
    decision === undefined ? undefined : `Why ${decapitalise(decision.what)}?`,
    topic === undefined ? undefined : `What did we decide about ${topic.tag}?`,
    paid === undefined ? undefined : `What did ${lastPart(paid.project)} cost last month?`,
    next === undefined ? undefined : `Which errors came up in ${next}?`,
  ].filter((question) => question !== undefined);
}

function lastPart(path: string): string {
  return projectName(path).split("/").at(-1) ?? path;
}

/** Within a sentence a heading begins small, unless its first word is a name. */
function decapitalise(text: string): string {
  const [first = ""] = text.split(" ");
  const isName = first.slice(1) !== first.slice(1).toLowerCase();
  return isName ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
