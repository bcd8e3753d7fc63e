// The session files that today's pi would not write itself and must still bear: old formats, what
// other versions and extensions leave behind, and accidents. No pi is needed to make them.

export const cwd = "/home/dev/shop";
export const image = {
  type: "image",
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};
export const usage = (input, output) => ({
  input,
  output,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: input + output,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});

const made = [];
let name; // of the file that is being made
let start; // its time, in ms

/** Each file has a minute of its own, in 2025. */
function byHand(fileName, build) {
  name = fileName;
  start = Date.UTC(2025, 0, 1) + made.length * 60000;
  made.push({ name, at: new Date(start), bytes: build() });
}

/** [{name, at, bytes}]: the files, with the time that belongs into each file's name. */
export function handMade() {
  return made;
}

// --- pieces ---

const iso = (second) => new Date(start + second * 1000).toISOString();
const head = (more = {}) => ({ type: "session", version: 3, id: `hand-${name}`, timestamp: iso(0), cwd, ...more });
const entry = (type, id, parentId, second, fields = {}) => ({ type, id, parentId, timestamp: iso(second), ...fields });
const answered = {
  api: "openai-completions",
  provider: "stub",
  model: "stub-1",
  usage: usage(1, 1),
  stopReason: "stop",
};
const message = (role, content, second, more = {}) => ({
  role,
  content,
  timestamp: start + second * 1000,
  ...(role === "assistant" ? answered : {}),
  ...more,
});
const text = (words) => [{ type: "text", text: words }];
const msg = (id, parentId, role, words, second) =>
  entry("message", id, parentId, second, { message: message(role, text(words), second) });
const [A, B, C, D, E, F] = [..."abcdef"].map((letter) => letter.repeat(8));
const q = () => msg(A, null, "user", "q", 1);
const a = () => msg(B, A, "assistant", "a", 2);
const json = (line) => (typeof line === "string" ? line : JSON.stringify(line));
const lines = (...all) => all.map((line) => `${json(line)}\n`).join("");
const bytes = (...parts) => Buffer.concat(parts.map((part) => Buffer.from(part)));
const without = (object, ...keys) => Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

/** A conversation, entry after entry, as pi would append it; ids count up, and so do the seconds. */
class Talk {
  all = [];
  leaf = null;
  put(type, fields) {
    const n = this.all.length + 1;
    const id = n.toString(16).padStart(8, "0");
    this.all.push(entry(type, id, this.leaf, n, fields));
    return (this.leaf = id);
  }
  say(role, content, more) {
    return this.put("message", { message: message(role, content, this.all.length + 1, more) });
  }
  user = (words) => this.say("user", text(words));
  answer = (words, more) => this.say("assistant", text(words), more);
  result = (words, more) =>
    this.say("toolResult", text(words), { toolCallId: "call_1", toolName: "bash", isError: false, ...more });
  compact = (summary, firstKeptEntryId, more) =>
    this.put("compaction", { summary, firstKeptEntryId, tokensBefore: 100, ...more });
  edit = (targetId, replacement) => this.put("context_edit", { targetId, replacement });
  branch = (id) => (this.leaf = id);
}
const talk = (fileName, write) =>
  byHand(fileName, () => {
    const t = new Talk();
    write(t);
    return lines(head(), ...t.all);
  });

// --- versions 1, 2 and later ---

const plain = (...entries) => entries.map((e) => without(e, "id", "parentId")); // version 1 has no ids
const v1 = (fileName, ...more) =>
  byHand(fileName, () => lines(head({ version: undefined }), ...more.flatMap((m) => m())));
const v1Compaction = (firstKeptEntryIndex) => () =>
  plain(entry("compaction", "", null, 5, { summary: "old style", firstKeptEntryIndex, tokensBefore: 7 }));
const first = () => plain(q(), a(), msg("", null, "user", "q2", 3), msg("", null, "assistant", "a2", 4));
const after = () => plain(msg("", null, "user", "q3", 6), msg("", null, "assistant", "a3", 7));
const hook = (words, second) => message("hookMessage", words, second, { customType: "h", display: true });

