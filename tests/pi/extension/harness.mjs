// Runs the real pi with the extension: over RPC, in print and JSON mode, and in a terminal.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeHome, piCli } from "../pi-module.mjs";
import { startStub } from "../stub-model.mjs";
import { startBrain, TOKEN } from "./stand-in.mjs";

const PATIENCE_MS = 40_000;

/** Those that are open. Told to end, a run of scenarios leaves neither processes nor folders behind. */
const worlds = new Set();
process.once("SIGTERM", async () => {
  for (const world of worlds) await world.close();
  process.exit(143);
});

/**
 * The world of one scenario: a home folder, a scripted model, a brain (the stand-in, unless the options
 * name another), and ways to start pi in it. `close` ends all of it.
 */
export async function makeWorld(options, { daemon = true, program, settings = {}, env: more = {} } = {}) {
  const home = options.home ?? mkdtempSync(join(tmpdir(), "pi-brain-extension-"));
  const cwd = options.cwd ?? join(home, "work");
  mkdirSync(cwd, { recursive: true });
  const stub = await startStub();
  const brain = options["stand-in"] ? await startBrain() : undefined;
  const data = join(home, ".pi-brain");
  const env = { ...makeHome(home, stub.url, settings), PATH: safePath(home, program), ...more };
  const extension = options.extension;
  if (daemon) writeDaemonFile(data, brain ? `http://${brain.address}` : options["brain-url"], options.token ?? TOKEN);
  if (options.bin && program === undefined) env.PI_BRAIN_BIN = options.bin;
  const running = [];
  const world = { home, cwd, data, stub, brain, env, extension, options };
  world.rpc = (args = ["-e", extension]) => {
    const pi = startRpc(options.pi, args, { cwd, env });
    running.push(pi);
    return pi;
  };
  world.run = (args) => runOnce(options.pi, args, { cwd, env });
  world.tui = (args = ["-e", extension]) => {
    const terminal = startTerminal(options.pi, args, { home, cwd, env });
    running.push(terminal);
    return terminal;
  };
  worlds.add(world);
  world.close = async () => {
    worlds.delete(world);
    for (const pi of running) await pi.end();
    stub.close();
    brain?.close();
    if (!options.home) rmSync(home, { recursive: true, force: true });
  };
  return world;
}

function writeDaemonFile(data, url, token) {
  if (!url) return; // a real daemon has left its own
  mkdirSync(data, { recursive: true });
  const file = { pid: process.pid, address: new URL(url).host, token, since: "2026-01-01T00:00:00Z", version: "0.1.0" };
  writeFileSync(join(data, "daemon.json"), JSON.stringify(file));
  chmodSync(join(data, "daemon.json"), 0o600);
}

