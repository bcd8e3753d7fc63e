// One run of the pi-brain program, for when no daemon is there.
import { spawn, type ChildProcess } from "node:child_process";
import { BrainError } from "./errors.ts";
import { findProgram } from "./settings.ts";

/** How long a program that was told to end may take, before it is made to. */
const GRACE_MS = 2000;
const MOST_CHARACTERS = 4 << 20;

const NO_BRAIN =
  "pi-brain is not running, and its program was not found. " +
  "Start it with `pi-brain daemon start`, or install pi-brain so that `pi-brain` is on the PATH.";

export interface Run {
  args: readonly string[];
  cwd: string;
  /** The session that it is run for. */
  session?: string;
}

/** Gives the JSON that the program prints. */
export async function runProgram({ args, cwd, session }: Run, signal: AbortSignal): Promise<unknown> {
  const program = findProgram();
  if (!program) throw new BrainError(NO_BRAIN);
  signal.throwIfAborted();
  // The variable by which new pi tells programs that its tools run.
  const env = { ...process.env, ...(session === undefined ? {} : { PI_SESSION_ID: session }) };
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const { code, stdout, stderr } = await outcome(child, signal);
  if (code !== 0) throw new BrainError(lastLine(stderr) ?? `pi-brain ended with exit code ${code}.`);
  try {
    return JSON.parse(stdout);
  } catch {
    throw new BrainError("What pi-brain printed is no JSON. Is it up to date?");
  }
}

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

function outcome(child: ChildProcess, signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const said = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const)
      child[stream]?.setEncoding("utf8").on("data", (chunk: string) => {
        if (said[stream].length < MOST_CHARACTERS) said[stream] += chunk;
      });
    const stop = () => {
      end(child);
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    child.on("error", (error) => reject(new BrainError(`pi-brain could not be run: ${error.message}`)));
    child.on("close", (code) => {
      signal.removeEventListener("abort", stop);
      resolve({ code, ...said });
    });
  });
}

function end(child: ChildProcess): void {
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  child.on("close", () => clearTimeout(late));
}

function lastLine(text: string): string | undefined {
  return text.trim().split("\n").at(-1)?.trim() || undefined;
}
