// What the brain can be asked and told: through the daemon if one answers, else through the program.
import { connect } from "node:net";
import { callDaemon, NoDaemon, type Request } from "./daemon.ts";
import { BrainError } from "./errors.ts";
import { type Run, runProgram } from "./program.ts";
import { clean } from "./quote.ts";
import { findDaemon, timeoutMs } from "./settings.ts";

export interface Source {
  nodeId: string | null;
  session: string;
  entry: string;
  file: string;
  line: number;
  excerpt: string;
}

export interface RelatedNode {
  id: string;
  relevance: number;
  summary: string;
}

export interface Answer {
  summary: string;
  answer: string;
  relatedNodes: RelatedNode[];
  /** None: nothing is known. */
  sources: Source[];
  confidence: "high" | "medium" | "low";
}

export interface Briefing {
  summary: string;
  /** The whole of it, as Markdown. */
  text: string;
  lessons: { summary: string; level: string; nodeId: string }[];
}

export interface Question {
  query: string;
  project: string;
  /** The session that asks: what was just said in it is no news to it. */
  session: string;
  /** `provider/id`, if the session has a model. */
  model: string | undefined;
  limit: number | undefined;
  /** Whether a model may put the answer into words, too, if the brain has one: that takes seconds, and money. */
  byModel: boolean;
}

export interface SessionEvent {
  event: "session_start" | "session_tree" | "session_compact" | "session_shutdown" | "flag";
  sessionId: string;
  sessionFile: string | undefined;
  reason: string | undefined;
  leafId: string | undefined;
}

export async function ask(question: Question, signal?: AbortSignal): Promise<Answer> {
  const { query, project, session, model, limit, byModel } = question;
  const request: Request = {
    method: "POST",
    path: "/api/query",
    body: { query, context: { project, session, model }, options: { limit, model: byModel } },
  };
  const limited = limit === undefined ? [] : ["--limit", String(limit)];
  const alone = byModel ? [] : ["--no-model"];
  // After `--` a question may start with a dash.
  const args = ["ask", "--json", "--redact", ...limited, ...alone, "--", query];
  return readAnswer(await obtain(request, { args, cwd: project, session }, signal));
}

/** What is known about a project. */
export async function brief(project: string, signal?: AbortSignal): Promise<Briefing> {
  const request: Request = { method: "GET", path: `/api/v1/briefing?project=${encodeURIComponent(project)}` };
  return readBriefing(await obtain(request, { args: ["brief", "--json"], cwd: project }, signal));
}

/** Tells the daemon of something it will see in the session file anyway, only later. Never fails. */
export async function tell(event: SessionEvent, withinMs: number): Promise<void> {
  const daemon = findDaemon();
  if (!daemon) return;
  const request: Request = { method: "POST", path: "/api/v1/events", body: event };
  await callDaemon(daemon, request, AbortSignal.timeout(withinMs)).catch(() => {});
}

/** Where the web page is, if somebody serves it. */
export async function webAddress(): Promise<string> {
  const daemon = findDaemon();
  if (daemon && (await isServed(daemon.url))) return daemon.url;
  throw new BrainError(
    "The page is served by the daemon, which is not running. Start it with `pi-brain daemon start`.",
  );
}

async function obtain(request: Request, run: Run, stop?: AbortSignal): Promise<unknown> {
  const patience = timeoutMs();
  const late = AbortSignal.timeout(patience);
  const signal = stop ? AbortSignal.any([stop, late]) : late;
  try {
    return await fromDaemonOrProgram(request, run, signal);
  } catch (error) {
    if (stop?.aborted || !late.aborted) throw error;
    const seconds = Number((patience / 1000).toFixed(1));
    throw new BrainError(`The brain did not answer within ${seconds} s. PI_BRAIN_TIMEOUT_MS sets how long to wait.`);
  }
}

async function fromDaemonOrProgram(request: Request, run: Run, signal: AbortSignal): Promise<unknown> {
  const daemon = findDaemon();
  try {
    if (daemon) return await callDaemon(daemon, request, signal);
  } catch (error) {
    if (!(error instanceof NoDaemon)) throw error;
  }
  return runProgram(run, signal);
}

function isServed(address: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(address);
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, "");
    const socket = connect({ host, port: Number(port) || (protocol === "https:" ? 443 : 80), timeout: 500 });
    const settle = (served: boolean) => {
      socket.destroy();
      resolve(served);
    };
    socket.once("connect", () => settle(true));
    socket.once("timeout", () => settle(false));
    socket.once("error", () => settle(false));
  });
}

// What comes over the wire is taken field by field, so that a part of it that is missing, or of another
// kind, costs that part only; and every text is cleaned on the way in.

function readAnswer(value: unknown): Answer {
  const from = fields(value);
  if (!from || typeof from["answer"] !== "string")
    throw new BrainError(
      "The brain's answer has another form than expected. Are pi-brain and this extension up to date?",
    );
  const confidence = from["confidence"];
  return {
    summary: text(from["summary"]),
    answer: text(from["answer"]),
    relatedNodes: list(from["relatedNodes"]).map((node) => ({
      id: text(node["id"]),
      relevance: number(node["relevance"]),
      summary: text(node["summary"]),
    })),
    sources: list(from["sources"]).map((source) => ({
      nodeId: text(source["nodeId"]) || null,
      session: text(source["session"]),
      entry: text(source["entry"]),
      file: text(source["file"]),
      line: number(source["line"]),
      excerpt: text(source["excerpt"]),
    })),
    confidence: confidence === "high" || confidence === "medium" ? confidence : "low",
  };
}

function readBriefing(value: unknown): Briefing {
  const from = fields(value) ?? {};
  const lessons = list(from["lessons"]).map((lesson) => ({
    summary: text(lesson["summary"]),
    level: text(lesson["level"]),
    nodeId: text(lesson["nodeId"]),
  }));
  return { summary: text(from["summary"]), text: text(from["text"]), lessons: lessons.filter((l) => l.summary !== "") };
}

function fields(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((item) => fields(item) ?? {}) : [];
}

const text = (value: unknown) => (typeof value === "string" ? clean(value) : "");
const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : 0);
