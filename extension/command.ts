// `/brain`: how a person asks.
import { existsSync } from "node:fs";
import { ask, brief, tell, webAddress } from "./brain.ts";
import { BrainError } from "./errors.ts";
import { describeSession, EVENT_MS } from "./events.ts";
import { type Command, type CommandContext, type Completion, type Pi, whereAsked } from "./pi.ts";
import { withProgress } from "./progress.ts";
import { oneLine } from "./quote.ts";
import { addToConversation, notify } from "./say.ts";
import { answerText, briefingText, NOTHING_KNOWN } from "./words.ts";

const FLAGS: Record<string, string> = {
  quirk: "the model did something odd",
  fail: "this went wrong",
  win: "this went well",
  note: "worth keeping",
};

const OPTIONS: Record<string, string> = {
  "--here": "what is known about this project",
  "--tree": "where the web page shows this session, at this place",
  "--flag": "mark this place: quirk, fail, win or note, and a few words",
};

const USAGE = [
  "Usage: /brain QUESTION",
  "       /brain --here",
  "       /brain --tree",
  `       /brain --flag ${Object.keys(FLAGS).join("|")} TEXT`,
].join("\n");

/** `sessionEnd` ends what still waits for an answer when its session is left. */
export function brainCommand(pi: Pi, sessionEnd: AbortSignal): Command {
  return {
    description: "Ask what earlier sessions decided, tried, fixed or learned",
    getArgumentCompletions: complete,
    async handler(args, ctx) {
      try {
        await run(pi, args.trim(), ctx, sessionEnd);
      } catch (error) {
        if (sessionEnd.aborted) return;
        if (!(error instanceof BrainError)) throw error;
        notify(ctx, error.message, "error");
      }
    },
  };
}

function run(pi: Pi, args: string, ctx: CommandContext, signal: AbortSignal): Promise<void> {
  const [option = "", rest = ""] = splitWord(args);
  if (option === "--here" && rest === "") return showProject(pi, ctx, signal);
  if (option === "--tree" && rest === "") return showPage(ctx);
  if (option === "--flag") return flag(pi, rest, ctx);
  if (args === "" || option.startsWith("--")) return Promise.resolve(notify(ctx, USAGE, "warning"));
  return answer(pi, args, ctx, signal);
}

async function answer(pi: Pi, query: string, ctx: CommandContext, signal: AbortSignal): Promise<void> {
  const question = { query, ...whereAsked(ctx), limit: undefined, byModel: true };
  const found = await waiting(ctx, ask(question, signal));
  if (found.sources.length === 0) return notify(ctx, NOTHING_KNOWN);
  if (ctx.hasUI) notify(ctx, oneLine(found.summary));
  const details = { query, nodes: found.relatedNodes, sources: found.sources };
  await addToConversation(pi, ctx, "brain_answer", answerText(found), details);
}

async function showProject(pi: Pi, ctx: CommandContext, signal: AbortSignal): Promise<void> {
  const project = ctx.cwd;
  const briefing = await waiting(ctx, brief(project, signal));
  if (ctx.hasUI) notify(ctx, oneLine(briefing.summary));
  await addToConversation(pi, ctx, "brain_answer", briefingText(briefing), { project });
}

async function showPage(ctx: CommandContext): Promise<void> {
  const { sessionManager } = ctx;
  const leaf = sessionManager.getLeafId();
  const place = leaf === null ? "" : `?at=${encodeURIComponent(leaf)}`;
  notify(ctx, `${await webAddress()}/sessions/${encodeURIComponent(sessionManager.getSessionId())}${place}`);
}

/** The session entry is what counts; the brain reads it sooner if it is told. */
async function flag(pi: Pi, args: string, ctx: CommandContext): Promise<void> {
  const [type = "", message = ""] = splitWord(args);
  if (!(type in FLAGS) || message === "") return notify(ctx, USAGE, "warning");
  pi.appendEntry("brain_flag", { type, message });
  const file = ctx.sessionManager.getSessionFile();
  if (file && existsSync(file)) {
    notify(ctx, `Flagged as ${type}: ${oneLine(message)}`);
    await tell(describeSession("flag", ctx), EVENT_MS);
  } else if (file && ctx.hasUI) {
    notify(ctx, `Flagged as ${type}: ${oneLine(message)} (pi keeps it once the conversation has begun)`);
  } else {
    // A session without a conversation leaves no file, and the flag would be gone without a word.
    throw new BrainError("This session is not kept in a file, so the flag is not kept either.");
  }
}

/** Shows that something is under way, if it takes long. */
async function waiting<T>(ctx: CommandContext, work: Promise<T>): Promise<T> {
  let shown = false;
  const show = () => {
    shown = true;
    ctx.ui.setStatus("brain", "asking the brain…");
  };
  try {
    return await withProgress(work, show);
  } finally {
    if (shown) hideStatus(ctx);
  }
}

/** A context of a session that was left meanwhile cannot be spoken to, and its status is gone with it. */
function hideStatus(ctx: CommandContext): void {
  try {
    ctx.ui.setStatus("brain", undefined);
  } catch {
    // nothing is left to hide
  }
}

function complete(prefix: string): Completion[] | null {
  const flagged = /^--flag\s+(\S*)$/.exec(prefix);
  const items = flagged
    ? completions(FLAGS, flagged[1] ?? "", (name) => `--flag ${name} `)
    : completions(OPTIONS, prefix, (name) => (name === "--flag" ? `${name} ` : name));
  return items.length > 0 ? items : null;
}

function completions(known: Record<string, string>, start: string, value: (name: string) => string): Completion[] {
  return Object.entries(known)
    .filter(([name]) => name.startsWith(start))
    .map(([name, description]) => ({ value: value(name), label: name, description }));
}

function splitWord(text: string): string[] {
  const match = /^(\S+)\s*([^]*)$/.exec(text);
  return match ? [match[1] ?? "", (match[2] ?? "").trim()] : [];
}
