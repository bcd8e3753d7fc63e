// Tells the daemon at once what happens to a session, so that it need not wait to see the file change.
// Nothing depends on it: the daemon reads the file in any case, and takes a repeated event as it is.
import { type SessionEvent, tell } from "./brain.ts";
import type { Context, Pi, SessionEventName } from "./pi.ts";

/** How long a message to the daemon may take. */
export const EVENT_MS = 1000;
/** How long pi's end may be held up for it. */
const LAST_EVENT_MS = 300;

const PASSING: SessionEventName[] = ["session_start", "session_tree", "session_compact"];

export function reportEvents(pi: Pi): void {
  for (const name of PASSING)
    pi.on(name, ({ reason }, ctx) => {
      void tell(describeSession(name, ctx, reason), EVENT_MS);
    });
  pi.on("session_shutdown", ({ reason }, ctx) => tell(describeSession("session_shutdown", ctx, reason), LAST_EVENT_MS));
}

export function describeSession(event: SessionEvent["event"], ctx: Context, reason?: string): SessionEvent {
  const { sessionManager } = ctx;
  return {
    event,
    sessionId: sessionManager.getSessionId(),
    sessionFile: sessionManager.getSessionFile(),
    reason,
    leafId: sessionManager.getLeafId() ?? undefined,
  };
}
