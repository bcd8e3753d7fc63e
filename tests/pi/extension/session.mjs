// Scenarios: what the extension does with the session itself.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually, isMessage, makeWorld, readEntries, textOf } from "./harness.mjs";

const tree = fileURLToPath(new URL("../tree-extension.ts", import.meta.url));
const lastId = (file, role) => readEntries(file).findLast((entry) => entry.message?.role === role).id;

/** A flag is an entry of the session, and the daemon is told to read it. */
export async function flag(options) {
  const world = await makeWorld(options);
  try {
    const pi = world.rpc();
    const early = await pi.command("/brain --flag win  before the first word ");
    await pi.say("SAY one");
    const notice = await pi.command("/brain --flag quirk it says one\n  and only one");
    const file = await pi.file();
    const flags = readEntries(file).filter((entry) => entry.customType === "brain_flag");
    const event = await eventually(() => world.brain?.events().find((sent) => sent.event === "flag"));
    const unkept = await world.run(["-e", world.extension, "--no-session", "-p", "/brain --flag note gone"]);
    return {
      early,
      notice,
      stored: flags.map(({ type, data }) => ({ type, data })),
      event: event && {
        ...event,
        sessionId: typeof event.sessionId,
        sessionFile: event.sessionFile === file,
        leafId: event.leafId === flags.at(-1).id,
      },
      unkept: { code: unkept.code, stderr: unkept.stderr.trim() },
      file: options.home ? file : undefined,
    };
  } finally {
    await world.close();
  }
}

/** The daemon hears of the start, a jump, a compaction, a fork and the end. */
export async function events(options) {
  const world = await makeWorld(options, { settings: { compaction: { keepRecentTokens: 50 } } });
  try {
    const pi = world.rpc(["-e", world.extension, "-e", tree]);
    await pi.say("SAY one");
    const target = lastId(await pi.file(), "assistant");
    await pi.say("SAY two");
    await pi.command(`/go ${target}`);
    await pi.say("BIG 8");
    await pi.say("SAY three");
    await pi.ask("compact");
    const first = await pi.file();
    const { messages } = await pi.ask("get_fork_messages");
    await pi.ask("fork", { entryId: messages[1].entryId });
    await pi.say("SAY in the fork");
    const second = await pi.file();
    const before = Date.now();
    const code = await pi.end();
    const sent = world.brain.events();
    const names = { [first]: "first", [second]: "second" };
    const heard = sent.map((event) => `${event.event} ${event.reason ?? "-"} ${names[event.sessionFile] ?? "other"}`);
    return {
      code,
      endedQuickly: Date.now() - before < 5000,
      heard: [...new Set(heard)],
      leaves: sent.every((event) => event.leafId === undefined || /^[0-9a-f]{8}$/.test(event.leafId)),
      authorised: world.brain.asked.every((request) => request.authorization?.startsWith("Bearer ")),
    };
  } finally {
    await world.close();
  }
}

/** A daemon that has gone, or that takes events and says nothing, holds nothing up. */
export async function deafDaemon(options) {
  const world = await makeWorld(options);
  try {
    const timed = async () => {
      const start = Date.now();
      const run = await world.run(["-e", world.extension, "-p", "SAY still here"]);
      return { run, took: Date.now() - start };
    };
    world.brain.reply.silent = true;
    const silent = await timed();
    world.brain.close();
    const gone = await timed();
    return { gone: gone.run, silent: silent.run, heldUp: silent.took > gone.took + 5000 };
  } finally {
    await world.close();
  }
}

/** Off: nothing. On, by variable or by file: five lessons with the first turn of a new session, and never again. */
export async function lessons(options) {
  const off = await withLessons(options, {}, {});
  const byFile = await withLessons(options, {}, { "extension.json": { lessons: true } });
  const byVariable = await withLessons(options, { PI_BRAIN_LESSONS: "1" }, {}, lessonsLater);
  return { off, byFile, byVariable };
}

async function withLessons(options, env, files, later = async () => ({})) {
  const world = await makeWorld(options, { env });
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(world.data, name), JSON.stringify(content));
    const pi = world.rpc();
    await pi.say("SAY one");
    await pi.say("SAY two");
    const [first, second] = world.stub.requests[0].messages.slice(-2).map((message) => textOf(message.content));
    const offered = pi.events
      .filter(isMessage("brain_lessons"))
      .map(({ message: { display, content } }) => ({ display, content }));
    // The request is what the model is to answer, so it comes last.
    const toldFirst = first.includes("Lesson number 5") && second === "SAY one";
    return { offered, toldFirst, ...(await later(world, pi)) };
  } finally {
    await world.close();
  }
}

