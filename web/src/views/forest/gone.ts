/** Deleting a whole tree, from wherever that is done. */

import { post, remove } from "../../api/client";
import { toTree } from "../../place/links";
import { place } from "../../place/place.svelte";
import { notices } from "../../shell/notices.svelte";
import { oneLine } from "../../text/harmless";

/** Deletes a tree and goes back to the others; the notice brings it back. */
export async function goneTree(tree: { id: string; title: string }): Promise<void> {
  try {
    await remove("/api/v1/forest/roots/{root}", { path: { root: tree.id } });
    place.go("/forest");
    const name = oneLine(tree.title) || tree.id;
    notices.done(`“${name}” deleted.`, () => void bringBack(tree.id));
  } catch (error) {
    notices.failed(error);
  }
}

async function bringBack(root: string): Promise<void> {
  try {
    await post("/api/v1/forest/restore", { place: root });
    place.go(toTree(root));
  } catch (error) {
    notices.failed(error);
  }
}
