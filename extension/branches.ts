// `/branches`, `/branch-here` and `/label`: the places of a session's tree, by name and number.
import { type Command, type CommandContext, type Entry, modeOf, type Pi, type SessionReader } from "./pi.ts";
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
    const marked = name === "" ? "This place is" : `Marked as "${name}":`;
    notify(ctx, `${marked} ${here.id}. Come back with /branches ${name || here.id}`);
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
  const followers = countFollowers(entries);
  const ends = entries.filter((entry) => isSpoken(entry) && !followers.has(entry.id));
  const { endOf, lastOf } = followEnds(entries, ends);
  const current = endOf.get(session.getLeafId() ?? "");
  const upwards = walker(entries);
  return ends.map((end) => {
    const path = upwards(end);
    const shared = path.findIndex((entry) => (followers.get(entry.id) ?? 0) > 1);
    const own = shared < 0 ? path : path.slice(0, shared);
    // To a message of an extension pi goes as to one of the user: to before it, with its text in the editor.
    const target = upwards(lastOf.get(end) ?? end).find((entry) => entry.type !== "custom_message");
    return {
      end,
      target: target ?? end,
      isCurrent: end === current,
      label: own.map((entry) => session.getLabel(entry.id)).find((name) => name !== undefined),
      lastRequest: oneLine(textOf(path.find(isRequest)?.message?.content), 60),
      messages: own.filter((entry) => entry.type === "message").length,
    };
  });
}

/** For each entry under which something was said: how many of its children lead there. */
function countFollowers(entries: Entry[]): Map<string | null, number> {
  const followers = new Map<string | null, number>();
  // A parent stands before its children in the file, so one pass from the end sees children first.
  for (const { id, parentId, ...entry } of entries.toReversed())
    if (isSpoken(entry) || followers.has(id)) followers.set(parentId, (followers.get(parentId) ?? 0) + 1);
  return followers;
}

/** What follows an end is bookkeeping; the last of it is where pi was when it left the branch. */
function followEnds(entries: Entry[], ends: Entry[]): { endOf: Map<string, Entry>; lastOf: Map<Entry, Entry> } {
  const endOf = new Map(ends.map((end) => [end.id, end]));
  const lastOf = new Map<Entry, Entry>();
  for (const entry of entries) {
    const end = endOf.get(entry.parentId ?? "");
    if (!end || endOf.has(entry.id)) continue;
    endOf.set(entry.id, end);
    lastOf.set(end, entry);
  }
  return { endOf, lastOf };
}

/** Gives a function for the way from an entry to its root. */
function walker(entries: Entry[]): (from: Entry) => Entry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return (from) => {
    const path: Entry[] = [];
    for (let at: Entry | undefined = from; at; at = byId.get(at.parentId ?? "")) path.push(at);
    return path;
  };
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

function isSpoken({ type, message }: Pick<Entry, "type" | "message">): boolean {
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