async function lessonsLater(world, pi) {
  const session = await pi.file();
  await pi.end();
  const again = world.rpc(["-e", world.extension, "--session", session]);
  const offered = () => again.events.filter(isMessage("brain_lessons")).length;
  await again.say("SAY three");
  const afterResume = offered();
  await again.ask("new_session");
  await again.say("SAY four");
  const afterNew = offered() - afterResume;
  const print = await world.run(["-e", world.extension, "-p", "SAY five"]);
  const told = world.stub.requests.at(-1).messages.map((message) => textOf(message.content));
  return {
    afterResume,
    afterNew,
    inPrint: told.some((text) => text.includes("Lesson number 5")),
    printed: print.stdout,
  };
}

/** Branches are listed and gone to, by number, by label and by id. */
export async function branches(options) {
  const world = await makeWorld(options);
  try {
    const pi = world.rpc(["-e", world.extension, "-e", tree]);
    const none = await pi.command("/branches");
    const nothingToLabel = await pi.command("/label too early");
    await pi.say("SAY root");
    const file = await pi.file();
    const root = lastId(file, "assistant");
    const marked = await pi.command("/branch-here");
    await pi.say("SAY the left way");
    const left = lastId(file, "assistant");
    const labelled = await pi.command("/label left end");
    await pi.command(`/go ${root}`);
    const named = await pi.command("/branch-here crossing");
    await pi.say("SAY the right way");
    const right = lastId(file, "assistant");
    const list = await pi.command("/branches");
    const byNumber = await pi.command("/branches 1");
    await pi.say("SAY further left");
    const continued = answerBefore(file, lastId(file, "assistant"));
    const byLabel = await pi.command("/branches crossing");
    const byId = await pi.command(`/branches ${right}`);
    const unknown = await pi.command("/branches nowhere");
    const names = (text) =>
      text
        ?.replaceAll(root, "ROOT")
        .replaceAll(left, "LEFT")
        .replaceAll(right, "RIGHT")
        .replace(/(of its own), .*/g, "$1, TIME");
    const labels = readEntries(file)
      .filter((entry) => entry.type === "label")
      .map((entry) => [names(entry.targetId), entry.label]);
    const said = { none, nothingToLabel, marked, labelled, named, list, byLabel, byId, unknown };
    return {
      ...Object.fromEntries(Object.entries(said).map(([key, notice]) => [key, names(notice?.text)])),
      byNumber: byNumber.text.startsWith("Now at "),
      continuedLeft: continued === left,
      labels,
    };
  } finally {
    await world.close();
  }
}

/** The answer that stands above another one. */
function answerBefore(file, id) {
  const entries = new Map(readEntries(file).map((entry) => [entry.id, entry]));
  let at = entries.get(entries.get(id).parentId);
  while (at.message?.role !== "assistant") at = entries.get(at.parentId);
  return at.id;
}

/** In a terminal the branches are a selection. */
export async function branchesTui(options) {
  const world = await makeWorld(options);
  try {
    const pi = world.tui(["-e", world.extension, "-e", tree]);
    await pi.ready();
    for (const words of ["alpha", "beta"]) {
      await pi.enter(`SAY ${words}`);
      await pi.shows(new RegExp(`\\n\\s*${words}`));
    }
    await pi.enter("/label end of beta");
    await pi.shows(/Labelled/);
    await pi.type("/branches");
    await pi.shows(/List the branches/);
    pi.press("Escape"); // the completion
    pi.press("Enter");
    const offered = await pi.shows(/Branches of this session[^]*1\. SAY beta \[end of beta\] \(here\)/);
    pi.press("Enter");
    const went = await pi.shows(/Now at [0-9a-f]{8}|Already at/i);
    return { offered: Boolean(offered), went: Boolean(went), screen: offered && went ? undefined : pi.screen() };
  } finally {
    await world.close();
  }
}

/** A command that another extension has stays that extension's. */
export async function takenNames(options) {
  const world = await makeWorld(options);
  try {
    const other = join(world.home, "other");
    mkdirSync(other);
    const source = `export default (pi) => pi.registerCommand("label", { description: "other", handler: async (args, ctx) => ctx.ui.notify("the other's label", "info") });`;
    writeFileSync(join(other, "index.ts"), source);
    const pi = world.rpc(["-e", world.extension, "-e", other]);
    const { commands } = await pi.ask("get_commands");
    const { text } = await pi.command("/label x");
    return {
      text,
      names: commands
        .map((command) => command.name)
        .filter((name) => /label|branch|brain/.test(name))
        .sort(),
    };
  } finally {
    await world.close();
  }
}
