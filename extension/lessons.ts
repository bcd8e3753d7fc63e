// Lessons of earlier work in the project, offered to the model with the first turn. Only for those who
// ask for it: it costs tokens in every session.
import { brief, type Briefing } from "./brain.ts";
import type { Pi } from "./pi.ts";
import { wantsLessons } from "./settings.ts";
import { lessonsText } from "./words.ts";

const MOST = 5;
/** How long the first turn may be held up. */
const PATIENCE_MS = 2000;
const CUSTOM_TYPE = "brain_lessons";

export function offerLessons(pi: Pi): void {
  let coming: Promise<Briefing["lessons"]> | undefined;

  // pi may give this event twice for one session.
  pi.on("session_start", ({ reason }, ctx) => {
    if (coming || !wantsLessons() || (reason !== "startup" && reason !== "new")) return;
    // A session that is taken up again starts with the reason "startup", too.
    if (ctx.sessionManager.getEntries().some((entry) => entry.customType === CUSTOM_TYPE)) return;
    coming = lessonsFor(ctx.cwd);
  });

  // Sent at this moment the message stands before the user's, which is what the model is to answer. One that
  // is returned from here, or left for the next turn, would stand after it.
  pi.on("before_agent_start", async () => {
    const lessons = await coming;
    coming = Promise.resolve([]);
    if (!lessons || lessons.length === 0) return;
    pi.sendMessage(
      { customType: CUSTOM_TYPE, content: lessonsText(lessons), display: true, details: { lessons } },
      { triggerTurn: false },
    );
  });
}

async function lessonsFor(project: string): Promise<Briefing["lessons"]> {
  try {
    return (await brief(project, AbortSignal.timeout(PATIENCE_MS))).lessons.slice(0, MOST);
  } catch {
    return []; // nobody asked, so nobody is told
  }
}
