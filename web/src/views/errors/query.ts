/** What errors are narrowed down by, and how they ended. */

import type { Query } from "../../api/client";
import type { Tone } from "../../parts/Badge.svelte";

export function patternQuery(said: URLSearchParams): Query<"get", "/api/v1/patterns"> {
  const [q, project, model] = ["q", "project", "model"].map((name) => said.get(name));
  return { ...(q && { q }), ...(project && { project }), ...(model && { model }) };
}

export function errorQuery(said: URLSearchParams): Query<"get", "/api/v1/errors"> {
  return { ...patternQuery(said), ...(said.get("state") === "open" && { unresolved: true }) };
}

/** In how many of the units of work that had it somebody got rid of it. */
export function solved({ nodes, resolved }: { nodes: number; resolved: number }): {
  text: string;
  tone: Tone;
} {
  if (resolved === 0) return { text: "not solved", tone: "bad" };
  if (resolved === nodes) return { text: "solved", tone: "good" };
  return { text: `solved in ${resolved} of ${nodes}`, tone: "warn" };
}