/** A PATH with a program `pi-brain` made of those shell lines, or with none, whatever the machine has. */
function safePath(home, program) {
  const folder = join(home, "bin");
  mkdirSync(folder, { recursive: true });
  if (program) writeFileSync(join(folder, "pi-brain"), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  return `${folder}:/usr/local/bin:/usr/bin:/bin`;
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Waits until `look` gives something, and gives that; or gives `undefined` when patience ends. */
export async function eventually(look, patience = 8000) {
  for (const start = Date.now(); Date.now() - start < patience; await sleep(20)) {
    const seen = await look();
    if (seen) return seen;
  }
  return undefined;
}

function startRpc(dir, args, { cwd, env }) {
  const pi = spawn(process.execPath, [piCli(dir), "--mode", "rpc", ...args], { cwd, env, stdio: "pipe" });
  const late = setTimeout(() => pi.kill("SIGKILL"), PATIENCE_MS);
  const events = [];
  const answers = new Map();
  let asked = 0;
  let rest = "";
  let stderr = "";
  pi.stderr.setEncoding("utf8").on("data", (chunk) => (stderr += chunk));
  pi.stdout.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines.filter((line) => line.trim())) {
      const record = JSON.parse(line);
      if (record.type === "response") answers.set(record.id, record);
      else events.push(record);
    }
  });
  let ended = false;
  const end = new Promise((done) => pi.on("close", done)).then((code) => {
    ended = true;
    clearTimeout(late);
    return code;
  });

  const rpc = {
    events,
    stderr: () => stderr,
    send: (type, more = {}) => {
      const id = `r${++asked}`;
      pi.stdin.write(`${JSON.stringify({ id, type, ...more })}\n`);
      return id;
    },
    async ask(type, more = {}) {
      const id = rpc.send(type, more);
      const answer = await eventually(
        () => answers.get(id) ?? (ended && { success: false, error: `pi ended: ${stderr}` }),
        30_000,
      );
      if (!answer?.success) throw new Error(`${type}: ${answer?.error ?? "no answer"}`);
      return answer.data;
    },
    /** The first event that fits, from the one numbered `from`. */
    seen: (fits, from = 0, patience = 15_000) => eventually(() => events.slice(from).find(fits), patience),
    /** Says something to the model, and waits until pi is idle again. */
    async say(message) {
      const from = events.length;
      await rpc.ask("prompt", { message });
      await rpc.seen((event) => event.type === "agent_end", from);
      await eventually(async () => !(await rpc.ask("get_state")).isStreaming);
    },
    /** Runs a command, and waits for the notice that it ends with. */
    async command(message) {
      const from = events.length;
      rpc.send("prompt", { message });
      const fits = (event) => isNotice(event) || event.type === "extension_error";
      const event = await rpc.seen(fits, from);
      return event && { text: event.message ?? event.error, kind: event.notifyType ?? event.type };
    },
    file: async () => (await rpc.ask("get_state")).sessionFile,
    async end() {
      pi.stdin.end();
      return end;
    },
  };
  return rpc;
}

export const isNotice = (event) => event.type === "extension_ui_request" && event.method === "notify";
export const isMessage = (customType) => (event) =>
  event.type === "message_end" && event.message.customType === customType;

function runOnce(dir, args, { cwd, env }) {
  const pi = spawn(process.execPath, [piCli(dir), ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const late = setTimeout(() => pi.kill("SIGKILL"), PATIENCE_MS);
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"])
    pi[stream].setEncoding("utf8").on("data", (chunk) => (said[stream] += chunk));
  return new Promise((done) =>
    pi.on("close", (code) => {
      clearTimeout(late);
      done({ code, ...said });
    }),
  );
}

/** pi in a terminal of its own, which is read as a person reads it. */
function startTerminal(dir, args, { home, cwd, env }) {
  const name = `pi-brain-${process.pid}-${Date.now()}`;
  const tmux = (...words) =>
    execFileSync("tmux", ["-L", name, "-f", "/dev/null", ...words], {
      env: { ...env, TMUX_TMPDIR: home },
      encoding: "utf8",
    });
  const vars = Object.entries({ ...env, TERM: "screen-256color" }).map(([key, value]) => `${key}=${value}`);
  tmux(
    "new-session",
    "-d",
    "-x",
    "140",
    "-y",
    "50",
    "-c",
    cwd,
    "env",
    "-i",
    ...vars,
    process.execPath,
    piCli(dir),
    ...args,
  );
  const screen = () => tmux("capture-pane", "-p", "-t", "0");
  const press = (key) => tmux("send-keys", "-t", "0", key);
  const type = async (text) => {
    for (const letter of text) tmux("send-keys", "-t", "0", "-l", letter);
    await eventually(() => screen().includes(text));
    await sleep(50);
  };
  return {
    screen,
    type,
    press,
    /** Types a line, and sends it once it stands there: what comes too fast is taken for a paste. */
    async enter(text) {
      await type(text);
      press("Enter");
    },
    /** Waits until pi has loaded everything and takes input. */
    ready: () => eventually(() => /\[Extensions\][^]*stub-1/.test(screen()), 15_000),
    /** The screen once it shows that. */
    shows: (pattern, patience = 15_000) => eventually(() => (pattern.test(screen()) ? screen() : undefined), patience),
    async end() {
      try {
        tmux("kill-server");
      } catch {
        // it has ended by itself
      }
    },
  };
}

/** The entries of a session file, as far as they are written. */
export function readEntries(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** Text of a message as the scripted model receives it. */
export const textOf = (content) =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");