v1("v1", first, v1Compaction(3), after);
v1(
  "v1-blank-and-corrupt",
  () => ["", "not json", ...first().slice(0, 2), "  ", '{"type":"message","mess', ...first().slice(2)],
  v1Compaction(3),
  after,
);
v1("v1-kept-header", first, v1Compaction(0), after);
v1("v1-kept-out-of-range", first, v1Compaction(99), after);
v1("v1-kept-negative", first, v1Compaction(-1), after);
v1("v1-kept-later", first, v1Compaction(6), after);
v1("v1-hook", first, () => plain(entry("message", "", null, 5, { message: hook("from a hook", 5) })));
v1("v1-with-ids", () => [q(), a(), msg(C, A, "user", "a branch that migration flattens", 3)]);
byHand("v1-without-cwd", () => lines(without(head({ version: undefined }), "version", "cwd"), ...first()));
byHand("v1-no-final-newline", () => lines(head({ version: undefined }), ...first()).slice(0, -1));
byHand("version-0", () => lines(head({ version: 0 }), ...first()));
byHand("version-as-string", () =>
  lines(head({ version: "2" }), q(), entry("message", B, A, 2, { message: hook("from a hook", 2) })),
);
byHand("v2-hook", () =>
  lines(head({ version: 2 }), q(), a(), entry("message", C, B, 3, { message: hook("from a hook", 3) })),
);
byHand("v2-hooks", () =>
  lines(
    head({ version: 2, kept: "unknown field" }),
    q(),
    entry("message", B, A, 2, { message: hook("one", 2) }),
    entry("message", C, A, 3, { message: hook(text("two, in blocks"), 3) }),
    entry("message", D, C, 4, { message: hook("three", 4), unknown: true }),
    msg(E, D, "assistant", "after the hooks", 5),
  ),
);
byHand("v2-corrupt", () =>
  lines(head({ version: 2 }), q(), "not json", a(), '{"type":"message","id":"torn').slice(0, -1),
);
byHand("v3-hook", () => lines(head(), q(), entry("message", B, A, 2, { message: hook("role of version 2", 2) })));
byHand("v4-future", () =>
  lines(
    head({ version: 4, novel: true }),
    q(),
    a(),
    entry("brand_new", C, B, 3, { x: 1 }),
    msg(D, C, "user", "after the unknown", 4),
  ),
);

// --- headers ---

byHand("header-only", () => lines(head()));
byHand("header-only-no-newline", () => JSON.stringify(head()));
byHand("header-torn", () => JSON.stringify(head()).slice(0, 60));
byHand("header-long", () =>
  lines(head({ cwd: `/home/dev/${"long-name/".repeat(300)}x`, parentSession: "/home/dev/gone.jsonl" }), q(), a()),
);
byHand("header-without-cwd", () => lines(without(head(), "cwd"), q(), a()));
byHand("header-cwd-number", () => lines(head({ cwd: 42 }), q(), a()));
byHand("header-cwd-untidy", () => lines(head({ cwd: "/home/dev/../dev/shop/" }), q(), a()));
byHand("header-cwd-relative", () => lines(head({ cwd: "dev/shop" }), q(), a()));
byHand("header-without-timestamp", () => lines(without(head(), "timestamp"), q(), a()));
byHand("header-bad-timestamp", () =>
  lines(head({ timestamp: "yesterday" }), entry("custom", A, null, 1, { customType: "x" })),
);
byHand("header-without-id", () => lines(without(head(), "id"), q(), a()));
byHand("header-id-number", () => lines(head({ id: 42 }), q(), a()));
byHand("header-id-odd", () => lines(head({ id: "my_session.1-b" }), q(), a()));
byHand("header-unknown-fields", () =>
  lines(head({ novel: { deep: [1, null, "x"] }, branchedFrom: "/old/name.jsonl" }), q(), a()),
);
byHand("header-parent-dangling", () => lines(head({ parentSession: "/nowhere/at/all.jsonl" }), q(), a()));
byHand("header-type-last", () => lines({ ...without(head(), "type"), type: "session" }, q(), a()));
byHand("two-headers", () => lines(head(), q(), head({ id: "second", cwd: "/elsewhere" }), a()));
byHand("blank-first", () => `\n\n${lines(head(), q(), a())}`);
byHand("garbage-first", () => lines("garbage", head(), q(), a()));
byHand("entry-before-header", () => lines(q(), head(), a()));
byHand("bom", () => `\ufeff${lines(head(), q(), a())}`);
byHand("empty", () => "");
byHand("blank-only", () => "\n \n\t\n");
byHand("not-a-session", () => lines({ hello: "world" }));
byHand("not-json", () => "just\nsome\ntext\n");

// --- lines that are torn, glued or no JSON ---

