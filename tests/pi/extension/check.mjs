#!/usr/bin/env node
// Runs every scenario with the stand-in, in each of the three pis, and compares what was seen with
// `expected.mjs`. Says where the first difference is, and ends with exit code 1.
//
// usage: node check.mjs [VERSION…]      pis are looked for in .tools/pi, where `make tools` puts them
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { differences, expected } from "./expected.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const extension = here("../../../extension");
const pis = here("../../../.tools/pi");
const versions = process.argv.length > 2 ? process.argv.slice(2) : ["0.73.1", "0.87.1", "1.5.0"];

for (const version of versions) {
  const start = Date.now();
  const wrong = await checkVersion(version);
  if (wrong) {
    console.error(`pi ${version}: ${wrong}`);
    process.exit(1);
  }
  console.log(
    `pi ${version}: ${Object.keys(expected).length} scenarios as expected, in ${Math.round((Date.now() - start) / 1000)} s`,
  );
}

/** Says what is wrong, if something is. */
async function checkVersion(version) {
  const pi = join(pis, version);
  const args = [here("scenarios.mjs"), "--pi", pi, "--extension", extension, "--stand-in", "--jobs", "2"];
  const child = spawn(join(pi, "node"), args, { stdio: ["ignore", "pipe", "inherit"] });
  const missing = new Set(Object.keys(expected));
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { scenario, seen, failed } = JSON.parse(line);
      missing.delete(scenario);
      if (failed) return `${scenario} failed: ${failed}`;
      const wanted = { ...expected[scenario], ...differences[version]?.[scenario] };
      const lines = [...difference(scenario, wanted, seen)];
      if (lines.length > 0) return lines.join("\n");
    }
  } finally {
    child.kill();
  }
  return missing.size > 0 ? `not seen: ${[...missing].join(", ")}` : undefined;
}

/** One line for each value that differs. What is `undefined` is not there. */
function* difference(path, wanted, seen) {
  if (Object.is(wanted, seen)) return;
  if (isObject(wanted) && isObject(seen)) {
    for (const key of new Set([...Object.keys(wanted), ...Object.keys(seen)]))
      yield* difference(`${path}.${key}`, wanted[key], seen[key]);
  } else if (typeof wanted === "string" && typeof seen === "string" && `${wanted}${seen}`.includes("\n")) {
    yield* difference(`${path} (lines)`, wanted.split("\n"), seen.split("\n"));
  } else yield `${path}\n  expected ${JSON.stringify(wanted)}\n  seen     ${JSON.stringify(seen)}`;
}

function isObject(value) {
  return typeof value === "object" && value !== null;
}
