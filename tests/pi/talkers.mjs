#!/usr/bin/env node
// Several real pis at once in one home folder, each led by somebody who cannot make up their mind:
// talks, uses tools, goes back in the tree with and without a summary, labels, names, compacts, clones,
// forks, begins anew, and goes on with what another has begun. They talk until standard input ends, and
// everybody does everything at least once. From the fourth on, their sessions are long from the beginning.
//
// usage: DIR/node talkers.mjs --pi DIR --home DIR --talkers N --words 'WORD …' --seed N
//
// Prints, at the end,
// {done: {move: 12, …}, refused: {compact: 3, …}}: how often what was done, and what pi did not want to do.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeHome, options } from "./pi-module.mjs";
import { Refusal, readEntries, startPi } from "./rpc.mjs";
import { startStub } from "./stub-model.mjs";

const o = options(["pi", "home", "talkers", "words", "seed"]);
const home = resolve(o.home);
const words = o.words.split(" ");

const stub = await startStub();
const env = makeHome(home, stub.url, { compaction: { keepRecentTokens: 50 } });
/** The session files that somebody has left behind, for others to go on with. */
const left = [];
const done = {};
const refused = {};
let isOver = false;
process.stdin.on("data", () => {}).on("end", () => (isOver = true));

class Talker {
  constructor(number) {
    this.number = number;
    this.random = generator(Number(o.seed) * 1000 + number);
    // The first two are colleagues.
    const cwd = join(home, `work${Math.max(number, 1)}`);
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(cwd, "notes.txt"), "alpha\nbeta\n");
    this.pi = startPi(o.pi, { cwd, env, patience: 3600000 });
  }

  pick(list) {
    return list[Math.floor(this.random() * list.length)];
  }

  phrase() {
    const length = 2 + Math.floor(this.random() * 5);
    return Array.from({ length }, () => this.pick(words)).join(" ");
  }

  say() {
    return this.pi.say(`We speak of ${this.phrase()}.\nSAY It is about ${this.phrase()}.`);
  }

  /** Some message that is written already. */
  async message() {
    const messages = readEntries(await this.pi.file()).filter((entry) => entry.type === "message");
    return this.pick(messages).id;
  }

  /** Leaves the session to others. */
  async leave() {
    const file = await this.pi.file();
    if (existsSync(file) && !left.includes(file)) left.push(file);
  }

  /** What can be done, by name. */
  acts = {
    read: () => this.pi.say('CALL read {"path":"notes.txt"}'),
    fail: () => this.pi.say(`CALL bash {"command":"echo ${this.pick(words)}; exit 3"}`),
    move: async () => this.pi.command(`/go ${await this.message()}`),
    moveWithSummary: async () => this.pi.command(`/go ${await this.message()} summarize`),
    label: async () => this.pi.command(`/mark ${await this.message()} ${this.phrase()}`),
    name: () => this.pi.ask("set_session_name", { name: this.phrase() }),
    shell: () => this.pi.ask("bash", { command: `echo ${this.pick(words)}` }),
    model: () => this.pi.ask("set_model", { provider: "stub", modelId: this.pick(["stub-1", "stub-2"]) }),
    compact: () => this.pi.ask("compact"),
    clone: async () => {
      await this.leave();
      await this.pi.ask("clone");
    },
    fork: async () => {
      await this.leave();
      const { messages } = await this.pi.ask("get_fork_messages");
      await this.pi.ask("fork", { entryId: this.pick(messages).entryId });
    },
    anew: async () => {
      await this.leave();
      await this.pi.ask("new_session");
    },
    goOn: async () => {
      await this.leave();
      await this.pi.ask("switch_session", { sessionPath: this.pick(left) });
    },
  };

  async talk() {
    if (this.number >= 3) await this.pi.say("BIG 4500");
    await this.say();
    do {
      for (const act of this.shuffled(Object.keys(this.acts))) {
        await this.attempt(act);
        await this.say();
        await new Promise((rested) => setTimeout(rested, this.random() * 200));
      }
    } while (!isOver);
    await this.pi.end();
  }

  async attempt(act) {
    try {
      await this.acts[act]();
      done[act] = (done[act] ?? 0) + 1;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused[act] = (refused[act] ?? 0) + 1;
    }
  }

  shuffled(list) {
    const keyed = list.map((item) => [this.random(), item]);
    return keyed.sort(([one], [other]) => one - other).map(([, item]) => item);
  }
}

/** Numbers from 0 to 1, the same for the same seed. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const talkers = Array.from({ length: Number(o.talkers) }, (_, number) => new Talker(number));
await Promise.all(talkers.map((talker) => talker.talk()));
stub.close();
console.log(JSON.stringify({ done, refused }));
