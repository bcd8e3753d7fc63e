#!/usr/bin/env node
// Makes one session file for each thing that a pi session can hold or suffer: with real pi's own
// SessionManager where it can write it, by hand where only another pi or an accident could.
//
// usage: DIR/node make-sessions.mjs --pi DIR --out DIR       what was in OUT before is deleted
//   OUT/agent/sessions/<encoded cwd>/*.jsonl    the files, laid out as pi lays them
//   OUT/index.json                              name -> path relative to OUT
//
// Every pi gives the same names. The hand-made files are the same bytes each time; what pi wrote
// has new ids and times in every run.
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { cwd, handMade, image, usage } from "./hand-made.mjs";
import { loadPi, options, tick } from "./pi-module.mjs";
import { talk } from "./talk.mjs";

const o = options(["pi", "out"]);
const out = resolve(o.out);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const { SessionManager } = await loadPi(o.pi, join(out, "agent"));
const index = {};

function note(name, file) {
  if (!existsSync(file)) throw new Error(`${name}: nothing was written`);
  if (index[name]) throw new Error(`${name}: twice`);
  index[name] = relative(out, file);
}

function scenario(name, write, where = cwd) {
  const s = SessionManager.create(where);
  write(talk(s), s);
  note(name, s.getSessionFile());
  return s.getSessionFile();
}

// --- conversations, branches, roots ---

scenario("linear", (t) => {
  t.user("list the files");
  t.result(t.call("bash", { command: "ls" }), "bash", "a.txt\nb.txt\n");
  t.say("two files");
});

scenario("branches", (t, s) => {
  t.user("first question");
  const root = t.say("first answer");
  t.user("left");
  t.say("left answer");
  s.branch(root);
  t.user("right");
  const right = t.say("right answer");
  t.user("right deeper");
  t.say("right deeper answer");
  s.branch(right);
  t.user("right other");
  t.say("right other answer");
});

scenario("two-roots", (t, s) => {
  t.user("one");
  t.say("answer one");
  s.resetLeaf();
  t.user("one, said better");
  t.say("answer to better");
});

scenario("first-entries", (t, s) => {
  // As a session begins: settings, and in newer pi a system message, before the first question.
  t.then(() => s.appendModelChange("stub", "stub-1"));
  t.then(() => s.appendThinkingLevelChange("off"));
  t.put({ role: "system", content: "", sections: { preamble: "Be good.", cwd } });
  t.user("q");
  t.say("a");
});

scenario("models", (t, s) => {
  t.then(() => s.appendModelChange("anthropic", "big"));
  t.then(() => s.appendThinkingLevelChange("high"));
  t.user("q");
  const a = t.say("a", { provider: "anthropic", model: "big" });
  t.then(() => s.appendModelChange("openai", "small"));
  t.then(() => s.appendThinkingLevelChange("low"));
  t.user("q2");
  t.say("a2", { provider: "openai", model: "small-really" });
  s.branch(a);
  t.user("q3");
  t.say("a3", { provider: "anthropic", model: "big" });
});

scenario("settings-last", (t, s) => {
  t.user("q");
  t.say("a");
  t.then(() => s.appendModelChange("openai", "small"));
  t.then(() => s.appendThinkingLevelChange("xhigh"));
});

// --- labels and names ---

scenario("labels", (t, s) => {
  const a = t.user("a");
  const b = t.say("b");
  t.then(() => s.appendLabelChange(a, "start"));
  const c = t.user("c");
  t.say("d");
  t.then(() => s.appendLabelChange(b, "wrong"));
  t.then(() => s.appendLabelChange(b, "right"));
  t.then(() => s.appendLabelChange(c, "gone"));
  t.then(() => s.appendLabelChange(c, undefined));
  t.user("after the labels");
  t.say("end");
});

scenario("labels-on-branches", (t, s) => {
  const a = t.user("a");
  const b = t.say("b");
  const c = t.user("left");
  t.say("left answer");
  t.then(() => s.appendLabelChange(a, "set on the left"));
  t.then(() => s.appendLabelChange(b, "cleared on the right"));
  t.then(() => s.appendLabelChange(c, "cleared with an empty word"));
  s.branch(b);
  t.user("right");
  t.then(() => s.appendLabelChange(b, undefined));
  const d = t.say("right answer");
  t.then(() => s.appendLabelChange(c, ""));
  const label = t.then(() => s.appendLabelChange(d, "on the right"));
  t.then(() => s.appendLabelChange(label, "a label on a label"));
});

