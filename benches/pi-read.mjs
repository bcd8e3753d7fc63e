#!/usr/bin/env node
// Real pi as a contestant of the session benchmark: it reads a corpus as often as it is told to, and
// says how long each time took. Starting Node and loading pi is not counted.
//
// usage: DIR/node pi-read.mjs --pi DIR --agent DIR      DIR/sessions/… is read
//
// Standard input: one word a line, `read` (open, tree and context of every session) or `list`.
// Standard output: for each a line of JSON, {milliseconds, sessions, messages}.
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { loadPi, options } from "../tests/pi/pi-module.mjs";

const o = options(["pi", "agent"]);
const { SessionManager } = await loadPi(o.pi, o.agent);
const folder = join(resolve(o.agent), "sessions");
const files = readdirSync(folder, { recursive: true })
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => join(folder, name));

const work = {
  read() {
    let messages = 0;
    for (const file of files) {
      const session = SessionManager.open(file);
      session.getTree();
      messages += session.buildSessionContext().messages.length;
    }
    return { sessions: files.length, messages };
  },
  async list() {
    const infos = await SessionManager.listAll();
    const messages = infos.reduce((sum, info) => sum + info.messageCount, 0);
    return { sessions: infos.length, messages };
  },
};

for await (const command of createInterface({ input: process.stdin })) {
  const start = performance.now();
  const seen = await work[command]();
  const milliseconds = performance.now() - start;
  process.stdout.write(`${JSON.stringify({ milliseconds, ...seen })}\n`);
}
