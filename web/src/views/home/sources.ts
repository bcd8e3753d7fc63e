/** Where answers are taken from. */

import { toNode, toSession } from "../../place/links";
import type { Source } from "./answering.svelte";

/** The line that proves it; if its file is gone, the unit of work. */
export function toSource(source: Source): string | undefined {
  if (typeof source.session === "string") return toSession(source.session, source.entry);
  return typeof source.nodeId === "string" ? toNode(source.nodeId) : undefined;
}

/** What to know of a source before one relies on it; nothing if it stands. */
export function caution(standing: string): string | undefined {
  if (standing === "superseded") return "decided anew later";
  return standing === "abandoned" ? "on a branch that was left" : undefined;
}
