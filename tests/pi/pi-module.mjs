// What the other scripts share: finding an installed pi, loading its API, giving it a home folder
// of its own, and reading the command line.
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const places = [
  "package/dist/bundle", // an unpacked tarball
  "node_modules/@earendil-works/pi-coding-agent/dist/bundle",
  "node_modules/@mariozechner/pi-coding-agent/dist",
];

/** The folder of an installed pi that holds its index.js and its cli.js. */
function piFolder(dir) {
  const found = places.map((place) => join(resolve(dir), place)).find(existsSync);
  if (!found) throw new Error(`no pi in ${dir}: run install.sh first`);
  return found;
}

export const piCli = (dir) => join(piFolder(dir), "cli.js");

/** pi's exported API, with its agent folder set to `agentDir` (pi reads the variable when it needs it). */
export async function loadPi(dir, agentDir) {
  process.env.PI_CODING_AGENT_DIR = resolve(agentDir);
  return import(pathToFileURL(join(piFolder(dir), "index.js")).href);
}

/**
 * pi's `prepareCompaction` and `computeFileLists`, which its API does not export: from their own
 * module if that loads. A tarball alone lacks what it needs; there an export is added to the chunk
 * of the bundle that holds them while it is loaded, so this must be called before `loadPi`.
 */
export async function loadCompaction(dir) {
  const bundle = piFolder(dir);
  const modules = [bundle, dirname(bundle)].map((folder) => join(folder, "core/compaction/index.js"));
  try {
    return await import(pathToFileURL(modules.find(existsSync)).href);
  } catch {
    return exposeInChunk(join(bundle, "chunks"));
  }
}

async function exposeInChunk(chunks) {
  if (!nodeModule.registerHooks || !existsSync(chunks)) return undefined;
  const holds = (name) => readFileSync(join(chunks, name)).includes("function prepareCompaction(");
  const chunk = readdirSync(chunks).find(holds);
  if (!chunk) return undefined;
  // Node resolves symbolic links before it asks the hook.
  const url = pathToFileURL(realpathSync(join(chunks, chunk))).href;
  nodeModule.registerHooks({
    load(wanted, context, next) {
      const loaded = next(wanted, context);
      if (wanted !== url) return loaded;
      const source = Buffer.from(loaded.source).toString("utf8");
      return { ...loaded, source: `${source}\nexport { prepareCompaction as $prepare, computeFileLists as $lists };` };
    },
  });
  const { $prepare, $lists } = await import(url);
  return { prepareCompaction: $prepare, computeFileLists: $lists };
}

/** A home folder in which pi knows one model: the stub at `url`. Gives the environment to run pi with. */
export function makeHome(home, url, settings = {}) {
  const agent = join(home, ".pi/agent");
  mkdirSync(agent, { recursive: true });
  const stub = {
    baseUrl: url,
    api: "openai-completions",
    apiKey: "none",
    models: [{ id: "stub-1" }, { id: "stub-2" }],
  };
  writeFileSync(join(agent, "models.json"), JSON.stringify({ providers: { stub } }));
  writeFileSync(
    join(agent, "settings.json"),
    JSON.stringify({ defaultProvider: "stub", defaultModel: "stub-1", ...settings }),
  );
  return {
    PATH: process.env.PATH,
    HOME: home,
    PI_OFFLINE: "1",
    PI_TELEMETRY: "0",
    PI_SKIP_VERSION_CHECK: "1",
    NO_COLOR: "1",
  };
}

/** Waits until the clock shows another millisecond, so that no two entries share one. */
export function tick() {
  for (const now = Date.now(); Date.now() === now;);
}

/** `--name value` pairs of the command line as an object; stops with the usage if a needed one is missing. */
export function options(needed, optional = []) {
  const found = {};
  const argv = process.argv.slice(2);
  for (let i = 0; i < argv.length; i += 2) {
    const name = argv[i].replace(/^--/, "");
    if (![...needed, ...optional].includes(name) || argv[i + 1] === undefined) usage(needed, optional);
    found[name] = argv[i + 1];
  }
  if (needed.some((name) => !(name in found))) usage(needed, optional);
  return found;
}

function usage(needed, optional) {
  const words = [...needed.map((n) => `--${n} …`), ...optional.map((n) => `[--${n} …]`)];
  console.error(`usage: ${process.argv[1]} ${words.join(" ")}`);
  process.exit(2);
}

/** All of standard input, as text. */
export async function readStdin() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
