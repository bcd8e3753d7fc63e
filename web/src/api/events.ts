/** Answers that come piece by piece, as server-sent events. */

import { currentToken, Refusal } from "./client";

export interface ServerEvent {
  readonly name: string;
  readonly data: unknown;
}

/** Has something done, and tells what comes back as it comes. Throws a {@link Refusal}. */
export async function* postForEvents(
  path: string,
  wish: object,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const token = await currentToken();
  const response = await fetch(path, {
    method: "POST",
    body: JSON.stringify(wish),
    headers: {
      "Content-Type": "application/json",
      Accept: "text/event-stream",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    signal,
  });
  if (!response.ok || response.body === null) {
    throw new Refusal(response.status, "refused", response.statusText, undefined);
  }
  yield* readEvents(texts(response.body));
}

/** Not every browser can go through a stream with `for await`. */
async function* texts(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    yield decoder.decode(read.value, { stream: true });
  }
}

/** Cuts a stream of text into events. A line, and even a line break, may come in several pieces. */
export async function* readEvents(texts: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let rest = "";
  for await (const text of texts) {
    rest += text;
    const blocks = rest.split(/\r?\n\r?\n/u);
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = readEvent(block);
      if (event !== undefined) yield event;
    }
  }
}

/** Reads one event; a comment, which only keeps the connection open, is none. */
function readEvent(block: string): ServerEvent | undefined {
  let name = "message";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/u)) {
    const [, field, value = ""] = /^([^:]+)(?:: ?(.*))?$/u.exec(line) ?? [];
    if (field === "event") name = value;
    else if (field === "data") data.push(value);
  }
  return data.length === 0 ? undefined : { name, data: JSON.parse(data.join("\n")) as unknown };
}
