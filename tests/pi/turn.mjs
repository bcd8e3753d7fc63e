#!/usr/bin/env node
// Lets a real pi take one turn in a session file: resumes it, says something, and waits for the
// answer of the stub model, which pi then appends to the file.
//
// usage: DIR/node turn.mjs --pi DIR --session FILE --prompt TEXT
//
// Prints {exitCode, stopReason, text, stderr}: how pi ended, and its answer (null if there was none).
// pi gets a home folder of its own and works in the folder that the session names. pi refuses a
// session whose folder is gone; such a session is continued in a copy that names a temporary folder,
// and then put back, with the header it had.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makeHome, options, piCli } from "./pi-module.mjs";
import { startStub } from "./stub-model.mjs";

const o = options(["pi", "session", "prompt"]);
const file = resolve(o.session);
const temporary = mkdtempSync(join(tmpdir(), "pi-turn-"));
const workFolder = join(temporary, "work");
mkdirSync(workFolder);
const stub = await startStub();
const env = makeHome(temporary, stub.url, { retry: { enabled: false } });

try {
  const before = splitAtHeader(file);
  const named = before.header?.cwd;
  if (typeof named !== "string" || existsSync(named)) {
    say(await takeTurn(file, typeof named === "string" ? named : workFolder));
  } else {
    const copy = join(temporary, "session.jsonl");
    const moved = { ...before.header, cwd: workFolder };
    write(copy, before, JSON.stringify(moved));
    const turn = await takeTurn(copy, workFolder);
    say({ ...turn, stderr: turn.stderr.replaceAll(copy, file) });
    const after = splitAtHeader(copy);
    const untouched = JSON.stringify(after.header) === JSON.stringify(moved);
    write(file, after, untouched ? before.lines[before.at] : JSON.stringify({ ...after.header, cwd: named }));
  }
} finally {
  stub.close();
  rmSync(temporary, { recursive: true, force: true });
}

function say(result) {
  console.log(JSON.stringify(result));
}

/** Runs pi's command line in JSON mode for one prompt. */
function takeTurn(session, cwd) {
  const args = [piCli(o.pi), "--session", session, "--mode", "json", "-p", o.prompt];
  const pi = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const late = setTimeout(() => pi.kill("SIGKILL"), 50000);
  let stdout = "";
  let stderr = "";
  pi.stdout.setEncoding("utf8").on("data", (chunk) => (stdout += chunk));
  pi.stderr.setEncoding("utf8").on("data", (chunk) => (stderr += chunk));
  return new Promise((done) => {
    pi.on("close", (exitCode) => {
      clearTimeout(late);
      const ends = stdout
        .split("\n")
        .filter((line) => line.startsWith('{"type":"message_end"'))
        .map((line) => JSON.parse(line).message);
      const answer = ends.filter((message) => message.role === "assistant").at(-1);
      const text = answer?.content
        .filter((block) => block.type === "text")
        .map((block) => block.text)
        .join("");
      done({ exitCode, stopReason: answer?.stopReason ?? null, text: text ?? null, stderr });
    });
  });
}

/** The lines of a session file as bytes, the header among them, and which line that is. */
function splitAtHeader(path) {
  const bytes = readFileSync(path);
  const lines = [];
  for (let from = 0, to; from <= bytes.length; from = to + 1) {
    to = bytes.indexOf("\n", from);
    if (to < 0) to = bytes.length;
    lines.push(bytes.subarray(from, to));
  }
  for (const [at, line] of lines.entries()) {
    try {
      const header = JSON.parse(line);
      return header?.type === "session" ? { lines, at, header } : { lines };
    } catch {
      // no JSON: pi skips it too
    }
  }
  return { lines };
}

/** Writes those lines to a file, with another header. */
function write(path, { lines, at }, header) {
  const parts = lines.with(at, Buffer.from(header)).flatMap((line, n) => (n ? [Buffer.from("\n"), line] : [line]));
  writeFileSync(path, Buffer.concat(parts));
}
