/** What is said about a session as a whole. */

import type { SessionDetail } from "../../api/types";
import { minutes } from "../../text/format";

/** How long it went on, to be read after when it ended; nothing for less than a minute. */
export function lastedFor(created: string | null | undefined, modified: string): string {
  const length = created == null ? 0 : (Date.parse(modified) - Date.parse(created)) / 60_000;
  return length >= 1 ? `, over ${days(length) ?? minutes(length)}` : "";
}

function days(length: number): string | undefined {
  const whole = Math.round(length / (24 * 60));
  return whole >= 2 ? `${whole} days` : undefined;
}

/** Where a session can be had as a file. */
export function exportLink(
  detail: Pick<SessionDetail, "id" | "path">,
  format: "markdown" | "html" | "jsonl",
  leaf: string | null,
  isRedacted = false,
): string {
  const query = new URLSearchParams({ format, file: detail.path });
  if (leaf !== null) query.set("leaf", leaf);
  if (isRedacted) query.set("redact", "true");
  return `/api/v1/sessions/${encodeURIComponent(detail.id)}/export?${query.toString()}`;
}
