/** What filters can be chosen from menus, and their values. */

import { get } from "../../api/client";
import { projectName } from "../../text/format";
import type { FilterName } from "./query";

export interface Option {
  readonly value: string;
  readonly title: string;
  /** How often, or what it means. */
  readonly note?: string;
}

export interface FilterMenu {
  readonly name: FilterName;
  readonly title: string;
  /** What to type for what is not listed; nothing else can be meant if there is none. */
  readonly hint?: string;
  readonly options: (signal: AbortSignal) => Promise<Option[]>;
}

const words = (...values: string[]): (() => Promise<Option[]>) => {
  const options = values.map((value) => ({ value, title: value }));
  return () => Promise.resolve(options);
};

const titled = (...options: (readonly [string, string])[]): (() => Promise<Option[]>) => {
  const listed = options.map(([value, title]) => ({ value, title }));
  return () => Promise.resolve(listed);
};

/** How many of the menus are for everyday use. */
export const USUAL = 5;

/** What is used most comes first. */
export const MENUS: readonly FilterMenu[] = [
  { name: "project", title: "Project", hint: "Part of its path", options: projects },
  {
    name: "type",
    title: "Type",
    options: words(
      ..."coding debugging refactoring sysadmin research planning qa brainstorm handoff documentation".split(
        " ",
      ),
      ..."configuration data other".split(" "),
    ),
  },
  { name: "outcome", title: "Outcome", options: words("success", "partial", "failed", "abandoned") },
  {
    name: "after",
    title: "After",
    hint: "2026-10-01, 3w, 6h",
    options: titled(
      ["today", "Today"],
      ["yesterday", "Since yesterday"],
      ["1w", "The last week"],
      ["1mo", "The last month"],
      ["1y", "The last year"],
    ),
  },
  { name: "file", title: "File", hint: "Part of its path", options: () => Promise.resolve([]) },
  {
    name: "before",
    title: "Before",
    hint: "2026-10-01, 3w",
    options: titled(["today", "Today"], ["1w", "A week ago"], ["1mo", "A month ago"], ["1y", "A year ago"]),
  },
  { name: "tool", title: "Tool", hint: "Its name", options: tools },
  { name: "model", title: "Model", hint: "Part of its name", options: models },
  {
    name: "role",
    title: "Who",
    options: titled(
      ["user", "You"],
      ["assistant", "Models"],
      ["tool", "Tools"],
      ["summary", "Summaries"],
      ["extension", "Extensions"],
    ),
  },
  {
    name: "is",
    title: "Branch",
    options: titled(["abandoned", "On a branch that was left"], ["active", "On a branch that goes on"]),
  },
  { name: "kind", title: "Kind", options: titled(["node", "Units of work"], ["message", "What was said"]) },
];

async function projects(signal: AbortSignal): Promise<Option[]> {
  const { items } = await get("/api/v1/projects", { query: { limit: 200 }, signal });
  const named = items.filter(({ project }) => project !== "");
  return named.map(({ project, nodes }) => ({
    value: project,
    title: projectName(project),
    note: String(nodes),
  }));
}

async function models(signal: AbortSignal): Promise<Option[]> {
  const { items } = await get("/api/v1/models", { query: { limit: 200 }, signal });
  const named = items.filter(({ model }) => model !== "");
  return named.map(({ model, provider }) => ({ value: model, title: model, note: provider }));
}

async function tools(signal: AbortSignal): Promise<Option[]> {
  const { tools } = await get("/api/v1/stats", { signal });
  return Object.entries(tools)
    .toSorted(([, one], [, other]) => other - one)
    .map(([tool, calls]) => ({ value: tool, title: tool, note: `${calls}` }));
}