byHand("corrupt-middle", () =>
  lines(head(), q(), '{"type":"message","id":"zzz', a(), "not json at all", "", msg(C, B, "user", "c", 3)),
);
byHand("corrupt-parent-lost", () =>
  lines(
    head(),
    q(),
    json(a()).slice(0, 60),
    msg(C, B, "user", "orphan", 3),
    msg(D, C, "assistant", "child of orphan", 4),
  ),
);
byHand("torn-tail", () => lines(head(), q(), a()) + json(msg(C, B, "user", "torn", 3)).slice(0, 50));
byHand("no-final-newline", () => lines(head(), q(), a()).slice(0, -1));
byHand("nul-tail", () => lines(head(), q(), a()) + "\0".repeat(512));
byHand(
  "nul-middle",
  () =>
    lines(head(), q(), a()) +
    "\0".repeat(64) +
    lines(msg(C, B, "user", "glued to the zeros", 3), msg(D, C, "assistant", "d", 4)),
);
byHand("glued-lines", () =>
  lines(head(), q(), json(a()) + json(msg(C, B, "user", "glued", 3)), msg(D, C, "assistant", "d", 4)),
);
byHand("glued-three", () => lines(head(), json(q()) + json(a()) + json(msg(C, B, "user", "c", 3))));
byHand("glued-header", () => lines(json(head()) + json(q()), a()));
byHand("glued-torn", () =>
  lines(
    head(),
    q(),
    a(),
    json(msg(C, B, "user", "torn", 3)).slice(0, 90) + json(msg(D, B, "user", "whole, glued to a torn one", 4)),
    msg(E, D, "assistant", "e", 5),
  ),
);
byHand("glued-tail", () => lines(head(), q(), json(a()) + json(msg(C, B, "user", "last and glued", 3))).slice(0, -1));
byHand("crlf", () => lines(head(), q(), a()).replaceAll("\n", "\r\n"));
byHand("carriage-returns", () => lines(head(), json(q()).replaceAll(',"', ',\r"'), a()));
byHand("whitespace", () =>
  lines(
    ` ${json(head())} `,
    `\t${JSON.stringify(q(), null, "\t").replaceAll("\n", "")}\t`,
    "   ",
    "\t \t",
    `  ${json(a())}`,
  ),
);
byHand("pretty-printed", () => lines(head(), JSON.stringify(q(), null, 2), a()));
byHand("bom-middle", () => lines(head(), q(), `\ufeff${json(a())}`, msg(C, B, "user", "parent behind a BOM", 3)));
byHand("number-line", () => lines(head(), "42", "null", '"text"', "[1]", q(), a()));
byHand("scalar-lines", () => lines(head(), "42", "true", '"text"', "[1]", q(), "false", "0", '""', a()));
byHand("scalar-last", () => lines(head(), q(), a(), "42"));

// --- bytes, escapes, numbers, keys ---

byHand("invalid-utf8", () => {
  const bad = [[0xff], [0xc3, 0x28], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0xc0, 0x80]];
  const [before, behind] = json(msg(A, null, "user", "bad: @", 1)).split("@");
  return bytes(lines(head()), before, ...bad.flatMap((b) => [b, "|"]), `${behind}\n`, lines(a()));
});
byHand("invalid-utf8-line", () => bytes(lines(head(), q()), [0xff, 0xfe, 0x80, 0x0a], lines(a())));
byHand("lone-surrogates", () =>
  lines(
    head(),
    json(msg(A, null, "user", "@", 1)).replace(
      "@",
      "high \\ud800, low \\udc00, wrong way \\ude00\\ud83d, a pair \\ud83d\\ude00, at the end \\udbff",
    ),
    json(
      entry("message", B, A, 2, {
        message: message(
          "assistant",
          [{ type: "toolCall", id: "call_1", name: "bash", arguments: { command: "@" } }],
          2,
        ),
      }),
    ).replace("@", "echo \\uD800"),
    json(entry("label", C, B, 3, { targetId: A, label: "@" })).replace("@", "half \\ud83d"),
    json(entry("session_info", D, C, 4, { name: "@" })).replace("@", "name \\udc00 half"),
  ),
);
byHand("escapes", () =>
  lines(
    head(),
    json(msg(A, null, "user", "@", 1)).replace("@", '\\u0041\\/\\b\\f\\n\\r\\t\\"\\\\ \\u2028 \\u0000 \\u001f \\u00e9'),
    a(),
  ),
);
byHand("escaped-keys", () =>
  lines(
    head(),
    json(q()).replace('"type":"message"', '"\\u0074ype":"mess\\u0061ge"').replace('"role"', '"r\\u006fle"'),
    json(a()).replace('"parentId"', '"parent\\u0049d"'),
  ),
);
byHand("duplicate-keys", () =>
  lines(
    json(head()).replace("{", '{"id":"overridden","cwd":"/overridden",'),
    `{"type":"custom","id":"zzzzzzzz","message":{"role":"assistant"},${json(q()).slice(1)}`,
    a(),
    json(msg(C, A, "user", "c", 3)).replace(/}$/, `,"parentId":"${B}","timestamp":"${iso(9)}"}`),
  ),
);
byHand("keys-reordered", () =>
  lines(Object.fromEntries(Object.entries(head()).reverse()), Object.fromEntries(Object.entries(q()).reverse()), {
    ...a(),
    message: Object.fromEntries(Object.entries(a().message).reverse()),
  }),
);
const oddNumbers =
  '"big":1e400,"small":-1e400,"long":12345678901234567890,"minus":-0,"exact":1.10,"tiny":1e-400,"exp":1E+2,"int":1e3';
