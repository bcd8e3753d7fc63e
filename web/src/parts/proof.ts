/** Finds the entry that proves a statement of a unit of work. */

/** What of a node is needed. */
interface Proven {
  ext?: { evidence?: Record<string, string[]> } | null;
}

/** The first entry in which one of the texts was said, as far as the node remembers. */
export function proofOf(node: Proven, texts: readonly string[]): string | undefined {
  const evidence = Object.entries(node.ext?.evidence ?? {});
  for (const text of texts) {
    const found = evidence.find(([path]) => says(valueAt(node, path), text));
    if (found?.[1][0] !== undefined) return found[1][0];
  }
  return undefined;
}

/** Follows a path such as `content.keyDecisions[0].what` or `content.keyDecisions.0`. */
function valueAt(node: object, path: string): unknown {
  const parts = path.split(/[.[\]]+/u).filter((part) => part !== "");
  return parts.reduce<unknown>(
    (value, part) =>
      typeof value === "object" && value !== null ? (value as Record<string, unknown>)[part] : undefined,
    node,
  );
}

function says(value: unknown, text: string): boolean {
  if (typeof value === "string") return value === text;
  return typeof value === "object" && value !== null && Object.values(value).includes(text);
}
