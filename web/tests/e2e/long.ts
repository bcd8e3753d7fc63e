/** A session as long as they get: thousands of entries, with a few branches. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const LONG_ID = "01a1eeee-1000-7aaa-8aaa-00000010000f";

/** Names an entry of the long session. */
export function longEntry(number: number): string {
  return `l${number.toString().padStart(7, "0")}`;
}

/** Writes the session; returns its file. Every 2,000 entries somebody goes back and tries another way. */
export function writeLongSession(sessions: string, entries = 10_000): string {
  const start = Date.parse("2026-05-04T08:00:00Z");
  const header = {
    type: "session",
    version: 3,
    id: LONG_ID,
    timestamp: new Date(start).toISOString(),
    cwd: "/home/dev/longhaul",
  };
  const lines = Array.from({ length: entries }, (_, at) => {
    const time = start + at * 1000;
    const back = at > 0 && at % 2000 === 0 ? 10 : 1;
    const content = [{ type: "text", text: `Step ${at}: ${"and so on ".repeat(at % 9)}` }];
    const isUser = at % 4 === 0;
    return {
      type: "message",
      id: longEntry(at),
      parentId: at === 0 ? null : longEntry(at - back),
      timestamp: new Date(time).toISOString(),
      message: isUser
        ? { role: "user", content, timestamp: time }
        : { role: "assistant", content, model: "m", provider: "p", stopReason: "stop", timestamp: time },
    };
  });
  const folder = join(sessions, "--home-dev-longhaul--");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `2026-05-04T08-00-00-000Z_${LONG_ID}.jsonl`);
  writeFileSync(file, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
  return file;
}
