#!/usr/bin/env node
// Says what real pi makes of session files, so that another reader can be compared with it.
//
// usage: DIR/node oracle.mjs --pi DIR [--timeout SECONDS] [--leaves N] < paths      one path a line
//
// For each path one line of JSON, in the same order and as soon as it is known:
//   file        the path as it was given
//   listed      how pi lists the file, or null if it leaves it out; invalid dates are null
//   rewritten   whether opening changed the file (a copy is opened, never the file itself)
//   header, cwd, name, leafId
//   entries     [id, parentId, type] of each, null where missing
//   tree        [{id, type, label?, labelTimestamp?, children}]
//   branch      ids from the root to the leaf
//   labels      {id: label}
//   context     {messages, thinkingLevel, model} that the model would get
//   contexts    with --leaves: {id: context} of up to N entries that nothing follows
//   compaction  for several keepRecentTokens: where pi would cut, or null if it would not compact
//   abandoned   for two targets: what pi would summarise on leaving the current branch for them
//   error       the first thing that pi threw; the fields it could not give are left out
// pi runs in `/`, which therefore is the cwd of a session that does not say its own.
//
// From a session whose parents form a loop pi does not come back: it walks on until an array or the
// memory is full. With --timeout the process ends after that time, or when memory runs out, with exit
// code 9. What was said before stands.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { loadCompaction, loadPi, options } from "./pi-module.mjs";

const o = options(["pi"], ["timeout", "watchdog", "leaves"]);

if (o.timeout) {
  // The work is done by a child, which a thread of its own ends: its main thread may never return.
  const self = [fileURLToPath(import.meta.url), "--pi", o.pi, "--watchdog", o.timeout];
  if (o.leaves) self.push("--leaves", o.leaves);
  const TMPDIR = mkdtempSync(join(tmpdir(), "pi-oracle-"));
  const env = { ...process.env, TMPDIR };
  const child = spawnSync(process.execPath, ["--max-old-space-size=1024", ...self], { stdio: "inherit", env });
  rmSync(TMPDIR, { recursive: true, force: true });
  process.exit(child.signal ? 9 : child.status);
}
if (o.watchdog) {
  const watch = `setTimeout(() => process.kill(process.pid, "SIGKILL"), ${Number(o.watchdog) * 1000})`;
  new Worker(watch, { eval: true }).unref();
}

