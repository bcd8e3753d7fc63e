#!/usr/bin/env node
// Compares two readings of the same session files: real pi's (from oracle.mjs) and ours (from
// `pi-brain session dump`), one JSON object a line each, in the same order.
//
// usage: node compare.mjs PI.jsonl OURS.jsonl [FIELD,FIELD…]
// Prints a JSON array with an element for each file that is not read alike:
//   { file, fields: [names], show: {field: [pi's, ours], shortened} }
//
// It is JavaScript because pi is: numbers, halves of surrogate pairs and deep nesting mean here what
// they mean to pi. Ids in version 1 files are random in pi, so they are compared by position.
import { readFileSync } from "node:fs";
import { isMainThread, Worker } from "node:worker_threads";

const all = "header,cwd,name,leafId,entries,tree,branch,labels,context,listed";
const fields = (process.argv[4] ?? all).split(",");
// A long chat is a deep tree: the work is done in a thread with a stack for it.
if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2), resourceLimits: { stackSizeMb: 200 } });
  worker.on("error", (error) => { throw error; });
} else compare();

function compare() {
  const lines = (path) => readFileSync(path, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const [theirs, ours] = process.argv.slice(2, 4).map(lines);
  if (theirs.length !== ours.length) throw new Error(`${theirs.length} readings of pi, ${ours.length} of ours`);
  const different = [];
  for (const [number, pi] of theirs.entries()) {
    const our = ours[number];
    const old = version(pi.file) < 2;
    const [a, b] = old ? [byPosition(pi), byPosition(our)] : [pi, our];
    const show = {};
    for (const field of fields) {
      const [x, y] = [canonical(a[field]), canonical(b[field])];
      if (x === y) continue;
      let at = 0;
      while (x[at] === y[at]) at++;
      show[field] = [x, y].map((text) => text.slice(Math.max(0, at - 40), at + 120));
    }
    if (Object.keys(show).length) different.push({ file: pi.file, fields: Object.keys(show), error: pi.error, ourError: our.error, show });
  }
  console.log(JSON.stringify(different));
}

/** The version that a file claims before anybody migrates it. */
function version(file) {
  for (const line of readFileSync(file, "utf8").split("\n")) {
    try {
      const value = JSON.parse(line);
      if (value?.type === "session") return Number(value.version ?? 1);
    } catch { /* not the header */ }
  }
  return 3;
}

/** Replaces ids by the position of their entry. */
function byPosition(reading) {
  const places = new Map((reading.entries ?? []).map(([id], place) => [id, `#${place}`]));
  const walk = (value) => {
    if (typeof value === "string") return places.get(value) ?? value;
    if (Array.isArray(value)) return value.map(walk);
    if (value && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [places.get(key) ?? key, walk(inner)]));
    return value;
  };
  return walk(reading);
}

/** One text for equal values: keys sorted, and half a surrogate pair as U+FFFD, which Rust strings need. */
function canonical(value) {
  if (typeof value === "string") return JSON.stringify(value.toWellFormed());
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value && typeof value === "object") {
    const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return `{${members.map(([key, inner]) => `${canonical(key)}:${canonical(inner)}`).sort().join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