scenario("names", (t, s) => {
  t.user("q");
  t.say("a");
  t.then(() => s.appendSessionInfo("  first name  "));
  t.then(() => s.appendSessionInfo("second\nname"));
});

scenario("name-cleared", (t, s) => {
  t.user("q");
  t.say("a");
  t.then(() => s.appendSessionInfo("a name"));
  t.then(() => s.appendSessionInfo(""));
});

scenario("name-on-other-branch", (t, s) => {
  t.user("q");
  const a = t.say("a");
  t.user("left");
  t.then(() => s.appendSessionInfo("named on the left"));
  s.branch(a);
  t.user("right");
  t.say("right answer");
});

// --- compactions and branch summaries ---

scenario("compaction", (t, s) => {
  t.user("old question");
  t.say("old answer");
  const kept = t.user("kept question");
  t.say("kept answer");
  t.then(() => s.appendCompaction("what went before", kept, 5000, { readFiles: ["a.txt"], modifiedFiles: [] }));
  t.user("new question");
  t.say("new answer");
});

scenario("compaction-twice", (t, s) => {
  t.user("q1");
  t.say("a1");
  const kept = t.user("q2");
  t.say("a2");
  t.then(() => s.appendCompaction("summary one", kept, 1000));
  t.user("q3");
  t.say("a3");
  t.then(() => s.appendCompaction("summary two", kept, 2000, undefined, true));
  t.user("q4");
  t.say("a4");
});

scenario("compaction-missing-kept", (t, s) => {
  t.user("q1");
  t.say("a1");
  t.then(() => s.appendCompaction("summary of a lost place", "00000000", 1000));
  t.user("q2");
  t.say("a2");
});

scenario("compaction-other-branch", (t, s) => {
  t.user("q1");
  const fork = t.say("a1");
  const kept = t.user("q2");
  t.say("a2");
  t.then(() => s.appendCompaction("only on this branch", kept, 900));
  t.say("after compaction");
  s.branch(fork);
  t.user("q3 elsewhere");
  t.say("a3 sees everything");
});

scenario("compaction-retain-none", (t, s) => {
  t.user("q1");
  t.say("a1");
  if (s.appendContextEdit) t.then(() => s.appendCompaction("nothing kept", undefined, 100));
  else
    t.raw("compaction", { id: "c0ffee00", summary: "nothing kept", firstKeptEntryId: "c0ffee00", tokensBefore: 100 });
  t.user("q2");
  t.say("a2");
});

scenario("compaction-last", (t, s) => {
  t.user("q1");
  t.say("a1");
  const kept = t.user("q2");
  t.say("a2");
  t.then(() => s.appendCompaction("nothing since", kept, 100));
});

scenario("compaction-of-work", (t, s) => {
  // Enough text and tools for pi to find different places to cut.
  const words = (n) => "lorem ipsum dolor sit amet ".repeat(n);
  t.user(`read and change things ${words(4)}`);
  t.result(t.call("read", { path: "src/one.rs" }), "read", words(10));
  t.result(t.call("read", { path: "src/two.rs" }), "read", words(20));
  t.result(t.call("edit", { path: "src/two.rs", edits: [] }), "edit", "done");
  const kept = t.say(`one is done ${words(3)}`);
  t.then(() =>
    s.appendCompaction("worked on two", kept, 400, {
      readFiles: ["src/zero.rs", "src/one.rs"],
      modifiedFiles: ["src/two.rs"],
    }),
  );
  t.user(`go on ${words(2)}`);
  t.result(t.call("write", { path: "src/three.rs", content: words(5) }), "write", "written");
  t.put({
    role: "bashExecution",
    command: "cargo test",
    output: words(6),
    exitCode: 0,
    cancelled: false,
    truncated: false,
  });
  t.result(t.call("read", { path: "src/zero.rs" }), "read", words(30));
  t.then(() => s.appendLabelChange(kept, "half way"));
  t.then(() => s.appendCustomMessageEntry("probe", words(3), true));
  t.result(t.call("bash", { command: "ls" }), "bash", words(8));
  t.say(`three is done ${words(1)}`);
});

