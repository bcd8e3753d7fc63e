/** A session and its forks as one tree: who has which message, and where each goes its own way. */

import type { Answer } from "../../api/client";

export type FamilyView = Answer<"get", "/api/v1/sessions/{session}/family">;
export type FamilyMessage = FamilyView["tree"]["items"][number];
export type Relative = FamilyView["sessions"][number];

/** A message as it is drawn. */
export interface Line {
  readonly message: FamilyMessage;
  /** How far it is set in: only where the conversation split. */
  readonly depth: number;
  /** Which sessions say it, by their places in the list of sessions. */
  readonly sessions: ReadonlySet<number>;
}

/** Lays the messages out: what follows alone stands straight below, each of several ways is set in beside the one that goes on. */
export function linesOf(messages: readonly FamilyMessage[], sessions: readonly Relative[]): Line[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const places = new Map(sessions.map(({ id }, place) => [id, place]));
  const lines: Line[] = [];
  const roots = messages.filter(({ parent }) => parent == null || !byId.has(parent));
  const open = roots.toReversed().map(({ id }) => ({ id, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const message = byId.get(next.id);
    if (message === undefined) continue;
    lines.push({ message, depth: next.depth, sessions: placesOf(message, places) });
    const following = [...message.children];
    // The last way goes on below, all others are set in before it.
    const last = following.pop();
    if (last !== undefined) open.push({ id: last, depth: next.depth });
    for (const child of following.reverse()) open.push({ id: child, depth: next.depth + 1 });
  }
  return lines;
}

function placesOf(message: FamilyMessage, places: ReadonlyMap<string, number>): ReadonlySet<number> {
  const found = message.occurrences.map(({ session }) => places.get(session ?? ""));
  return new Set(found.filter((place) => place !== undefined));
}

/** What a session says that no other does, in the words of its first own message; by this forks are told apart. */
export function ownWords(lines: readonly Line[], session: number): string | null {
  const own = lines.filter(({ sessions }) => sessions.size === 1 && sessions.has(session));
  const first = own.find(({ message }) => message.role === "user") ?? own[0];
  return first?.message.words ?? null;
}

/** What the whole family cost, and why adding up its files gives more. */
export function costSentence(
  { honest, naive }: FamilyView["cost"],
  sessions: number,
  dollars: (amount: number) => string,
): string {
  if (sessions === 1) return `It cost ${dollars(honest)}.`;
  if (naive - honest < 0.005)
    return `Together they cost ${dollars(honest)}. No answer that was paid for stands in several files.`;
  return (
    `Together they cost ${dollars(honest)}, with every answer counted once. Who adds up the ${sessions} files gets ` +
    `${dollars(naive)}, because a fork copies what came before it.`
  );
}
