#!/usr/bin/env node
// Lets a real pi run the extension, against the scripted model and a brain, and prints what was seen:
// one line of JSON for each scenario, {"scenario": name, "seen": {…}}, or "failed" with the reason.
//
// usage: DIR/node scenarios.mjs --pi DIR --extension DIR
//            [--stand-in | --brain-url URL --token T]     which brain; else the one of --home
//            [--home DIR]       a home folder to use and to keep; its .pi-brain is the data folder
//            [--cwd DIR]        the project to work in
//            [--bin PATH]       the pi-brain program
//            [--question TEXT]  what to ask
//            [--jobs N]         so many scenarios at once, 1 unless told; not with --home
//            SCENARIO…          all of them if none is named; --list names them
//
// Without --stand-in only those scenarios make sense that do not tell the brain how to behave: tool,
// askRpc, askPrint, askJson, askTui, askWhileBusy, here, page, nothing, flag, install, symlink, settings,
// branches; and with --bin, program.
import { resolve } from "node:path";
import * as asking from "./asking.mjs";
import * as loading from "./loading.mjs";
import * as session from "./session.mjs";

const scenarios = { ...asking, ...session, ...loading };

const TAKES_VALUE = ["pi", "extension", "brain-url", "token", "home", "cwd", "bin", "question", "jobs"];
const PATHS = ["pi", "extension", "home", "cwd", "bin"];

const options = readOptions(process.argv.slice(2));
const names = options.names.length > 0 ? options.names : Object.keys(scenarios);
if (options.list) console.log(names.join("\n"));
else {
  await Promise.all(Array.from({ length: Number(options.jobs ?? 1) }, work));
}

/** Takes one scenario after the other, until none is left. */
async function work() {
  for (let name = names.shift(); name; name = names.shift()) console.log(JSON.stringify(await observe(name)));
}

/** Gives what was seen, or why nothing was. */
async function observe(name) {
  try {
    return { scenario: name, seen: await scenarios[name](options) };
  } catch (error) {
    return { scenario: name, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function readOptions(argv) {
  const options = { question: "why are retries capped", names: [] };
  for (let at = 0; at < argv.length; at++) {
    const name = argv[at].replace(/^--/, "");
    if (!argv[at].startsWith("--")) options.names.push(argv[at]);
    else if (TAKES_VALUE.includes(name) && argv[at + 1] !== undefined) options[name] = argv[++at];
    else if (["stand-in", "list"].includes(name)) options[name] = true;
    else throw new Error(`unknown option, or no value for it: ${argv[at]}`);
  }
  for (const name of PATHS) if (options[name]) options[name] = resolve(options[name]);
  const unknown = options.names.filter((name) => !(name in scenarios));
  if (unknown.length > 0) throw new Error(`no such scenario: ${unknown.join(", ")}`);
  if (!options.list && (!options.pi || !options.extension)) throw new Error("--pi DIR and --extension DIR are needed");
  return options;
}
