/** The views, and the addresses that lead to them. Each is loaded when it is first wanted. */

import type { Component } from "svelte";

/** What a view is given: the parts of the path that vary. */
export type Parts = Record<string, string>;

/** A view; one that has nothing to vary by takes nothing. */
export type AnyView = Component<{ parts: Parts }> | Component<Record<string, never>>;

export interface Route {
  /** The address; a part that varies begins with a colon. */
  readonly path: string;
  readonly title: string;
  /** The view in the navigation that this one belongs to. */
  readonly section: string;
  readonly view: () => Promise<{ default: AnyView }>;
}

export const routes: readonly Route[] = [
  { path: "/", title: "Home", section: "/", view: () => import("../views/home/Home.svelte") },
  {
    path: "/search",
    title: "Search",
    section: "/search",
    view: () => import("../views/search/Search.svelte"),
  },
  {
    path: "/sessions",
    title: "Sessions",
    section: "/sessions",
    view: () => import("../views/sessions/Sessions.svelte"),
  },
  {
    path: "/sessions/:session",
    title: "Session",
    section: "/sessions",
    view: () => import("../views/session/Session.svelte"),
  },
  {
    path: "/sessions/:session/family",
    title: "Family",
    section: "/sessions",
    view: () => import("../views/family/Family.svelte"),
  },
  {
    path: "/nodes/:node",
    title: "Unit of work",
    section: "/search",
    view: () => import("../views/node/Node.svelte"),
  },
  { path: "/graph", title: "Graph", section: "/graph", view: () => import("../views/graph/Graph.svelte") },
  {
    path: "/lessons",
    title: "Lessons",
    section: "/lessons",
    view: () => import("../views/lessons/Lessons.svelte"),
  },
  {
    path: "/decisions",
    title: "Decisions",
    section: "/decisions",
    view: () => import("../views/decisions/Decisions.svelte"),
  },
  {
    path: "/errors",
    title: "Errors",
    section: "/errors",
    view: () => import("../views/errors/Errors.svelte"),
  },
  {
    path: "/models",
    title: "Models",
    section: "/models",
    view: () => import("../views/models/Models.svelte"),
  },
  {
    path: "/cost",
    title: "Cost and activity",
    section: "/cost",
    view: () => import("../views/cost/Cost.svelte"),
  },
  {
    path: "/forest",
    title: "Forest",
    section: "/forest",
    view: () => import("../views/forest/Forest.svelte"),
  },
  {
    path: "/forest/:root",
    title: "Tree",
    section: "/forest",
    view: () => import("../views/forest/Tree.svelte"),
  },
  {
    path: "/system",
    title: "System",
    section: "/system",
    view: () => import("../views/system/System.svelte"),
  },
];

/** Finds the view for a path, and the parts of the path that vary. */
export function match(
  path: string,
  among: readonly Route[] = routes,
): { route: Route; parts: Parts } | undefined {
  const given = path.split("/").filter((part) => part !== "");
  for (const route of among) {
    const wanted = route.path.split("/").filter((part) => part !== "");
    if (wanted.length !== given.length) continue;
    const parts: Parts = {};
    const fits = wanted.every((part, at) => {
      const here = given[at] ?? "";
      if (!part.startsWith(":")) return part === here;
      parts[part.slice(1)] = decode(here);
      return true;
    });
    if (fits) return { route, parts };
  }
  return undefined;
}

/** A part that is no proper escape stands for itself. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