const work = mkdtempSync(join(tmpdir(), "pi-oracle-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
const compaction = await loadCompaction(o.pi);
const { SessionManager, collectEntriesForBranchSummary } = await loadPi(o.pi, join(work, "agent"));
const startedIn = process.cwd();
process.chdir("/");

let count = 0;
for await (const path of lines(process.stdin)) {
  const folder = join(work, String(++count));
  mkdirSync(folder);
  process.stdout.write(`${await reading(path, folder)}\n`);
  rmSync(folder, { recursive: true, force: true });
}

async function* lines(stream) {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8")) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop();
    yield* parts.filter(Boolean);
  }
  if (rest) yield rest;
}

/** One line of JSON about one file. It is put together from parts, for deep trees overflow JSON.stringify. */
async function reading(path, folder) {
  const copy = join(folder, basename(path));
  const parts = [`"file":${JSON.stringify(path)}`];
  let failure;
  const say = (name, json) => parts.push(`"${name}":${json}`);
  const fail = (error) => (failure ??= String(error?.message ?? error).replaceAll(copy, path));
  const field = (name, make, toJson = JSON.stringify) => {
    try {
      say(name, toJson(make() ?? null));
    } catch (error) {
      fail(error);
    }
  };

  try {
    const original = resolve(startedIn, path);
    copyFileSync(original, copy);
    const { atime, mtime } = statSync(original);
    utimesSync(copy, atime, mtime);
    say("listed", JSON.stringify(await listing(path, folder)));
    const before = readFileSync(copy);
    const s = SessionManager.open(copy);
    say("rewritten", !before.equals(readFileSync(copy)));
    field("header", () => s.getHeader());
    field("cwd", () => s.getCwd());
    field("name", () => s.getSessionName());
    field("leafId", () => s.getLeafId());
    field("entries", () => s.getEntries().map((e) => [e.id ?? null, e.parentId ?? null, e.type ?? null]));
    field("tree", () => s.getTree(), treeToJson);
    field("branch", () => s.getBranch().map(idOf));
    field("labels", () =>
      Object.fromEntries(
        s
          .getEntries()
          .map((e) => [e.id, s.getLabel(e.id)])
          .filter(([, l]) => l),
      ),
    );
    field("context", () => s.buildSessionContext());
    if (o.leaves) field("contexts", () => contexts(s, Number(o.leaves)));
    if (compaction) field("compaction", () => [1, 10, 50, 200, 20000].map((n) => cut(s, n)));
    if (collectEntriesForBranchSummary) field("abandoned", () => targets(s).map((id) => left(s, id)));
  } catch (error) {
    fail(error);
  }
  if (failure !== undefined) say("error", JSON.stringify(failure));
  return `{${parts.join(",")}}`;
}

async function listing(path, folder) {
  // Newer pi takes a folder in listAll, and its list leaves out sessions of another cwd.
  const found = await (SessionManager.findById ? SessionManager.listAll(folder) : SessionManager.list(folder, folder));
  const info = found[0];
  return info ? { ...info, path, name: info.name ?? null, parentSessionPath: info.parentSessionPath ?? null } : null;
}

function treeToJson(roots) {
  const out = ["["];
  const levels = [{ nodes: roots, next: 0 }];
  while (levels.length) {
    const level = levels.at(-1);
    if (level.next === level.nodes.length) {
      levels.pop();
      out.push(levels.length ? "]}" : "]");
      continue;
    }
    if (level.next) out.push(",");
    const { entry, label, labelTimestamp, children } = level.nodes[level.next++];
    const node = { id: idOf(entry), type: entry.type ?? null, ...(label ? { label, labelTimestamp } : {}) };
    out.push(JSON.stringify(node).slice(0, -1), ',"children":[');
    levels.push({ nodes: children, next: 0 });
  }
  return out.join("");
}

/** The context at each entry that nothing follows. Going there changes nothing in the file. */
function contexts(s, most) {
  const entries = s.getEntries();
  const followed = new Set(entries.map((e) => e.parentId));
  const parents = new Map(entries.map((e) => [e.id, e.parentId]));
  // pi never comes back from a leaf whose parents run in a circle.
  const ends = (id, steps = 0) => {
    while (parents.has(id) && steps++ <= entries.length) id = parents.get(id);
    return steps <= entries.length;
  };
  const ids = [...parents.keys()].filter((id) => typeof id === "string");
  const leaves = ids.filter((id) => !followed.has(id) && ends(id));
  const at = (id) => {
    s.branch(id);
    return s.buildSessionContext();
  };
  return Object.fromEntries(leaves.slice(0, most).map((id) => [id, at(id)]));
}

/** What pi would do if it were to compact now and keep about that many tokens. */
function cut(s, keepRecentTokens) {
  try {
    const p = compaction.prepareCompaction(s.getBranch(), { enabled: true, reserveTokens: 16384, keepRecentTokens });
    if (!p) return null;
    return {
      keepRecentTokens,
      firstKeptEntryId: p.firstKeptEntryId,
      isSplitTurn: p.isSplitTurn,
      tokensBefore: p.tokensBefore,
      previousSummary: p.previousSummary ?? null,
      summarized: p.messagesToSummarize.length,
      turnPrefix: p.turnPrefixMessages.length,
      ...compaction.computeFileLists(p.fileOps),
    };
  } catch (error) {
    return { keepRecentTokens, error: String(error.message) };
  }
}

/** The first entry and the one in the middle, as far as they have ids. */
function targets(s) {
  const entries = s.getEntries();
  const ids = [entries[0], entries[entries.length >> 1]].map((e) => e?.id).filter((id) => typeof id === "string");
  return [...new Set(ids)];
}

function left(s, target) {
  const { entries, commonAncestorId } = collectEntriesForBranchSummary(s, s.getLeafId(), target);
  return { target, commonAncestorId: commonAncestorId ?? null, entries: entries.map(idOf) };
}

function idOf(entry) {
  return entry.id ?? null;
}
