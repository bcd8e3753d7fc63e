#!/usr/bin/env node
// Performs a list of operations with real pi's SessionManager, so that what another program writes
// for the same operations can be compared with what pi writes.
//
// usage: DIR/node run-ops.mjs --pi DIR --dir AGENT < operations.json
//
// In: [{op, …, as?}]; the ops and their arguments are the table below. `as` names the id that the
// operation gives; where an id is wanted, "@name" stands for it (any other string is itself, null is
// no entry).
// Out: {files: [the session files there are now, in the order they were begun], leaf, ids: {name: id},
// errors: [{index, message}]}. An operation that fails, or that this pi does not have, is noted and
// the next one is done.
import { existsSync } from "node:fs";
import { loadPi, options, readStdin, tick } from "./pi-module.mjs";

const o = options(["pi", "dir"]);
const { SessionManager } = await loadPi(o.pi, o.dir);
const operations = JSON.parse(await readStdin());
const files = new Set();
const ids = {};
const errors = [];
let current;

/** The id that `value` stands for. */
const id = (value) => {
  if (typeof value !== "string" || !value.startsWith("@")) return value;
  if (!(value.slice(1) in ids)) throw new Error(`no id is named ${value}`);
  return ids[value.slice(1)];
};
const session = () => {
  if (!current) throw new Error("no session yet");
  return current;
};
const call = (method, ...args) => {
  if (!session()[method]) throw new Error(`this pi has no ${method}`);
  return session()[method](...args);
};

const ops = {
  create: ({ cwd }) => void (current = SessionManager.create(cwd)),
  newSession: ({ parent }) => void call("newSession", parent ? { parentSession: session().getSessionFile() } : {}),
  reopen: () => void (current = SessionManager.open(session().getSessionFile())),
  appendMessage: ({ message }) => call("appendMessage", message),
  appendModelChange: ({ provider, modelId }) => call("appendModelChange", provider, modelId),
  appendThinkingLevelChange: ({ level }) => call("appendThinkingLevelChange", level),
  appendCompaction: ({ summary, firstKept, tokensBefore, details, fromHook, usage }) =>
    call("appendCompaction", summary, id(firstKept), tokensBefore, details, fromHook, usage),
  appendCustomEntry: ({ customType, data }) => call("appendCustomEntry", customType, data),
  appendCustomMessageEntry: ({ customType, content, display, details }) =>
    call("appendCustomMessageEntry", customType, content, display, details),
  appendLabelChange: ({ target, label }) => call("appendLabelChange", id(target), label),
  appendSessionInfo: ({ name }) => call("appendSessionInfo", name),
  appendUsage: ({ kind, provider, model, usage, note }) => call("appendUsage", kind, provider, model, usage, note).id,
  appendContextEdit: ({ target, replacement }) => call("appendContextEdit", id(target), replacement),
  branch: ({ to }) => void call("branch", id(to)),
  resetLeaf: () => void call("resetLeaf"),
  branchWithSummary: ({ to, summary, details, fromHook, usage }) =>
    call("branchWithSummary", id(to), summary, details, fromHook, usage),
  createBranchedSession: ({ leaf }) => void call("createBranchedSession", id(leaf)),
  forkFrom: ({ cwd }) => void (current = SessionManager.forkFrom(session().getSessionFile(), cwd)),
};

for (const [index, { op, as, ...args }] of operations.entries()) {
  tick();
  try {
    if (!ops[op]) throw new Error(`no operation ${op}`);
    const made = ops[op](args);
    if (as !== undefined && made !== undefined) ids[as] = made;
  } catch (error) {
    errors.push({ index, message: String(error.message) });
  }
  if (current) files.add(current.getSessionFile());
}

const leaf = current?.getLeafId() ?? null;
console.log(JSON.stringify({ files: [...files].filter((file) => existsSync(file)), leaf, ids, errors }));