scenario("branch-summary", (t, s) => {
  t.user("q");
  const a = t.say("a");
  t.user("wrong way");
  t.say("wrong answer");
  t.then(() => s.branchWithSummary(a, "the wrong way was tried", { readFiles: [], modifiedFiles: ["x.rs"] }));
  t.user("right way");
  t.say("right answer");
});

scenario("branch-summary-at-root", (t, s) => {
  t.user("q");
  t.say("a");
  t.then(() => s.branchWithSummary(null, "all of it was left"));
  t.user("again");
  t.say("anew");
});

scenario("branch-summary-empty", (t, s) => {
  t.user("q");
  const a = t.say("a");
  t.user("wrong way");
  t.then(() => s.branchWithSummary(a, ""));
  t.user("right way");
  t.say("right answer");
});

// --- what extensions write; usage; context edits; system messages ---

scenario("custom", (t, s) => {
  t.user("q");
  t.say("a");
  t.then(() => s.appendCustomEntry("probe-state", { count: 42, nested: { a: [1, 2] } }));
  t.then(() => s.appendCustomEntry("probe-mark"));
  t.then(() => s.appendCustomMessageEntry("probe", "injected text", true, { why: "test" }));
  t.then(() => s.appendCustomMessageEntry("probe", [{ type: "text", text: "hidden block" }], false));
  t.user("q2");
  t.say("a2");
});

scenario("usage", (t, s) => {
  t.user("q");
  t.say("a");
  const entry = { kind: "cache_warm", provider: "stub", model: "stub-1", usage: usage(100, 0), note: "a note" };
  if (s.appendUsage) t.then(() => s.appendUsage(entry.kind, entry.provider, entry.model, entry.usage, entry.note));
  else t.raw("usage", entry);
  t.user("q2");
  t.say("a2");
});

scenario("context-edit", (t) => {
  const q = t.user("secret question");
  const a = t.say("long answer");
  const r = t.result(t.call("bash", { command: "x" }), "bash", "big output");
  t.edit(r, { content: "shortened" });
  t.edit(a, null);
  t.edit(q, { content: "first edit" });
  t.edit(q, { content: "last edit" });
  t.say("done");
});

scenario("system-messages", (t, s) => {
  const tool = { name: "read", description: "Read a file", parameters: { type: "object", properties: {} } };
  t.put({ role: "system", content: "", sections: { preamble: "Be good.", cwd }, toolsAdded: [tool] });
  t.user("q1");
  t.say("a1");
  const changed = { preamble: "Be better.", cwd: null };
  t.put({
    role: "system",
    content: "",
    sections: changed,
    toolsAdded: [{ ...tool, name: "bash" }],
    toolsRemoved: [{ name: "read" }],
  });
  const kept = t.user("q2");
  t.say("a2");
  t.then(() => s.appendCompaction("with a checkpoint", kept, 100));
  t.user("q3");
  t.say("a3");
});

// --- what a message can hold ---

scenario("blocks", (t) => {
  t.put({ role: "user", content: "a plain string" });
  t.put({ role: "user", content: [{ type: "text", text: "see" }, image] });
  t.put({
    role: "assistant",
    api: "anthropic-messages",
    provider: "anthropic",
    model: "big",
    usage: usage(1, 2),
    stopReason: "toolUse",
    content: [
      { type: "thinking", thinking: "hm", thinkingSignature: "c2ln" },
      { type: "thinking", thinking: "", thinkingSignature: "ZW5j", redacted: true },
      { type: "text", text: "I will read two files.", textSignature: "t" },
      { type: "toolCall", id: "tc_a", name: "read", arguments: { path: "a.txt" } },
      {
        type: "toolCall",
        id: "tc_b",
        name: "edit",
        arguments: { path: "b.txt", edits: [{ oldText: "x", newText: "y" }] },
        thoughtSignature: "z",
      },
    ],
  });
  t.result("tc_b", "edit", "no such file", true);
  t.result("tc_a", "read", "hello", false, { truncation: { truncated: false } });
  t.put({ role: "bashExecution", command: "ls", output: "a.txt\n", exitCode: 0, cancelled: false, truncated: false });
  t.put({
    role: "bashExecution",
    command: "false",
    output: "",
    exitCode: 1,
    cancelled: false,
    truncated: true,
    fullOutputPath: "/tmp/x.log",
  });
  t.put({
    role: "bashExecution",
    command: "secret",
    output: "s",
    cancelled: true,
    truncated: false,
    excludeFromContext: true,
  });
  t.say("", { content: [], stopReason: "error", errorMessage: "529 overloaded" });
  t.say("half", { stopReason: "aborted", errorMessage: "Request was aborted" });
  t.say("cut", { stopReason: "length" });
});

