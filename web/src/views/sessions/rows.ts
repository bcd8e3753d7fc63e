/** Sessions in a list: what they are called, in which order they stand, and which of them are being written to. */

import type { SessionRow } from "../../api/types";

/** How long after its last line a session counts as going on. */
const LIVE = 5 * 60_000;

/** What to call a session: its name, else its first words. Never its file, nor its id: neither tells anything. */
export function titleOf(row: {
  name?: string | null | undefined;
  firstWords?: string | null | undefined;
}): string {
  const said = [row.name, row.firstWords].find((text) => text != null && text.trim() !== "");
  return said ?? "Nothing was said yet";
}

/** Whether pi seems to be at work on it. */
export function isLive(row: SessionRow, now: number): boolean {
  const past = now - Date.parse(row.written);
  return past < LIVE && past > -LIVE;
}

/** When something last happened in it, as far as that is known. */
export function latestOf(row: SessionRow): string | null {
  const times = [row.digest?.lastSaid, row.lastActive].filter((time) => time != null);
  return times.toSorted().at(-1) ?? row.created ?? null;
}

export type Sort = "latest" | "created" | "messages" | "branches" | "cost" | "size" | "project" | "title";

export const SORTS: readonly { value: Sort; title: string }[] = [
  { value: "latest", title: "Last activity" },
  { value: "created", title: "Beginning" },
  { value: "title", title: "Title" },
  { value: "project", title: "Project" },
  { value: "messages", title: "Messages" },
  { value: "branches", title: "Branches" },
  { value: "cost", title: "Cost" },
  { value: "size", title: "Size" },
];

/** Reads an order from an address. */
export function sortNamed(name: string | null): Sort {
  return SORTS.find(({ value }) => value === name)?.value ?? "latest";
}

/** Puts a newer beginning before the rest of a list: nothing is there twice, and nothing is lost. */
export function merged(old: readonly SessionRow[], newer: readonly SessionRow[]): SessionRow[] {
  const known = new Set(newer.map(({ file }) => file));
  return [...newer, ...old.filter(({ file }) => !known.has(file))];
}
