// `/branches`, `/branch-here` and `/label`: the places of a session's tree, without leaving the keyboard line.
import type { Command, CommandContext, Entry, Pi, SessionReader } from "./pi.ts";
import { modeOf } from "./pi.ts";
import { oneLine } from "./quote.ts";
import { notify } from "./say.ts";

export function addBranchCommands(pi: Pi): void {
  const commands: Record<string, Command> = {
    branches: { description: "List the branches of this session, and go to one", handler: branches },
    "branch-here": { description: "Mark this place, to branch off from it later", handler: branchHere(pi) },
    label: { description: "Label this place of the session", handler: label(pi) },
  };
  // Not before the session starts: two commands of one name would both be renamed by pi, and only then
  // is it known what other extensions have.
  let done = false;
  pi.on("session_start", () => {
    if (done) return;
    done = true;
    const taken = new Set(pi.getCommands().map((command) => command.name));
    for (const [name, command] of Object.entries(commands)) if (!taken.has(name)) pi.registerCommand(name, command);
  });
}

interface Branch {
  /** The last thing said on it. */
  end: Entry;
  /** Where to go in order to continue it. */
  target: Entry;
  isCurrent: boolean;
  label: string | undefined;
  lastRequest: string;
  messages: number;
}

async function branches(args: string, ctx: CommandContext): Promise<void> {
  const wanted = args.trim();
  const found = findBranches(ctx.sessionManager);
  if (found.length === 0) return notify(ctx, "This session has no branches yet.");
  const lines = found.map((branch, index) => `${index + 1}. ${describe(branch)}`);
  if (wanted !== "") return go(ctx, place(ctx.sessionManager, found, wanted), wanted);
  if (modeOf(ctx) !== "tui") return notify(ctx, [...lines, "/branches NUMBER goes to one."].join("\n"));
  const chosen = await ctx.ui.select("Branches of this session", lines);
  if (chosen !== undefined) await go(ctx, found[lines.indexOf(chosen)]?.target, chosen);
}

function branchHere(pi: Pi): Command["handler"] {
  return async (args, ctx) => {
    const here = lastSpoken(ctx.sessionManager);
    if (!here) return notify(ctx, "There is nothing yet to branch off from.", "warning");
    const name = oneLine(args);
    if (name !== "") pi.setLabel(here.id, name);
    notify(
      ctx,
      `${name === "" ? "This place is" : `Marked as "${name}":`} ${here.id}. Come back with /branches ${name || here.id}`,
    );
  };
}

function label(pi: Pi): Command["handler"] {
  return async (args, ctx) => {
    const here = lastSpoken(ctx.sessionManager);
    const name = oneLine(args);
    if (name === "") return notify(ctx, "Usage: /label TEXT", "warning");
    if (!here) return notify(ctx, "There is nothing yet to label.", "warning");
    pi.setLabel(here.id, name);
    notify(ctx, `Labelled ${here.id}: ${name}`);
  };
}

async function go(ctx: CommandContext, target: Entry | undefined, wanted: string): Promise<void> {
  if (!target) return notify(ctx, `No branch, label or entry is called "${oneLine(wanted)}".`, "warning");
  if (!ctx.isIdle())
    return notify(ctx, "The agent is at work. Wait for it, or stop it, before you go elsewhere.", "warning");
  const { cancelled } = await ctx.navigateTree(target.id, { summarize: false });
  if (!cancelled) notify(ctx, `Now at ${target.id}`);
}

/** By the number in the list, by the id of an entry, or by a label. */
function place(session: SessionReader, found: Branch[], wanted: string): Entry | undefined {
  const byNumber = /^\d+$/.test(wanted) ? found[Number(wanted) - 1]?.target : undefined;
  const entries = session.getEntries();
  const named = (entry: Entry) => entry.id === wanted || session.getLabel(entry.id) === wanted;
  return byNumber ?? entries.findLast(named);
}

/** One for each thing said that nothing said follows. Labels and settings are no branches. */
export function findBranches(session: SessionReader): Branch[] {
  const entries = session.getEntries();
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const parent = (entry: Entry) => (entry.parentId === null ? undefined : byId.get(entry.parentId));

  // A parent stands before its children in the file, so one pass from the end sees children first.
  const followers = new Map<string | null, number>();
  for (const entry of entries.toReversed())
    if (isSpoken(entry) || followers.has(entry.id))
      followers.set(entry.parentId, (followers.get(entry.parentId) ?? 0) + 1);
  const ends = entries.filter((entry) => isSpoken(entry) && !followers.has(entry.id));

  // What follows an end is bookkeeping; the last of it is where pi was when it left the branch.
  const endOf = new Map<string, Entry>(ends.map((end) => [end.id, end]));
  const lastOf = new Map<Entry, Entry>(ends.map((end) => [end, end]));
  for (const entry of entries) {
    const end = endOf.get(entry.parentId ?? "");
    if (!end || endOf.has(entry.id)) continue;
    endOf.set(entry.id, end);
    lastOf.set(end, entry);
  }

  const current = endOf.get(session.getLeafId() ?? "");
  return ends.map((end) => {
    const own: Entry[] = [];
    for (let at: Entry | undefined = end; at && (followers.get(at.id) ?? 0) < 2; at = parent(at)) own.push(at);
    let request: Entry | undefined = end;
    while (request && !isRequest(request)) request = parent(request);
    // To a message of an extension pi goes as to one of the user: to before it, with its text in the editor.
    let target = lastOf.get(end);
    while (target?.type === "custom_message") target = parent(target);
    return {
      end,
      target: target ?? end,
      isCurrent: end === current,
      label: own.map((entry) => session.getLabel(entry.id)).find((name) => name !== undefined),
      lastRequest: request ? oneLine(textOf(request.message?.content), 60) : "",
      messages: own.filter((entry) => entry.type === "message").length,
    };
  });
}

function describe({ end, isCurrent, label, lastRequest, messages }: Branch): string {
  const when = new Date(end.timestamp).toLocaleString(undefined, { dateStyle: "short", timeStyle: "short" });
  const marks = [label === undefined ? "" : ` [${oneLine(label, 40)}]`, isCurrent ? " (here)" : ""].join("");
  return `${lastRequest || end.id}${marks}, ${messages} ${messages === 1 ? "message" : "messages"} of its own, ${when}`;
}

/** The entry that stands for the current place: pi's /tree does not show what lies below it. */
function lastSpoken(session: SessionReader): Entry | undefined {
  return session.getBranch().findLast(isSpoken);
}

function isSpoken({ type, message }: Entry): boolean {
  if (type === "message") return message?.role !== "system";
  return type === "custom_message" || type === "branch_summary" || type === "compaction";
}

function isRequest({ type, message }: Entry): boolean {
  return type === "message" && message?.role === "user";
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((block: { type?: string; text?: string }) => (block.type === "text" ? (block.text ?? "") : ""))
    .join(" ");
}