byHand("numbers", () =>
  lines(
    head(),
    json(q()).replace(/}$/, `,${oddNumbers}}`),
    a(),
    `{"type":"custom","customType":"numbers","data":{${oddNumbers}},"id":"${C}","parentId":"${B}","timestamp":"${iso(3)}"}`,
  ),
);
byHand("numbers-in-context", () =>
  lines(json(head()).replace(/}$/, `,${oddNumbers}}`), json(q()).replace(/}}$/, `,${oddNumbers}}}`), a()),
);
byHand("nested-200", () => lines(head(), q(), nested(200)));
byHand("nested-1500", () => lines(head(), q(), nested(1500)));

function nested(depth) {
  const call = [{ type: "toolCall", id: "call_1", name: "deep", arguments: { at: "@" } }];
  const line = json(entry("message", B, A, 2, { message: message("assistant", call, 2, { stopReason: "toolUse" }) }));
  return line.replace('"@"', `${'{"in":['.repeat(depth / 2)}1${"]}".repeat(depth / 2)}`);
}

// --- ids, parents, times: the shape of the tree ---

byHand("duplicate-id", () =>
  lines(head(), q(), a(), msg(B, A, "assistant", "same id again", 3), msg(C, B, "user", "whose child", 4)),
);
byHand("self-parent", () => lines(head(), q(), a(), msg(C, C, "user", "my own parent", 3)));
byHand("self-parent-elsewhere", () =>
  lines(
    head(),
    q(),
    msg(C, C, "user", "my own parent", 2),
    a(),
    msg(D, C, "assistant", "below it", 4),
    msg(E, B, "user", "not below it", 5),
  ),
);
byHand("cycle", () => lines(head(), q(), msg(B, C, "assistant", "b", 2), msg(C, B, "user", "c", 3)));
byHand("cycle-elsewhere", () =>
  lines(
    head(),
    q(),
    msg(C, D, "user", "c", 2),
    a(),
    msg(D, C, "user", "d", 4),
    msg(E, B, "user", "not in the loop", 5),
  ),
);
byHand("cycle-by-duplicate-id", () => lines(head(), q(), a(), msg(A, B, "user", "the id of the root again", 3)));
byHand("parent-after-child", () => lines(head(), msg(B, A, "assistant", "child first", 2), q()));
byHand("children-out-of-order", () =>
  lines(head(), q(), msg(C, A, "assistant", "later", 9), msg(B, A, "assistant", "earlier", 2)),
);
byHand("children-equal-times", () =>
  lines(head(), q(), ...[D, B, C].map((id) => msg(id, A, "assistant", id, 2)), msg(E, A, "user", "earlier", 1)),
);
byHand("children-bad-times", () =>
  lines(
    head(),
    q(),
    msg(B, A, "assistant", "late", 9),
    { ...msg(C, A, "assistant", "never", 0), timestamp: "never" },
    msg(D, A, "assistant", "early", 2),
    without(msg(E, A, "assistant", "no time", 0), "timestamp"),
  ),
);
byHand("time-forms", () =>
  lines(
    head(),
    q(),
    ...[
      [B, "2025-06-01T12:00:00+02:00"],
      [C, "2025-06-01T09:59:59Z"],
      [D, "2025-06-01"],
      [E, 1748772000500],
    ].map(([id, timestamp]) => ({ ...msg(id, A, "assistant", id, 2), timestamp })),
  ),
);
byHand("message-times-missing", () =>
  lines(
    head(),
    { ...q(), message: without(q().message, "timestamp") },
    { ...a(), message: { ...a().message, timestamp: "2030-01-01T00:00:00.000Z" } },
  ),
);
byHand("no-timestamps", () =>
  lines(head({ timestamp: undefined }), {
    type: "message",
    id: A,
    parentId: null,
    message: { role: "user", content: "q" },
  }),
);
byHand("roots-out-of-order", () =>
  lines(
    head(),
    msg(B, null, "user", "later root", 9),
    msg(A, null, "user", "earlier root", 1),
    msg(C, A, "assistant", "c", 10),
  ),
);
byHand("entry-without-id", () =>
  lines(head(), q(), without(msg("", A, "assistant", "no id", 2), "id"), msg(C, A, "assistant", "c", 3)),
);
byHand("entry-without-id-last", () =>
  lines(head(), q(), a(), without(msg("", B, "user", "no id, and the leaf", 3), "id")),
);
byHand("entry-without-parent", () =>
  lines(head(), q(), without(msg(B, null, "assistant", "no parentId", 2), "parentId"), msg(C, B, "user", "c", 3)),
);
byHand("entry-without-both", () =>
  lines(
    head(),
    q(),
    plain(msg("", null, "assistant", "neither", 2))[0],
    without(msg(C, null, "user", "child of no id?", 3), "parentId"),
  ),
);
byHand("entry-without-type", () =>
  lines(head(), q(), without(msg(B, A, "assistant", "no type", 2), "type"), msg(C, B, "user", "c", 3)),
);
byHand("parent-wrong-type", () =>
  lines(
    head(),
    q(),
    ...[
      [B, 5],
      [C, {}],
      [D, ""],
      [E, false],
    ].map(([id, parent], n) => msg(id, parent, "user", "odd parent", n + 2)),
    msg(F, E, "assistant", "last", 9),
  ),
);
byHand("id-number", () =>
  lines(
    head(),
    msg(7, null, "user", "id is a number", 1),
    msg(B, 7, "assistant", "parent is that number", 2),
    msg(C, "7", "user", "parent is its text", 3),
  ),
);
byHand("ids-not-hex", () =>
  lines(head(), msg("Entry One", null, "user", "q", 1), msg("日本", "Entry One", "assistant", "a", 2)),
);
byHand("ids-full-uuid", () =>
  lines(
    head(),
    msg("0199a1e0-54aa-7bbb-8ccc-0123456789ab", null, "user", "q", 1),
    msg(B, "0199a1e0-54aa-7bbb-8ccc-0123456789ab", "assistant", "a", 2),
  ),
);
byHand("fork-with-orphans", () =>
  lines(
    head({ parentSession: "/home/dev/.pi/agent/sessions/--home-dev-shop--/gone.jsonl" }),
    q(),
    a(),
    msg(C, "1abe1001", "user", "its parent was a label", 4),
    msg(D, C, "assistant", "d", 5),
    msg(E, "1abe1002", "user", "so was this one's", 7),
    msg(F, E, "assistant", "f", 8),
    entry("label", "1abe1003", F, 3, { targetId: A, label: "start" }),
    entry("label", "1abe1004", "1abe1003", 6, { targetId: C, label: "middle" }),
  ),
);
talk("chain-3000", (t) => {
  for (let n = 0; n < 1500; n++) {
    t.user(`question ${n}`);
    t.answer(`answer ${n}`);
  }
});
talk("comb", (t) => {
  for (let n = 0; n < 150; n++) {
    const back = t.user(`spine ${n}`);
    t.answer(`tooth ${n}`);
    t.user(`tip ${n}`);
    t.branch(back);
  }
});
talk("binary-tree", (t) => {
  const grow = (parent, depth) => {
    t.branch(parent);
    const here = t.say(depth % 2 ? "assistant" : "user", text(`depth ${depth}`));
    for (let n = 0; n < 2 && depth < 8; n++) grow(here, depth + 1);
  };
  grow(null, 0);
});
talk("wide", (t) => {
  const root = t.user("many answers");
  for (let n = 0; n < 400; n++) {
    t.branch(root);
    t.answer(`answer ${n}`);
  }
});
talk("branch-from-everything", (t) => {
  // Every kind of entry is a node and can be gone back to.
  const nodes = [
    t.user("q"),
    t.answer("a"),
    t.put("label", { targetId: "00000001", label: "x" }),
    t.put("model_change", { provider: "p", modelId: "m" }),
    t.put("session_info", { name: "n" }),
    t.put("custom", { customType: "c" }),
    t.put("usage", { kind: "k", provider: "p", model: "m", usage: usage(1, 0) }),
    t.compact("summary", "00000001"),
    t.put("branch_summary", { fromId: "00000002", summary: "left" }),
  ];
  for (const node of nodes) {
    t.branch(node);
    t.user(`from ${node}`);
  }
});

