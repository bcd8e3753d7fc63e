/**
 * A session that tries everything: whoever can write into a session file (a web page that an agent read, a tool's output) can
 * write this. Wherever it is shown, nothing of it may run, ask a host, or break what surrounds it.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "playwright-core";
import { expect } from "vitest";

import { HTML_ATTACKS, LINK_ATTACKS, RUN } from "./attacks";

export const HOSTILE_ID = "01a1ffff-dead-7bad-8bad-0000000bad00";

/** A word in the first message, to find the session by. */
export const HOSTILE_WORD = "rumpelstiltskin";

/** Asserts that nothing of it ran. */
export async function nothingRan(page: Page): Promise<void> {
  expect(await page.evaluate(() => (globalThis as { owned?: number }).owned)).toBeUndefined();
}

const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "prototype"];
const REVERSED = "\u202egnp.exe\u202c and \u2066isolated\u2069, \u200f\u200e";
const RIGHT_TO_LEFT = "שלום עולם – مرحبا بالعالم – <b>mixed</b> with latin 123";
const EMOJI = "👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 é̴̡̢̛̛̛̬̣͕̣ ﷽ 𝕳𝖊𝖑𝖑𝖔 \u{1F9D1}\u{1F3FD}\u200d\u{1F4BB}";
const ANSI =
  "\u001b[31mred\u001b[0m \u001b[1;38;5;208morange\u001b[0m \u001b[48;2;1;2;3mrgb\u001b[m \u001b]8;;http://attacker.invalid\u0007link\u001b]8;;\u0007 " +
  "\u001b[2J\u001b[1;1H\u001b[?25l bell\u0007 back\b\b\b progress 10%\rprogress 100%\r\n \u009b31mC1\u009b0m \u001bP1;2|device\u001b\\ \u001b[";
const MEGABYTE = 1_000_000;

interface Draft {
  type: string;
  [member: string]: unknown;
}

/** Writes the session into a folder of sessions, as pi would have; returns the file. */
export function writeHostileSession(sessions: string): string {
  const folder = join(sessions, "--home-mallory-hostile--");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `2026-11-15T10-00-00-000Z_${HOSTILE_ID}.jsonl`);
  const header = {
    type: "session",
    version: 3,
    id: HOSTILE_ID,
    timestamp: "2026-11-15T10:00:00.000Z",
    cwd: `/home/mallory/<img src=x onerror="${RUN}">`,
  };
  const lines = [header, ...chained(drafts())].map((line) => JSON.stringify(line));
  // Some lines are no JSON, no object, or torn.
  lines.splice(4, 0, "null", "42", '"text"', "[1]", "{not json", "");
  writeFileSync(file, `${lines.join("\n")}\n{"type":"message","id":"torn","mess`);
  return file;
}

/** Lets each entry follow the one before, unless it says something else. */
function chained(entries: readonly Draft[]): Draft[] {
  let parentId: string | null = null;
  return entries.map((entry, at) => {
    const timestamp = new Date(Date.UTC(2026, 10, 15, 10, 0, at)).toISOString();
    const whole: Draft = { id: `h${String(at).padStart(7, "0")}`, parentId, timestamp, ...entry };
    parentId = whole.id as string;
    return whole;
  });
}

function user(content: unknown, more: object = {}): Draft {
  return { type: "message", message: { role: "user", content, timestamp: 1 }, ...more };
}

function assistant(content: unknown, more: object = {}): Draft {
  const usage = {
    input: 10,
    output: 20,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 30,
    cost: { total: 0.01 },
  };
  const message = { role: "assistant", content, api: "a", provider: "p", model: `<b>${RUN}</b>`, usage };
  return { type: "message", message: { ...message, stopReason: "stop", timestamp: 1, ...more } };
}

function tool(name: string, args: unknown, text: string, more: object = {}): Draft[] {
  const id = `call-${name}-${text.length}`;
  const result = { role: "toolResult", toolCallId: id, toolName: name, content: [{ type: "text", text }] };
  return [
    assistant([{ type: "toolCall", id, name, arguments: args }], { stopReason: "toolUse" }),
    { type: "message", message: { ...result, isError: false, timestamp: 1, ...more } },
  ];
}

