/** What happened, day by day. */

import { day } from "../../text/format";

export interface Day<T> {
  /** Such as 2026-11-16. */
  readonly day: string;
  /** As people say it: Today, Yesterday, Monday, 3 November. */
  readonly title: string;
  readonly items: readonly T[];
}

const DAY = 24 * 60 * 60_000;

/** Groups what is in order of time by the day on which it was, where the person is. */
export function byDay<T extends { readonly started: string }>(
  items: readonly T[],
  now = Date.now(),
): Day<T>[] {
  const days = new Map<string, T[]>();
  for (const item of items) {
    const key = day(item.started);
    const group = days.get(key);
    if (group === undefined) days.set(key, [item]);
    else group.push(item);
  }
  return [...days].map(([key, group]) => ({ day: key, title: dayName(key, now), items: group }));
}

export function dayName(key: string, now = Date.now()): string {
  if (key === day(now)) return "Today";
  if (key === day(now - DAY)) return "Yesterday";
  const noon = new Date(`${key}T12:00`);
  const isRecent = now - noon.getTime() < 6 * DAY && noon.getTime() < now;
  if (isRecent) return noon.toLocaleDateString("en-GB", { weekday: "long" });
  const isThisYear = noon.getFullYear() === new Date(now).getFullYear();
  return noon.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    ...(isThisYear ? {} : { year: "numeric" }),
  });
}