// --- labels and names ---

byHand("label-on-missing", () =>
  lines(head(), q(), a(), entry("label", C, B, 3, { targetId: "99999999", label: "nowhere" })),
);
byHand("label-before-target", () =>
  lines(head(), q(), entry("label", C, A, 2, { targetId: B, label: "not there yet" }), msg(B, C, "assistant", "a", 3)),
);
byHand("label-wrong-types", () =>
  lines(
    head(),
    q(),
    a(),
    entry("label", C, B, 3, { targetId: A, label: 5 }),
    entry("label", D, C, 4, { targetId: B, label: null }),
    entry("label", E, D, 5, { label: "no target" }),
  ),
);
byHand("session-info-without-name", () =>
  lines(
    head(),
    q(),
    entry("session_info", B, A, 2, { name: "a name" }),
    entry("session_info", C, B, 3),
    msg(D, C, "assistant", "a", 4),
  ),
);
byHand("session-info-name-null", () =>
  lines(
    head(),
    q(),
    a(),
    entry("session_info", C, B, 3, { name: "a name" }),
    entry("session_info", D, C, 4, { name: null }),
  ),
);
byHand("session-info-name-number", () => lines(head(), q(), a(), entry("session_info", C, B, 3, { name: 42 })));

// --- messages that lack something, or hold something new ---

