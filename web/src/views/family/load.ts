/** A whole family, however many parts it comes in. */

import { get } from "../../api/client";
import type { FamilyView } from "./family";

export async function loadFamily(
  session: string,
  file: string | undefined,
  signal: AbortSignal,
): Promise<FamilyView> {
  const ask = (cursor: number): Promise<FamilyView> =>
    get("/api/v1/sessions/{session}/family", {
      path: { session },
      query: { limit: 5000, cursor, ...(file === undefined ? {} : { file }) },
      signal,
    });
  const family = await ask(0);
  for (let next = family.tree.next; next != null;) {
    const part = await ask(Number(next));
    family.tree.items.push(...part.tree.items);
    next = part.tree.next;
  }
  return family;
}