function drafts(): Draft[] {
  const html = HTML_ATTACKS.join("\n\n");
  const links = LINK_ATTACKS.join("\n\n");
  const fence = "```";
  return [
    { type: "session_info", name: `<script>${RUN}</script> \u202ereversed\u202c ${"long ".repeat(50)}` },
    { type: "model_change", provider: "<i>p</i>", modelId: `"><img src=x onerror=${RUN}>` },
    { type: "message", message: { role: "system", content: html, timestamp: 1 } },
    user(`${HOSTILE_WORD} ${html}`),
    assistant([
      { type: "thinking", thinking: html },
      { type: "text", text: html },
    ]),
    ...NAMES.map((name) => user(`the id of this is ${name}`, { id: name })),
    { type: "label", targetId: "__proto__", label: `<img src=x onerror=${RUN}>` },
    { type: "label", targetId: "constructor", label: "__proto__" },
    user(links),
    assistant([{ type: "text", text: links }]),
    user(`${REVERSED}\n\n${RIGHT_TO_LEFT}\n\n${EMOJI}\n\nnul:\u0000 line:\u2028 paragraph:\u2029 end`),
    assistant([
      { type: "text", text: `${fence}html\n${html}\n${fence}\n\n${fence}"><script>${RUN}</script>\nx\n` },
    ]),
    assistant([{ type: "text", text: `| a | b |\n|---|---|\n| <script>${RUN}</script> | \`${html}\` |` }]),
    assistant([
      { type: "text", text: `${"> ".repeat(500)}deep\n\n${"- ".repeat(300)}deep\n\n${"*_".repeat(2000)}` },
    ]),
    ...tool("bash", { command: `echo '${html}'` }, ANSI),
    ...tool("bash", { command: "cat big.json" }, `{"data":"${"x".repeat(MEGABYTE)}"}`),
    ...tool("read", { path: `../../<img src=x onerror=${RUN}>.html` }, html),
    ...tool("write", { path: "a.svg", content: html }, "Successfully wrote"),
    ...tool("edit", { path: "x", edits: [{ oldText: html, newText: links }] }, "done", {
      details: { diff: `-1 ${HTML_ATTACKS[0] ?? ""}\n+1 ${HTML_ATTACKS[2] ?? ""}` },
    }),
    ...tool("edit", "not an object", "no such file", { isError: true, details: null }),
    ...tool("__proto__", { constructor: html, ["__proto__"]: { polluted: true } }, html),
    user("y".repeat(MEGABYTE)),
    user([
      {
        type: "image",
        mimeType: "image/svg+xml",
        data: Buffer.from(HTML_ATTACKS[4] ?? "").toString("base64"),
      },
      { type: "image", mimeType: 'image/png" onerror="x', data: "AAAA" },
      { type: "image", mimeType: "image/png", data: `x" onerror="${RUN}` },
      { type: "invented", anything: html },
      null,
      7,
    ]),
    { type: "custom_message", customType: `<b>${RUN}</b>`, content: html, display: true },
    { type: "custom_message", customType: "hidden", content: html, display: false },
    { type: "custom", customType: html, data: { html } },
    { type: "compaction", summary: html, firstKeptEntryId: "__proto__", tokensBefore: 1e9 },
    { type: "branch_summary", summary: links, fromId: "constructor" },
    {
      type: "message",
      message: { role: "bashExecution", command: html, output: ANSI, exitCode: 1, cancelled: false },
    },
    { type: "message", message: { role: "invented by an extension", content: html } },
    { type: "message", message: null },
    { type: `<script>${RUN}</script>`, payload: html },
    { type: "usage", kind: html, provider: "p", model: "m", usage: { input: "many", cost: { total: null } } },
    { type: "context_edit", targetId: "toString", replacement: { content: html } },
    user(null),
    { ...assistant([], { stopReason: "error", errorMessage: html }), id: "failed" },
    user("another way from the beginning", { parentId: "h0000003" }),
    user("its own parent", { id: "own", parentId: "own" }),
    user("one of a circle", { id: "circle1", parentId: "circle2" }),
    user("the other of it", { id: "circle2", parentId: "circle1" }),
    user("the same id twice", { id: "h0000003", parentId: "h0000004" }),
    user("an orphan", { parentId: "nowhere" }),
    // The path to the last line leads through everything above.
    { ...assistant([{ type: "text", text: "the end" }]), parentId: "failed" },
  ];
}