const odd = (fileName, write) =>
  talk(fileName, (t) => {
    t.user("q");
    t.answer("a");
    write(t);
  });

byHand("null-content", () => lines(head(), { ...q(), message: message("user", null, 1) }, a()));
talk("content-null-in-all-roles", (t) => {
  for (const role of ["system", "user", "assistant", "toolResult", "custom"]) t.say(role, null);
});
odd("assistant-without-content", (t) => {
  t.say("assistant", undefined);
  t.user("after it");
});
odd("assistant-content-string", (t) => t.say("assistant", "a string where blocks should be"));
odd("assistant-without-usage", (t) => t.answer("no usage", { usage: undefined }));
odd("message-missing", (t) => {
  t.put("message", {});
  t.user("after it");
});
odd("message-null", (t) => {
  t.put("message", { message: null });
  t.user("after it");
});
odd("message-without-role", (t) => t.say(undefined, "who says this?"));
odd("content-number", (t) => t.say("user", 42));
odd("content-null-block", (t) => t.say("user", [null, { type: "text", text: "after null" }]));
odd("content-odd-blocks", (t) => {
  const blocks = [{ type: "text" }, { type: "text", text: null }, { type: "novel", x: 1 }, { text: "no type" }, image];
  t.say("user", [...blocks, { type: "text", text: "whole" }]);
});
odd("content-nested-arrays", (t) => t.say("user", [["text"], "bare string", 5]));
odd("role-unknown", (t) => {
  t.say("narrator", text("meanwhile"));
  t.say("narrator", undefined, { words: "no content at all" });
});
odd("role-custom-as-message", (t) =>
  t.say("custom", "stored as a message", { customType: "probe", display: false, details: { n: 1 } }),
);
odd("stop-reasons", (t) => {
  for (const stopReason of ["stop", "length", "toolUse", "error", "aborted", "deferred", "novel"])
    t.answer(stopReason, { stopReason });
});
odd("assistant-new-fields", (t) => {
  const cost = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, total: 3, totalFromProvider: 3.5 };
  t.answer("a", {
    responseId: "r1",
    responseModel: "stub-1b",
    rawStopReason: "end_turn",
    durationMs: 1234,
    thinkingLevel: "high",
    providerThinkingLevel: "max",
    endTurn: true,
    deferred: { until: 5 },
    diagnostics: [{ level: "warning", text: "slow" }],
    usage: { ...usage(5, 6), reasoning: 3, cacheWrite1h: 7, cost },
  });
});
odd("tool-result-new-fields", (t) => {
  const call = { type: "toolCall", id: "call_1", name: "codemode", arguments: { script: "…" }, namespace: "pi" };
  t.say("assistant", [call], { stopReason: "toolUse" });
  const calls = [
    { name: "read", arguments: { path: "nested.rs" } },
    { name: "write", arguments: { path: "out.rs" } },
  ];
  const more = { toolName: "codemode", durationMs: 12, usage: usage(3, 4), nestedCalls: { calls } };
  t.result("done", more);
  t.user("go on");
});
odd("only-empty-text", (t) => {
  t.say("user", "");
  t.say("assistant", []);
});
talk("first-message-late", (t) => {
  t.user("");
  t.answer("a");
  t.say("user", [image, { type: "text", text: "first" }, { type: "text", text: "words" }]);
});
talk("only-user", (t) => t.user("q"));
talk("tool-result-without-call", (t) => {
  t.user("q");
  t.result("from nowhere", { toolCallId: "call_9", isError: true });
});

