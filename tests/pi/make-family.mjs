#!/usr/bin/env node
// Makes one family of sessions with real pi's SessionManager: an original with branches, labels, a compaction and
// settings; forks at several depths, a fork of a fork, clones with and without turns of their own, a fork across a
// label, a fork into another project, and the same conversation as a version 1 file that pi has migrated elsewhere.
// Every fork but one clone goes on with turns of its own.
//
// usage: DIR/node make-family.mjs --pi DIR --out DIR       what was in OUT before is deleted
//   OUT/agent/sessions/<encoded cwd>/*.jsonl
//   OUT/index.json      {files: {name: path relative to OUT}, messages, cost, naive}
//
// `messages` counts what was really said, each message once; `cost` is what the answers cost together, and `naive` is
// the sum over all lines of all files.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { cwd } from "./hand-made.mjs";
import { loadPi, options, tick } from "./pi-module.mjs";
import { talk } from "./talk.mjs";

const o = options(["pi", "out"]);
const out = resolve(o.out);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const { SessionManager } = await loadPi(o.pi, join(out, "agent"));
const files = {};
let messages = 0;
let responses = 0;
let cents = 0;

/** The usage of one more answer, each at its own price, in whole cents so that sums are exact. */
function price() {
  responses += 1;
  const input = 100 + responses;
  cents += responses;
  const cost = { input: responses / 100, output: 0, cacheRead: 0, cacheWrite: 0, total: responses / 100 };
  return { input, output: 7, cacheRead: 0, cacheWrite: 0, totalTokens: input + 7, cost };
}

/** One question with a tool call, its result and an answer. Returns the ids of all four entries. */
function turn(t, name) {
  messages += 4;
  const question = t.user(`question ${name}`);
  const id = `call_${name}`;
  const content = [
    { type: "thinking", thinking: `about ${name}`, thinkingSignature: `signature of ${name}` },
    { type: "toolCall", id, name: "bash", arguments: { command: `echo ${name}`, timeout: 10 } },
  ];
  const model = { api: "openai-completions", provider: "stub", model: "stub-1" };
  const call = t.put({ role: "assistant", content, ...model, usage: price(), stopReason: "toolUse" });
  const result = t.result(id, "bash", `  ${name}\n`);
  const answer = t.say(`answer ${name}`, { usage: price(), responseId: `response-${name}` });
  return { question, call, result, answer };
}

const original = SessionManager.create(cwd);
const t = talk(original);
t.then(() => original.appendModelChange("stub", "stub-1"));
t.then(() => original.appendThinkingLevelChange("high"));
const first = turn(t, "one");
const second = turn(t, "two");
t.then(() => original.appendLabelChange(first.answer, "a good answer"));
const third = turn(t, "three");
t.then(() => original.appendThinkingLevelChange("low"));
t.put({ role: "assistant", content: [], api: "openai-completions", provider: "stub", model: "stub-1", usage: price(), stopReason: "aborted" });
const fourth = turn(t, "four");
t.then(() => original.appendCompaction("what one and two were about", third.question, 1000));
const fifth = turn(t, "five");
t.then(() => original.branchWithSummary(third.answer, "four and five led nowhere"));
const sixth = turn(t, "six");
t.then(() => original.appendSessionInfo("the original"));
const file = original.getSessionFile();
files.original = file;

/** Forks a file at an entry, as /fork and /clone do, and goes on there. */
function fork(name, from, at, turns) {
  const s = SessionManager.open(from);
  tick();
  const forked = s.createBranchedSession(at);
  files[name] = forked;
  const t = talk(s);
  return { file: forked, turns: turns.map((words) => turn(t, words)) };
}

fork("fork-early", file, first.answer, ["early"]);
const across = fork("fork-across-a-label", file, third.answer, ["across", "further across"]);
fork("fork-after-compaction", file, fifth.answer, ["after compaction"]);
fork("fork-at-a-tool-result", file, fourth.result, ["interrupted"]);
fork("fork-of-a-fork", across.file, across.turns[0].answer, ["of a fork"]);
fork("clone", file, sixth.answer, []);
fork("clone-that-went-on", file, sixth.answer, ["cloned"]);
{
  const s = SessionManager.forkFrom(file, "/home/dev/other project");
  files["fork-into-another-project"] = s.getSessionFile();
  tick();
  turn(talk(s), "elsewhere");
}
{
  // As a backup of a version 1 file, and the file itself after pi had opened it and gone on.
  const path = original.getBranch(third.answer).filter((entry) => entry.type !== "label");
  const strip = ({ id, parentId, ...rest }) => rest;
  const { version, ...header } = original.getHeader();
  const lines = [header, ...path.map(strip)].map((line) => `${JSON.stringify(line)}\n`);
  const folder = dirname(file);
  for (const name of ["version-1", "version-1-migrated"]) {
    files[name] = join(folder, `2020-01-01T00-00-00-000Z_${name}.jsonl`);
    writeFileSync(files[name], lines.join(""));
  }
  tick();
  turn(talk(SessionManager.open(files["version-1-migrated"])), "migrated");
}

const index = Object.fromEntries(Object.entries(files).map(([name, path]) => [name, relative(out, path)]));
messages += 2; // the compaction and the branch summary
writeFileSync(join(out, "index.json"), JSON.stringify({ files: index, messages, cost: cents / 100, naive: naive() }));

function naive() {
  let sum = 0;
  for (const path of Object.values(files)) {
    for (const line of readFileSync(path, "utf8").trim().split("\n").map((line) => JSON.parse(line))) {
      sum += Math.round((line.message?.usage?.cost?.total ?? 0) * 100);
    }
  }
  return sum / 100;
}
