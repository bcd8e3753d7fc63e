/** What the page asks the daemon. Everything here is typed by the daemon's own description of itself. */

import createClient, { type Middleware } from "openapi-fetch";

import type { paths } from "./schema";

/** Something that the daemon would not or could not do, in its own words. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(
    /** The HTTP status; 0 if the daemon did not answer at all. */
    readonly status: number,
    readonly code: string,
    message: string,
    /** What to do about it. */
    readonly hint: string | undefined,
  ) {
    super(message);
  }
}

/** What lets the page change things. It is given to this page only, by its own daemon, and never kept on disk. */
const KEY = "pi-brain-token";
let token: Promise<string | undefined> | undefined;

async function fetchToken(): Promise<string | undefined> {
  const typed = typedToken();
  if (typed !== undefined) return typed;
  const answer = await fetch("/api/page");
  if (!answer.ok) return undefined;
  const { token } = (await answer.json()) as { token: string };
  return token;
}

/** Returns the token if a person had to type it, because the daemon gives it to nobody. */
export function typedToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

/** Takes the token that a person typed, where the daemon listens beyond this machine and gives it to nobody. */
export function useToken(typed: string): void {
  sessionStorage.setItem(KEY, typed);
  token = Promise.resolve(typed);
}

/** Forgets the token: another daemon has another one. */
export function forgetToken(): void {
  token = undefined;
}

export function currentToken(): Promise<string | undefined> {
  token ??= fetchToken();
  return token;
}

const withToken: Middleware = {
  async onRequest({ request }) {
    const isOpen = request.method === "GET" && typedToken() === undefined;
    const given = isOpen ? undefined : await currentToken();
    if (given !== undefined) request.headers.set("Authorization", `Bearer ${given}`);
    return request;
  },
  async onResponse({ response }) {
    if (!response.ok) throw await refusal(response);
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === "AbortError") return error;
    return new Refusal(0, "no_daemon", "The daemon does not answer.", "Start it with `pi-brain up`.");
  },
};

async function refusal(response: Response): Promise<Refusal> {
  interface Body {
    error?: { code?: string; message?: string; hint?: string };
  }
  const body = (await response.json().catch(() => ({}))) as Body;
  const { code = "unknown", message = response.statusText, hint } = body.error ?? {};
  if (response.status === 401) token = undefined;
  return new Refusal(response.status, code, message, hint);
}

const client = createClient<paths>({ fetch: (request) => fetch(request) });
client.use(withToken);

type Verb = "get" | "post" | "delete";

/** The paths that can be asked in a way. */
type PathsOf<V extends Verb> = {
  [P in keyof paths]: paths[P][V] extends object ? P : never;
}[keyof paths];

/** What is said in the address: parts of the path, and what stands behind the question mark. */
type Parameters<V extends Verb, P extends PathsOf<V>> = paths[P][V] extends { parameters: infer A }
  ? A
  : never;
export type PathPart<V extends Verb, P extends PathsOf<V>> =
  Parameters<V, P> extends { path: infer A } ? A : undefined;
export type Query<V extends Verb, P extends PathsOf<V>> =
  Parameters<V, P> extends { query?: infer A } ? Exclude<A, undefined> : undefined;

/** What comes back. */
export type Answer<V extends Verb, P extends PathsOf<V>> = paths[P][V] extends {
  responses: { 200: { content: { "application/json": infer A } } };
}
  ? A
  : never;

/** What is sent along. */
export type Wish<P extends PathsOf<"post">> = paths[P]["post"] extends {
  requestBody: { content: { "application/json": infer A } };
}
  ? A
  : undefined;

interface Asked<V extends Verb, P extends PathsOf<V>> {
  path?: PathPart<V, P>;
  query?: Query<V, P> | undefined;
  signal?: AbortSignal | undefined;
}

/** The client's own types follow each path; here they are known to fit. */
type Any = (path: string, init: object) => Promise<{ data?: unknown }>;

/** Asks for something. Throws a {@link Refusal}. */
export async function get<P extends PathsOf<"get">>(
  path: P,
  asked: Asked<"get", P> = {},
): Promise<Answer<"get", P>> {
  const init = { params: { path: asked.path, query: asked.query }, signal: asked.signal };
  const { data } = await (client.GET as unknown as Any)(path, init);
  return data as Answer<"get", P>;
}

/** Has something done. Throws a {@link Refusal}. */
export async function post<P extends PathsOf<"post">>(
  path: P,
  wish: Wish<P>,
  asked: Asked<"post", P> = {},
): Promise<Answer<"post", P>> {
  const init = { params: { path: asked.path, query: asked.query }, body: wish, signal: asked.signal };
  const { data } = await (client.POST as unknown as Any)(path, init);
  return data as Answer<"post", P>;
}

/** Takes something away. Throws a {@link Refusal}. */
export async function remove<P extends PathsOf<"delete">>(
  path: P,
  asked: Asked<"delete", P> = {},
): Promise<Answer<"delete", P>> {
  const init = { params: { path: asked.path, query: asked.query }, signal: asked.signal };
  const { data } = await (client.DELETE as unknown as Any)(path, init);
  return data as Answer<"delete", P>;
}