// --- what extensions and other versions write ---

byHand("custom-message-content", () =>
  lines(
    head(),
    q(),
    a(),
    entry("custom_message", C, B, 3, { customType: "x", content: null, display: true }),
    entry("custom_message", D, C, 4, { customType: "x", display: false }),
    entry("custom_message", E, D, 5, { customType: "x", content: "", display: true, details: { n: 1 } }),
  ),
);
byHand("custom-message-key-order", () =>
  lines(
    head(),
    q(),
    a(),
    {
      type: "custom_message",
      customType: "x",
      content: "id comes late",
      display: true,
      id: C,
      parentId: B,
      timestamp: iso(3),
    },
    { type: "custom", customType: "y", data: { n: 1 }, id: D, parentId: C, timestamp: iso(4) },
  ),
);
talk("virtual-model", (t) => {
  t.user("q");
  t.answer("a");
  t.put("custom", { customType: "pi.virtual-model-state", data: { model: "stub-1", state: {} } });
  t.user("q2");
});
talk("usage-on-entries", (t) => {
  t.user("q");
  const back = t.answer("a");
  t.result("with usage", { usage: usage(7, 8) });
  t.put("branch_summary", {
    fromId: back,
    summary: "left, and paid for",
    details: { readFiles: ["r.rs"], modifiedFiles: ["m.rs"] },
    usage: usage(9, 10),
    fromHook: false,
  });
  t.compact("compacted, and paid for", back, {
    details: { readFiles: [], modifiedFiles: ["m.rs"] },
    usage: usage(11, 12),
    fromHook: false,
  });
  t.put("usage", { kind: "cache_warm", provider: "stub", model: "stub-1", usage: usage(13, 0) });
  t.user("q2");
  t.answer("a2");
});
talk("summaries-with-files", (t) => {
  const root = t.user("q");
  t.put("branch_summary", {
    fromId: root,
    summary:
      "The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\nDone.\n\n<read-files>\na.rs\n</read-files>\n\n<modified-files>\nb.rs\n</modified-files>",
    details: { readFiles: ["a.rs"], modifiedFiles: ["b.rs"] },
    fromHook: false,
  });
  t.compact("by an extension", root, { details: { any: "shape" }, fromHook: true });
  t.user("q2");
  t.answer("a2");
});
talk("branch-summary-odd", (t) => {
  t.user("q");
  const back = t.answer("a");
  t.put("branch_summary", { fromId: "root", summary: "from the root" });
  t.put("branch_summary", { fromId: "99999999", summary: "from nowhere" });
  t.put("branch_summary", { fromId: back });
  t.put("branch_summary", { fromId: back, summary: null });
  t.user("q2");
});

// --- compactions ---

talk("compaction-kept-after", (t) => {
  t.user("q1");
  t.answer("a1");
  t.compact("keeps something that comes later", "00000005");
  t.user("q2");
  t.answer("a2");
});
talk("compaction-kept-first", (t) => {
  const root = t.user("q1");
  t.answer("a1");
  t.compact("keeps everything", root);
  t.user("q2");
});
talk("compaction-kept-on-other-branch", (t) => {
  const root = t.user("q1");
  const other = t.answer("left");
  t.branch(root);
  t.answer("right");
  t.compact("keeps what is not on its path", other);
  t.user("q2");
});
talk("compaction-three-times", (t) => {
  t.user("q1");
  const kept = t.answer("a1");
  t.compact("one", kept);
  t.user("q2");
  t.compact("two", kept);
  const later = t.user("q3");
  t.answer("a3");
  t.compact("three", later);
  t.user("q4");
  t.compact("four, with two and three in what it keeps", kept);
  t.answer("a4");
});
talk("compaction-without-fields", (t) => {
  t.user("q1");
  t.answer("a1");
  t.put("compaction", {});
  t.user("q2");
});
talk("compaction-empty-summary", (t) => {
  const kept = t.user("q1");
  t.answer("a1");
  t.compact("", kept);
  t.user("q2");
});
talk("compaction-first", (t) => {
  t.compact("nothing before it", "00000009");
  t.user("q1");
  t.answer("a1");
});
talk("compaction-tool-results", (t) => {
  // The cut may not fall between a call and its result.
  const call = (n) =>
    t.say("assistant", [{ type: "toolCall", id: `call_${n}`, name: "read", arguments: { path: `f${n}.rs` } }], {
      stopReason: "toolUse",
      usage: usage(0, 0),
    });
  t.user("x".repeat(100));
  for (let n = 0; n < 6; n++) {
    call(n);
    t.result("y".repeat(40 * (n + 1)), { toolCallId: `call_${n}`, toolName: "read" });
  }
});
const system = (t, preamble, more = {}) => t.say("system", "", { sections: { preamble }, ...more });
talk("compaction-system-message", (t) => {
  system(t, "one");
  t.user("q1");
  const kept = t.answer("a1");
  t.compact("with a checkpoint", kept, {
    systemMessage: message("system", "", 4, {
      sections: { preamble: "checkpoint" },
      toolsAdded: [{ name: "read", description: "Read", parameters: {} }],
    }),
  });
  t.user("q2");
  t.answer("a2");
});
talk("system-messages-around-compaction", (t) => {
  system(t, "one", { toolsAdded: [{ name: "read", description: "Read", parameters: {} }] });
  t.user("q1");
  system(t, "two");
  const kept = t.answer("a1");
  system(t, "three, kept away by the compaction");
  t.user("q2");
  t.compact("with a checkpoint", kept, {
    systemMessage: message("system", "", 7, { sections: { preamble: "three" } }),
  });
  system(t, "four", { toolsRemoved: [{ name: "read" }] });
  t.user("q3");
  t.say("system", text("five, in blocks"));
  t.answer("a3");
});
talk("system-message-kept-first", (t) => {
  t.user("q1");
  const kept = system(t, "the first kept entry is a system message");
  t.answer("a1");
  t.compact("kept from a system message on", kept);
  t.user("q2");
});

