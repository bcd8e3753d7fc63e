#!/usr/bin/env node
// A scripted stand-in for a language model, so that a real pi can run with no network. It speaks as
// much of the OpenAI chat-completions protocol as pi uses, and does what the last line of the last
// message tells it:
//
//   SAY <text>           answer with exactly that text
//   THINK <text>         answer with that as reasoning, then "thought"
//   CALL <tool> <json>   call that tool
//   BIG <kilobytes>      answer with that much text
//   SLOW <ms>            wait, then answer
//   FAIL <status>        answer with that HTTP status
//   (a tool result)      answer "tool said: …"
//   (asked to summarise) answer with a small fixed summary
//   anything else        answer "stub: <the text>"
//
// usage: node stub-model.mjs        prints its base URL and serves until it is ended
//        const stub = await startStub(); … stub.url … stub.close()
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const summary = "## Goal\nStub summary of the earlier work.\n\n## Key Decisions\n- **Use the stub**: it is offline";

const textOf = (content) =>
  typeof content === "string"
    ? content
    : (content ?? [])
        .filter((p) => p.type === "text")
        .map((p) => p.text)
        .join("\n");

const asksForSummary = (messages) =>
  messages
    .filter((m) => m.role === "system" || m.role === "developer")
    .some((m) => /summarization assistant|structured summary|do not continue/i.test(textOf(m.content)));

/** What to send back: {text?, thinking?, call?, wait?, status?}. */
function plan(messages) {
  if (asksForSummary(messages)) return { text: summary };
  const last = messages.at(-1) ?? { role: "user", content: "" };
  const text = textOf(last.content);
  if (last.role === "tool") return { text: `tool said: ${text.slice(0, 200)}` };
  const [word, ...rest] = text.trim().split("\n").pop().trim().split(" ");
  const words = rest.join(" ");
  switch (word) {
    case "SAY":
      return { text: words };
    case "THINK":
      return { thinking: words, text: "thought" };
    case "CALL":
      return { call: { name: rest[0], arguments: rest.slice(1).join(" ") || "{}" } };
    case "BIG":
      return { text: "lorem ipsum dolor ".repeat(Number(words) * 57) };
    case "SLOW":
      return { wait: Number(words), text: `waited ${words}` };
    case "FAIL":
      return { status: Number(words) };
    default:
      return { text: `stub: ${text}` };
  }
}

const tokens = (value) => Math.ceil(JSON.stringify(value ?? "").length / 4);

async function chat(n, body, res) {
  const p = plan(body.messages ?? []);
  if (p.wait) await new Promise((done) => setTimeout(done, p.wait));
  if (p.status) {
    res.writeHead(p.status, { "content-type": "application/json" });
    res.end(JSON.stringify({ error: { message: `stub fails with ${p.status}`, type: "stub" } }));
    return;
  }
  const base = {
    id: `stub-${n}`,
    object: "chat.completion.chunk",
    created: Math.floor(Date.now() / 1000),
    model: body.model,
  };
  const send = (more) => res.write(`data: ${JSON.stringify({ ...base, ...more })}\n\n`);
  const delta = (delta, finish_reason = null) => send({ choices: [{ index: 0, delta, finish_reason }] });
  res.writeHead(200, { "content-type": "text/event-stream" });
  delta({ role: "assistant", content: "" });
  if (p.thinking) delta({ reasoning_content: p.thinking });
  if (p.text) delta({ content: p.text });
  if (p.call) delta({ tool_calls: [{ index: 0, id: `call_${n}`, type: "function", function: p.call }] });
  delta({}, p.call ? "tool_calls" : "stop");
  const usage = { prompt_tokens: tokens(body.messages), completion_tokens: tokens(p.text) + tokens(p.call) };
  send({ choices: [], usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens } });
  res.end("data: [DONE]\n\n");
}

/** Serves on a free port of 127.0.0.1. `requests` collects the body of every request. */
export async function startStub() {
  const requests = [];
  const server = createServer(async (req, res) => {
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    if (req.method !== "POST" || !req.url.endsWith("/chat/completions")) return res.writeHead(404).end();
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    await chat(requests.push(body), body, res);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    requests,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) console.log((await startStub()).url);
