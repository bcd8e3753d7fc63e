/** Which entries a tree shows: the filters of pi's own tree. */

import type { TreeRow } from "./rows";

export type TreeFilter = "default" | "no-tools" | "user-only" | "labeled-only" | "all";

export const FILTERS: readonly { value: TreeFilter; title: string }[] = [
  { value: "default", title: "Default" },
  { value: "no-tools", title: "No tools" },
  { value: "user-only", title: "User" },
  { value: "labeled-only", title: "Labelled" },
  { value: "all", title: "All" },
];

/** Reads the name of a filter, as an address has it. */
export function filterNamed(name: string | null): TreeFilter {
  return FILTERS.find(({ value }) => value === name)?.value ?? "default";
}

/** Types of entries that change settings or keep notes. Types that nobody knows yet are shown: they may say something. */
const SETTINGS = new Set([
  "model_change",
  "thinking_level_change",
  "label",
  "session_info",
  "custom",
  "usage",
  "context_edit",
]);

/** Whether an entry only changes a setting, or keeps a note. */
export function isSetting(row: TreeRow): boolean {
  return SETTINGS.has(row.type);
}

/** Whether a filter lets an entry through. Where pi would go on is always shown. */
export function passes(row: TreeRow, filter: TreeFilter): boolean {
  if (row.isLeaf || filter === "all") return true;
  switch (filter) {
    case "user-only":
      return row.role === "user";
    case "labeled-only":
      return row.label != null && row.label !== "";
    case "no-tools":
      return row.role !== "toolResult" && saysSomething(row);
    case "default":
      return saysSomething(row);
  }
}

/** Answers that only call tools are not shown; the results of those are. */
function saysSomething(row: TreeRow): boolean {
  if (row.role === "system" || isSetting(row)) return false;
  return row.role !== "assistant" || !row.text.startsWith("→");
}
