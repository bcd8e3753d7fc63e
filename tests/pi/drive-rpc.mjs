#!/usr/bin/env node
// Leads a whole conversation with a real pi over its RPC mode, against the stub model: tools, one of
// them failing, a branch left with a summary, a label, a change of model, a shell command, a name, a
// compaction, a clone and a fork. What is left behind are session files that pi wrote all by itself.
//
// usage: DIR/node drive-rpc.mjs --pi DIR --home DIR       what was in HOME before is deleted
//
// Prints {main, clone, fork}: the three session files, under HOME/.pi/agent/sessions.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeHome, options } from "./pi-module.mjs";
import { readEntries, startPi } from "./rpc.mjs";
import { startStub } from "./stub-model.mjs";

const o = options(["pi", "home"]);
const home = resolve(o.home);
const cwd = join(home, "work");
rmSync(home, { recursive: true, force: true });
mkdirSync(cwd, { recursive: true });
writeFileSync(join(cwd, "notes.txt"), "alpha\nbeta\n");

const stub = await startStub();
const env = makeHome(home, stub.url, { compaction: { keepRecentTokens: 50 } });
const { ask, say, command, file, end } = startPi(o.pi, { cwd, env, patience: 90000 });
const last = async (role) => readEntries(await file()).findLast((e) => e.message?.role === role).id;

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
  await end();
  stub.close();
}
