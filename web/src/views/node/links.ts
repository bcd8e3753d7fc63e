/** What a unit of work is linked with, in the order and the words in which people ask for it. */

import type { NodeShown } from "../../api/types";

export type Link = NodeShown["links"][number];
export type LinkType = Link["edge"]["type"];

/** Links that say what came before and after; all others say what has to do with it. */
const FLOW: readonly LinkType[] = ["fork", "branch", "tree_jump", "resume", "compaction", "continuation"];

export interface Linked {
  readonly before: readonly Link[];
  readonly after: readonly Link[];
  /** The strongest first. */
  readonly related: readonly Link[];
}

export function sortLinks(links: readonly Link[]): Linked {
  const isFlow = ({ edge }: Link): boolean => FLOW.includes(edge.type) && edge.createdBy !== "user";
  const strength = ({ edge }: Link): number =>
    edge.metadata.similarity ?? (edge.createdBy === "user" ? 1 : 0);
  return {
    before: links.filter((link) => isFlow(link) && !link.isOutgoing),
    after: links.filter((link) => isFlow(link) && link.isOutgoing),
    related: links.filter((link) => !isFlow(link)).toSorted((one, other) => strength(other) - strength(one)),
  };
}

/** Types of links with what they say of the other end: of what it leads to, and of what leads to it. */
const WORDS: Record<LinkType, readonly [string, string]> = {
  fork: ["forked into", "forked from"],
  branch: ["left for another branch", "a branch was left"],
  tree_jump: ["went on elsewhere in the tree", "went on from elsewhere in the tree"],
  resume: ["taken up again", "taken up from"],
  compaction: ["went on after a compaction", "compacted from"],
  continuation: ["goes on in", "goes on from"],
  semantic: ["about the same", "about the same"],
  reference: ["names it", "is named by it"],
  lesson_application: ["its lesson was applied", "a lesson of it was applied here"],
  failure_pattern: ["the same error later", "the same error before"],
  project_related: ["the same files later", "the same files before"],
  technique_shared: ["the same technique later", "the same technique before"],
};

export function sayLink({ edge, isOutgoing }: Link): string {
  return WORDS[edge.type][isOutgoing ? 0 : 1];
}

/** Types that a person can draw, with their names. */
export const DRAWN: readonly { value: LinkType; title: string }[] = [
  { value: "semantic", title: "is about the same" },
  { value: "continuation", title: "goes on in" },
  { value: "reference", title: "refers to" },
  { value: "lesson_application", title: "taught what was applied in" },
  { value: "technique_shared", title: "uses the technique of" },
  { value: "failure_pattern", title: "failed in the same way as" },
];

/** How strong a link is, from 0 to 1; nothing where that was not measured. */
export function strengthOf({ edge }: Link): number | undefined {
  return edge.metadata.similarity ?? undefined;
}
