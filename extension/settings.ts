// What the user has set: by environment variables, and in the brain's data folder.
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

const TIMEOUT_MS = 30_000;
/** The most that a timer of Node takes. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export interface Daemon {
  url: string;
  token: string | undefined;
}

/** How long to wait for an answer. */
export function timeoutMs(): number {
  const set = Number(process.env["PI_BRAIN_TIMEOUT_MS"]);
  return set > 0 ? Math.min(set, LONGEST_TIMEOUT_MS) : TIMEOUT_MS;
}

/** Whether lessons are to be offered at the start of a session. */
export function wantsLessons(): boolean {
  const set = process.env["PI_BRAIN_LESSONS"];
  if (set !== undefined && set !== "") return set !== "0";
  return readObject("extension.json")?.["lessons"] === true;
}

/** The daemon that has left its address in the data folder. It may have gone since. */
export function findDaemon(): Daemon | undefined {
  const file = readObject("daemon.json");
  const left = { url: text(file?.["address"]) && `http://${text(file?.["address"])}`, token: text(file?.["token"]) };
  const url = process.env["PI_BRAIN_URL"] || left.url;
  if (!url || !URL.canParse(url)) return undefined;
  // The token opens the brain of this machine and is no business of another one.
  const token = process.env["PI_BRAIN_TOKEN"] || (isLoopback(url) ? left.token : undefined);
  return { url: url.replace(/\/+$/, ""), token };
}

/** The pi-brain program, wherever people put programs. */
export function findProgram(): string | undefined {
  const named = process.env["PI_BRAIN_BIN"];
  if (named) return isProgram(named) ? named : undefined;
  // A relative folder on the PATH would let the project at hand choose the program.
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  folders.push(join(homedir(), ".cargo/bin"), join(homedir(), ".local/bin"));
  return folders.map((folder) => join(folder, "pi-brain")).find(isProgram);
}

function dataFolder(): string {
  return process.env["PI_BRAIN_HOME"] || join(homedir(), ".pi-brain");
}

function readObject(name: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(dataFolder(), name), "utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // absent, or half written: as good as absent
  }
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isLoopback(url: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
