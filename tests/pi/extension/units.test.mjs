// The parts of the extension that can be tried without pi. Node 22.18 and later read its TypeScript as it is.
//
// usage: node --test units.test.mjs
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findBranches } from "../../../extension/branches.ts";
import { modeOf } from "../../../extension/pi.ts";
import { clean, oneLine, quote, ROOM } from "../../../extension/quote.ts";
import { findDaemon, findProgram, timeoutMs } from "../../../extension/settings.ts";

/** Numbers that look random, the same in every run. */
function* numbers(seed) {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state;
  }
}

const NASTY = [
  "\n",
  "\r",
  "\r\n",
  "\u2028",
  "\u0085",
  "> ",
  "End of the quotation.",
  "\x1b[2J",
  "\x1b]0;t\x07",
  "\u202e",
  "\u{e0041}",
  "\ud800",
  "\0",
  "a",
  "word ",
  "ä",
  "👩‍🚀",
];

function nastyText(random, length) {
  let text = "";
  for (let n = 0; n < length; n++) text += NASTY[random.next().value % NASTY.length];
  return text;
}

test("whatever is quoted, the frame is three lines and everything else is marked", () => {
  const random = numbers(7);
  for (let round = 0; round < 2000; round++) {
    const items = () =>
      Array.from({ length: random.next().value % 6 }, () => nastyText(random, random.next().value % 400));
    const text = quote([
      { name: "lines", items: items() },
      { name: "sources", heading: "Sources:", items: items() },
    ]);
    const frame = text.split("\n").filter((line) => line !== "" && !line.startsWith("> "));
    assert.match(frame[0], /^pi-brain quotes/);
    assert.match(frame.at(-1), /^End of the quotation\./);
    assert.ok(frame.length === 2 || (frame.length === 3 && frame[1] === "Sources:"), frame.join("|"));
    assert.ok(text.length <= ROOM + 200, `${text.length}`);
    assert.doesNotMatch(text, /(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
  }
});

test("what is left out is counted, from the end", () => {
  const items = Array.from({ length: 100 }, (_, n) => `item ${n} ${"x".repeat(90)}`);
  const text = quote(
    [
      { name: "lines", items },
      { name: "sources", items: ["one"] },
    ],
    1000,
  );
  assert.match(text, /> item 0 /);
  assert.match(text, /Left out for length: \d+ of 100 lines, 1 of 1 sources;/);
  assert.doesNotMatch(quote([{ name: "lines", items: ["short"] }]), /Left out/);
});

test("cleaning keeps what people write", () => {
  const plain = 'Grüße, 你好, שלום, नमस्ते, 👩‍🚀, \ttab, `code` <b> & "quotes"';
  assert.equal(clean(plain), plain);
  assert.equal(clean("\x1b[1;31mred\x1b[0m\r\nnext\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), "red\nnextlink");
  assert.equal(clean("a\u202eb\u2066c\u200bd\ufeffe\u{e0041}f\u{e0100}g\u061ch"), "abcdefgh");
  assert.equal(clean("before \x1b]0;never ends\nafter"), "before ]0;never ends\nafter");
  assert.equal(oneLine(" two\n\n  lines ", 8), "two lin…");
});

test("the token stays on this machine", () => {
  inDataFolder({ "daemon.json": { address: "127.0.0.1:8765", token: "secret" } }, (env) => {
    assert.deepEqual(findDaemon(), { url: "http://127.0.0.1:8765", token: "secret" });
    env.PI_BRAIN_URL = "http://localhost:9999/";
    assert.deepEqual(findDaemon(), { url: "http://localhost:9999", token: "secret" });
    for (const url of ["http://brain.example:8765", "https://127.0.0.1.example", "http://10.0.0.1"]) {
      env.PI_BRAIN_URL = url;
      assert.deepEqual(findDaemon(), { url, token: undefined });
    }
    env.PI_BRAIN_TOKEN = "theirs";
    assert.equal(findDaemon().token, "theirs");
    env.PI_BRAIN_URL = "not an address";
    assert.equal(findDaemon(), undefined);
  });
  for (const content of ["", "{", "null", "[]", '{"address": 5}'])
    inDataFolder({ "daemon.json": content }, () => assert.equal(findDaemon(), undefined));
});

test("a program is taken from absolute folders only", () => {
  inDataFolder({}, (env, folder) => {
    const program = join(folder, "pi-brain");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    env.PATH = `/nowhere:${folder}`;
    assert.equal(findProgram(), program);
    process.chdir(folder);
    env.PATH = ".:";
    assert.equal(findProgram(), undefined);
    env.PI_BRAIN_BIN = program;
    assert.equal(findProgram(), program);
    env.PI_BRAIN_BIN = join(folder, "absent");
    assert.equal(findProgram(), undefined);
  });
});

test("the patience is a number of milliseconds", () => {
  inDataFolder({}, (env) => {
    assert.equal(timeoutMs(), 30_000);
    for (const [set, expected] of [
      ["250", 250],
      ["0", 30_000],
      ["soon", 30_000],
      ["-1", 30_000],
      ["1e99", 2 ** 31 - 1],
    ]) {
      env.PI_BRAIN_TIMEOUT_MS = set;
      assert.equal(timeoutMs(), expected);
    }
  });
});

test("old pi does not say its mode, so its command line does", () => {
  const mode = (hasUI, ...argv) => modeOf({ hasUI }, argv);
  assert.equal(mode(true, "node", "pi"), "tui");
  assert.equal(mode(true, "node", "pi", "--mode", "rpc"), "rpc");
  assert.equal(mode(false, "node", "pi", "-p", "hello"), "print");
  assert.equal(mode(false, "node", "pi", "--mode", "json", "hello"), "json");
  assert.equal(mode(false, "node", "pi", "--mode", "text", "hello"), "print");
  assert.equal(modeOf({ mode: "json", hasUI: false }, ["--mode", "rpc"]), "json");
});

// A session in short: `u1 a2 l3; a2 u4` is a chain of u1, a2, l3, and u4 that branches off a2. The first letter
// says what it is: user, assistant, label, settings, custom message, summary.
function session(notation, leaf) {
  const kinds = { u: "user", a: "assistant" };
  const types = { l: "label", s: "model_change", c: "custom_message", b: "branch_summary" };
  const entries = new Map();
  for (const chain of notation.split(";")) {
    let parentId = null;
    for (const id of chain.trim().split(" ")) {
      const role = kinds[id[0]];
      const entry = { id, parentId, timestamp: "2026-01-01T00:00:00Z", type: role ? "message" : types[id[0]] };
      if (role) entry.message = { role, content: [{ type: "text", text: `words of ${id}` }] };
      if (!entries.has(id)) entries.set(id, entry);
      parentId = id;
    }
  }
  const list = [...entries.values()];
  return {
    getEntries: () => list,
    getLeafId: () => leaf ?? list.at(-1)?.id ?? null,
    getLabel: (id) => (id === "a9" ? "nine" : undefined),
  };
}

test("branches end where nothing said follows, and are continued where they were left", () => {
  const check = (notation, expected, leaf) => {
    const found = findBranches(session(notation, leaf));
    const short = found.map((branch) => `${branch.end.id}>${branch.target.id}${branch.isCurrent ? "*" : ""}`);
    assert.equal(short.join(" "), expected, notation);
  };
  check("s1 s2", "");
  check("u1 a2", "a2>a2*");
  check("u1 a2 l3 s4", "a2>s4*");
  check("u1 a2 u3 a4; a2 u5 a6", "a4>a4 a6>a6*");
  check("u1 a2 u3 a4; a2 u5 a6", "a4>a4* a6>a6", "a4");
  check("u1 a2 u3 a4; a2 l5", "a4>a4"); // a label on the way is no branch, and not a place on one
  check("u1 a2; u3 a4", "a2>a2 a4>a4*");
  check("u1 a2 c3", "c3>a2*"); // pi would put the text of c3 into the editor
  check("u1 a2 c3 s4", "c3>s4*");
  check("u1 a2 u3; a2 b4", "u3>u3 b4>b4*");
});

test("a branch is described by what is its own", () => {
  const [left, right] = findBranches(session("u1 a2 u3 a4; a2 u5 a6 u7 a9"));
  assert.deepEqual([left.messages, left.lastRequest, left.label], [2, "words of u3", undefined]);
  assert.deepEqual([right.messages, right.lastRequest, right.label], [4, "words of u7", "nine"]);
});

test("a session of a hundred thousand entries is no trouble", () => {
  const chain = Array.from({ length: 100_000 }, (_, n) => `${n % 2 ? "a" : "u"}${n}`).join(" ");
  assert.equal(findBranches(session(chain)).length, 1);
});

/** Runs `test` with a data folder that holds those files, and with an environment that it may change. */
function inDataFolder(files, test) {
  const [before, cwd] = [{ ...process.env }, process.cwd()];
  const folder = mkdtempSync(join(tmpdir(), "pi-brain-units-"));
  try {
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
    setEnvironment({ HOME: folder, PI_BRAIN_HOME: folder });
    test(process.env, folder);
  } finally {
    setEnvironment(before);
    process.chdir(cwd);
    rmSync(folder, { recursive: true });
  }
}

/** In place: Node's `homedir` does not see another object. */
function setEnvironment(variables) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, variables);
}
