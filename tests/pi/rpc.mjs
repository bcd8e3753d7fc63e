// Talks to a real pi over its RPC mode, as a person would at the terminal.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { piCli } from "./pi-module.mjs";

const extension = fileURLToPath(new URL("./tree-extension.ts", import.meta.url));

/** Starts the pi that is installed in `dir`. It is killed if it is still there after `patience` milliseconds. */
export function startPi(dir, { cwd, env, patience }) {
  const pi = spawn(process.execPath, [piCli(dir), "--mode", "rpc", "-e", extension], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const late = setTimeout(() => pi.kill("SIGKILL"), patience);

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
  const ended = new Promise((done) => pi.on("close", done));
  const gone = ended.then((code) => Promise.reject(new Error(`pi ended with ${code}`)));
  gone.catch(() => {});

  function ask(type, more = {}) {
    const id = `r${asked.size + 1}`;
    const answer = new Promise((done, fail) =>
      asked.set(id, (r) => (r.success ? done(r.data) : fail(new Refusal(`${type}: ${r.error}`)))),
    );
    pi.stdin.write(`${JSON.stringify({ id, type, ...more })}\n`);
    return Promise.race([answer, gone]);
  }

  function event(wanted) {
    const seen = new Promise((done) => {
      const watch = (record) => wanted(record) && (watchers.delete(watch), done(record));
      watchers.add(watch);
    });
    return Promise.race([seen, gone]);
  }

  return {
    ask,

    /** Says something to the model, and waits until pi is idle again. */
    async say(message) {
      const end = event((e) => e.type === "agent_end");
      await ask("prompt", { message });
      await end;
      while ((await ask("get_state")).isStreaming) await new Promise((r) => setTimeout(r, 20));
    },

    /** Runs a command of the extension, which says when it is done. */
    async command(message) {
      const isNotice = (e) => e.type === "extension_ui_request" && e.method === "notify";
      const notice = event((e) => isNotice(e) || e.type === "extension_error");
      await ask("prompt", { message });
      const { type, error } = await notice;
      if (type === "extension_error") throw new Refusal(`${message}: ${error}`);
    },

    /** The session file that pi is writing. */
    file: async () => (await ask("get_state")).sessionFile,

    /** Lets pi end, and waits for that. */
    async end() {
      pi.stdin.end();
      await ended;
      clearTimeout(late);
    },
  };
}

/** pi is there, and does not do what it was asked to. */
export class Refusal extends Error {}

/** The entries of a session file, as far as they are written. */
export function readEntries(file) {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}
