/** What kinds of links are called. */

import type { DrawnEdge } from "./graph";

export type LinkType = DrawnEdge["type"];

export const LINK_WORDS: Record<LinkType, string> = {
  continuation: "went on",
  resume: "went on later",
  compaction: "went on after a summary",
  branch: "left for another branch",
  tree_jump: "moved in the tree",
  fork: "forked",
  reference: "speaks of it",
  lesson_application: "used a lesson of it",
  failure_pattern: "same failure",
  semantic: "same topic",
  project_related: "same project",
  technique_shared: "same technique",
};
