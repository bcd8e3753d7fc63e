// One request to the daemon.
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { BrainError } from "./errors.ts";
import type { Daemon } from "./settings.ts";

/** More than any answer has; what sends more is no brain. */
const MOST_CHARACTERS = 4 << 20;

export interface Request {
  method: "GET" | "POST";
  path: string;
  body?: unknown;
}

/** Nobody answers at the daemon's address, or not to the end. */
export class NoDaemon extends Error {}

/** Gives the JSON of the response, or `undefined` if it has none. */
export async function callDaemon(daemon: Daemon, request: Request, signal: AbortSignal): Promise<unknown> {
  const response = await send(daemon, request, signal);
  const text = await read(response, signal);
  const status = response.statusCode ?? 0;
  const value = parse(text);
  if (status >= 400) throw new BrainError(complaint(value) ?? `The brain refused with status ${status}.`);
  if (value === undefined && text !== "") throw new BrainError("What answered at the brain's address is not pi-brain.");
  return value;
}

// Not `fetch`: pi sends that through the proxy of the environment, and neither the question nor the
// token is to leave the machine.
function send(daemon: Daemon, { method, path, body }: Request, signal: AbortSignal): Promise<IncomingMessage> {
  const url = new URL(daemon.url + path);
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(daemon.token === undefined ? {} : { authorization: `Bearer ${daemon.token}` }),
    "content-type": "application/json",
    ...(payload === undefined ? {} : { "content-length": Buffer.byteLength(payload) }),
  };
  const open = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = open(url, { method, headers, signal, agent: false }, resolve);
    sent.on("error", () => reject(signal.aborted ? signal.reason : new NoDaemon()));
    sent.end(payload);
  });
}

async function read(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  let text = "";
  try {
    for await (const chunk of response.setEncoding("utf8")) {
      text += chunk;
      if (text.length > MOST_CHARACTERS) break;
    }
  } catch {
    throw signal.aborted ? signal.reason : new NoDaemon();
  }
  if (text.length > MOST_CHARACTERS) throw new BrainError("The brain's answer is too long to be one.");
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function complaint(value: unknown): string | undefined {
  const { message, hint } = (value as { error?: { message?: unknown; hint?: unknown } } | undefined)?.error ?? {};
  if (typeof message !== "string") return undefined;
  const advice = typeof hint === "string" && hint !== "" ? ` (${hint})` : "";
  return `The brain refused: ${message}${advice}`;
}
