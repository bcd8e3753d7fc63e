// A stand-in for the daemon: answers as it is told to, and keeps what it was asked.
import { createServer } from "node:http";

export const TOKEN = "stand-in-token";

export const ANSWER = {
  summary: "Retries were capped at three.",
  answer: "Retries are capped at three, because the queue filled up. [1]\nThe cap is read from config/queue.toml. [2]",
  relatedNodes: [{ id: "30e55fa15080bbeb", relevance: 0.9, summary: "The queue filled up overnight." }],
  sources: [
    {
      nodeId: "30e55fa15080bbeb",
      session: "01a14410-d85f-7b96-81ff-7370ca114d9a",
      entry: "71ec49a0",
      file: "/sessions/queue.jsonl",
      line: 22,
      excerpt: "Retries are capped at three, because the queue filled up.",
    },
    {
      nodeId: null,
      session: "01a14410-d85f-7b96-81ff-7370ca114d9a",
      entry: "cdef4342",
      file: "/sessions/queue.jsonl",
      line: 27,
      excerpt: "max_retries = 3",
    },
  ],
  confidence: "high",
};

export const NO_ANSWER = {
  summary: "Nothing fits this question.",
  answer: "Nothing in the sessions answers this question.",
  relatedNodes: [],
  sources: [],
  confidence: "low",
};

export const BRIEFING = {
  project: "/work",
  summary: "Three units of work, the last on the queue.",
  text: "# work\n\n- Retries are capped at three.",
  lessons: Array.from({ length: 7 }, (_, n) => ({
    summary: `Lesson number ${n + 1}`,
    level: "project",
    nodeId: "30e55fa15080bbeb",
  })),
  decisions: [],
  recent: [],
};

/**
 * Serves on a free port of 127.0.0.1. `reply` can be changed at any time: what it gives, after how many
 * milliseconds, with which status and error; `raw` text instead; the beginning only (`breakOff`); or
 * nothing at all (`silent`).
 */
export async function startBrain() {
  const asked = [];
  const brain = { reply: { query: ANSWER, briefing: BRIEFING, status: 200, delay: 0 }, asked };
  const server = createServer(async (req, res) => {
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString("utf8");
    const { pathname, searchParams } = new URL(req.url, "http://stand-in");
    const { authorization } = req.headers;
    asked.push({
      method: req.method,
      pathname,
      authorization,
      search: Object.fromEntries(searchParams),
      body: text && JSON.parse(text),
    });
    const { status, body } = respond(brain.reply, pathname);
    if (brain.reply.silent) return;
    if (pathname !== "/api/v1/events") await new Promise((done) => setTimeout(done, brain.reply.delay));
    res.writeHead(status, { "content-type": "application/json" });
    if (brain.reply.breakOff) return res.write('{"answer": ', () => res.destroy());
    res.end(brain.reply.raw ?? JSON.stringify(body));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  brain.address = `127.0.0.1:${server.address().port}`;
  brain.events = () => asked.filter((request) => request.pathname === "/api/v1/events").map((request) => request.body);
  brain.questions = () => asked.filter((request) => request.pathname === "/api/query");
  brain.close = () => {
    server.close();
    server.closeAllConnections();
  };
  return brain;
}

function respond(reply, pathname) {
  if (pathname === "/api/v1/events") return { status: 202, body: {} };
  if (reply.status !== 200) return { status: reply.status, body: reply.error };
  if (pathname === "/api/query") return { status: 200, body: reply.query };
  if (pathname === "/api/v1/briefing") return { status: 200, body: reply.briefing };
  return { status: 404, body: { error: { code: "not_found", message: "No such path.", hint: "" } } };
}
