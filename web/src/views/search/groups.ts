/** What was found, by unit of work. */

import type { Hit, NodeRow } from "../../api/types";

export interface Group {
  readonly key: string;
  /** The unit of work; none for what is still open. */
  readonly work: NodeRow | undefined;
  readonly project: string;
  readonly time: string | undefined;
  /** The messages, the best first; none if only the unit of work itself fits. */
  readonly messages: readonly Hit[];
  /** What of the unit of work itself fits. */
  readonly own: Hit | undefined;
}

/** Groups hits by the unit of work that they belong to. A group stands where its best hit stood. */
export function byWork(hits: readonly Hit[]): Group[] {
  const groups = new Map<string, Hit[]>();
  for (const hit of hits) {
    const key = hit.node ?? `${hit.session ?? ""} ${hit.entry}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [hit]);
    else group.push(hit);
  }
  return [...groups].map(([key, all]) => {
    const [best] = all;
    const work = all.find((hit) => hit.work != null)?.work ?? undefined;
    return {
      key,
      work,
      project: work?.project ?? best?.project ?? "",
      time: work?.started ?? best?.time ?? undefined,
      messages: all.filter((hit) => hit.kind === "message"),
      own: all.find((hit) => hit.kind === "node"),
    };
  });
}
