import { expect, test } from "vitest";

import { readEvents, type ServerEvent } from "./events";

async function read(...pieces: string[]): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  async function* texts(): AsyncGenerator<string> {
    await Promise.resolve();
    yield* pieces;
  }
  for await (const event of readEvents(texts())) events.push(event);
  return events;
}

test("events have a name and data", async () => {
  expect(await read('event: more\ndata: {"text":"So"}\n\nevent: end\ndata: {}\n\n')).toEqual([
    { name: "more", data: { text: "So" } },
    { name: "end", data: {} },
  ]);
});

test("it does not matter where a stream is cut", async () => {
  const whole = 'event: more\r\ndata: {"text":"a: b"}\r\n\r\n:\n\ndata: 1\n\n';
  const expected = [
    { name: "more", data: { text: "a: b" } },
    { name: "message", data: 1 },
  ];
  for (let at = 0; at <= whole.length; at += 1) {
    expect(await read(whole.slice(0, at), whole.slice(at))).toEqual(expected);
  }
  expect(await read(...Array.from(whole))).toEqual(expected);
});

test("what was not finished is not told", async () => {
  expect(await read("event: more\ndata: 1\n")).toEqual([]);
});