// --- context edits ---

talk("context-edit-roles", (t) => {
  const ids = [
    system(t, "one"),
    t.user("q"),
    t.answer("a"),
    t.result("r"),
    t.say("bashExecution", undefined, { command: "ls", output: "o", exitCode: 0, cancelled: false, truncated: false }),
    t.put("custom_message", { customType: "x", content: "c", display: true }),
    t.put("custom", { customType: "y" }),
  ];
  for (const id of ids) t.edit(id, { content: `edit of ${id}` });
});
talk("context-edit-blocks", (t) => {
  const ids = [
    t.user("q"),
    t.answer("a"),
    t.result("r"),
    t.put("custom_message", { customType: "x", content: "c", display: true }),
  ];
  for (const id of ids) t.edit(id, { content: [{ type: "text", text: `edit of ${id}` }, image] });
});
talk("context-edit-null", (t) => {
  const ids = [system(t, "one"), t.user("q"), t.answer("a"), t.result("r")];
  for (const id of ids) t.edit(id, null);
  t.user("all of it gone");
});
talk("context-edit-of-summaries", (t) => {
  const root = t.user("q");
  const kept = t.answer("a");
  const left = t.put("branch_summary", { fromId: root, summary: "stays as it is" });
  const gone = t.put("branch_summary", { fromId: root, summary: "taken out" });
  const compaction = t.compact("stays as it is", kept);
  t.edit(left, { content: "no effect on a branch summary" });
  t.edit(gone, null);
  t.edit(compaction, { content: "no effect on a compaction" });
  t.user("q2");
});
talk("context-edit-compaction-null", (t) => {
  const kept = t.user("q");
  t.answer("a");
  const compaction = t.compact("taken out", kept);
  t.edit(compaction, null);
  t.user("q2");
});
talk("context-edit-before-compaction", (t) => {
  const lost = t.user("q1");
  const early = t.answer("a1");
  t.edit(early, { content: "this edit is not among what is kept" });
  const kept = t.user("q2");
  t.edit(kept, { content: "this edit is kept" });
  t.edit(lost, { content: "kept edit of something lost" });
  t.compact("compacted", early);
  t.edit(early, { content: "edited after the compaction" });
  t.user("q3");
});
talk("context-edit-lost-by-compaction", (t) => {
  const q = t.user("q1");
  t.edit(q, { content: "not kept" });
  const kept = t.answer("a1");
  t.compact("compacted", kept);
  t.edit(q, { content: "of something not kept" });
  t.user("q2");
});
talk("context-edit-other-branch", (t) => {
  const q = t.user("q");
  const a = t.answer("a");
  t.edit(q, { content: "only on the left" });
  t.branch(a);
  t.user("right");
});
talk("context-edit-undone", (t) => {
  const q = t.user("q");
  t.edit(q, null);
  t.edit(q, { content: "back again" });
  t.edit("99999999", null);
  t.answer("a");
});
talk("context-edit-without-replacement", (t) => {
  const q = t.user("q");
  t.put("context_edit", { targetId: q });
  t.answer("a");
});
talk("context-edit-without-content", (t) => {
  const q = t.user("q");
  t.edit(q, {});
  t.answer("a");
});