scenario("unicode", (t) => {
  t.user("emoji 🧠👩‍💻, nul \u0000, lone \ud800 half, rtl שלום, combining e\u0301, 漢字");
  t.say("ok \u0085 \u00a0 \ufeff end");
});

scenario("line-separators", (t) => {
  t.user("one\u2028two");
  t.say("three\u2029four");
  t.user("five");
  t.say("six");
});

scenario("long-line", (t) => {
  t.user("big");
  t.result(t.call("bash", { command: "cat big" }), "bash", "0123456789abcdef".repeat(65536));
  t.say("seen");
});

// --- forks, clones, other folders ---

const source = scenario("fork-source", (t, s) => {
  const a = t.user("a");
  const b = t.say("b");
  t.then(() => s.appendLabelChange(a, "keep me"));
  const c = t.user("c");
  t.say("d");
  s.branch(b);
  const e = t.user("e");
  t.say("f");
  t.then(() => s.appendLabelChange(c, "not on the path"));
  t.then(() => s.appendLabelChange(e, "too late for the fork"));
});
const entryWith = (s, text) => s.getEntries().find((e) => e.message?.content?.[0]?.text === text).id;
const branched = (name, file, at) => {
  const s = SessionManager.open(file);
  tick();
  note(name, s.createBranchedSession(at(s)));
  return s.getSessionFile();
};
const fork = branched("fork-of-branch", source, (s) => entryWith(s, "d"));
branched("fork-of-fork", fork, (s) => entryWith(s, "b"));
branched("clone", source, (s) => s.getLeafId());
tick();
note("fork-into-other-cwd", SessionManager.forkFrom(source, "/home/dev/other project").getSessionFile());

const marked = scenario("compaction-kept-label", (t, s) => {
  const a = t.user("a");
  t.say("b");
  const label = t.then(() => s.appendLabelChange(a, "kept from here"));
  t.user("c");
  t.say("d");
  t.then(() => s.appendCompaction("kept from a label on", label, 100));
  t.user("e");
  t.say("f");
});
branched("fork-kept-label", marked, (s) => entryWith(s, "f"));

{
  // As pi does on /new, and on a fork at the first message: empty, but with a parent.
  const s = SessionManager.open(source);
  tick();
  s.newSession({ parentSession: source });
  const t = talk(s);
  t.user("begun anew");
  t.say("yes");
  note("new-with-parent", s.getSessionFile());
}

const folders = {
  "cwd-root": "/",
  "cwd-dashes": "/home/dev/a-b/c",
  "cwd-like-dashes": "/home/dev/a/b-c",
  "cwd-unicode": "/home/dév/проект: x",
};
for (const [name, where] of Object.entries(folders)) {
  const write = (t) => {
    t.user(`in ${where}`);
    t.say("yes");
  };
  scenario(name, write, where);
}

// --- by hand ---

const folder = dirname(join(out, index.linear));
for (const { name, at, bytes } of handMade()) {
  const file = join(folder, `${at.toISOString().replace(/[:.]/g, "-")}_hand-${name}.jsonl`);
  writeFileSync(file, bytes);
  utimesSync(file, at, at);
  note(name, file);
}

writeFileSync(join(out, "index.json"), `${JSON.stringify(index, null, 1)}\n`);
