#!/usr/bin/env node
// Leads a whole conversation with a real pi over its RPC mode, against the stub model: tools, one of
// them failing, a branch left with a summary, a label, a change of model, a shell command, a name, a
// compaction, a clone and a fork. What is left behind are session files that pi wrote all by itself.
//
// usage: DIR/node drive-rpc.mjs --pi DIR --home DIR       what was in HOME before is deleted
//
// Prints {main, clone, fork}: the three session files, under HOME/.pi/agent/sessions.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { makeHome, options, piCli } from "./pi-module.mjs";
import { startStub } from "./stub-model.mjs";

const o = options(["pi", "home"]);
const home = resolve(o.home);
const cwd = join(home, "work");
rmSync(home, { recursive: true, force: true });
mkdirSync(cwd, { recursive: true });
writeFileSync(join(cwd, "notes.txt"), "alpha\nbeta\n");

const stub = await startStub();
const env = makeHome(home, stub.url, { compaction: { keepRecentTokens: 50 } });
const extension = fileURLToPath(new URL("./tree-extension.ts", import.meta.url));
const pi = spawn(process.execPath, [piCli(o.pi), "--mode", "rpc", "-e", extension], {
  cwd,
  env,
  stdio: ["pipe", "pipe", "inherit"],
});
const late = setTimeout(() => pi.kill("SIGKILL"), 90000);

// --- pi's side of the pipe: answers to requests, and events ---

const asked = new Map();
const watchers = new Set();
let rest = "";
pi.stdout.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines.filter((line) => line.trim())) {
    const record = JSON.parse(line);
    if (record.type === "response") asked.get(record.id)?.(record);
    else for (const watch of [...watchers]) watch(record);
  }
});
const gone = new Promise((_, fail) => pi.on("close", (code) => fail(new Error(`pi ended with ${code}`))));
gone.catch(() => {});

function ask(type, more = {}) {
  const id = `r${asked.size + 1}`;
  const answer = new Promise((done, fail) =>
    asked.set(id, (r) => (r.success ? done(r.data) : fail(new Error(`${type}: ${r.error}`)))),
  );
  pi.stdin.write(`${JSON.stringify({ id, type, ...more })}\n`);
  return Promise.race([answer, gone]);
}

function event(wanted) {
  const seen = new Promise((done) => {
    const watch = (record) => wanted(record) && (watchers.delete(watch), done());
    watchers.add(watch);
  });
  return Promise.race([seen, gone]);
}

/** Says something to the model, and waits until pi is idle again. */
async function say(message) {
  const end = event((e) => e.type === "agent_end");
  await ask("prompt", { message });
  await end;
  while ((await ask("get_state")).isStreaming) await new Promise((r) => setTimeout(r, 20));
}

/** Runs a command of the extension, which says when it is done. */
async function command(message) {
  const notice = event((e) => e.type === "extension_ui_request" && e.method === "notify");
  await ask("prompt", { message });
  await notice;
}

const file = async () => (await ask("get_state")).sessionFile;
const last = async (role) => {
  const entries = readFileSync(await file(), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return entries.findLast((e) => e.message?.role === role).id;
};

// --- the conversation ---

const made = {};
try {
  await say('CALL read {"path":"notes.txt"}');
  await say('CALL bash {"command":"echo from a tool; exit 3"}');
  const fork = await last("assistant");
  await say("SAY the wrong way");
  await command(`/go ${fork} summarize tried-and-left`);
  await say("SAY the right way");
  await command(`/mark ${await last("user")} turning point`);
  await ask("set_model", { provider: "stub", modelId: "stub-2" });
  await ask("bash", { command: "echo typed by a person" });
  await ask("set_session_name", { name: "driven by a script" });
  await say("BIG 8");
  await ask("compact");
  await say("SAY after the compaction");
  made.main = await file();
  await ask("clone");
  await say("SAY in the clone");
  made.clone = await file();
  const { messages } = await ask("get_fork_messages");
  await ask("fork", { entryId: messages[1].entryId });
  await say("SAY in the fork");
  made.fork = await file();
  console.log(JSON.stringify(made));
} finally {
  clearTimeout(late);
  pi.stdin.end();
  stub.close();
}
