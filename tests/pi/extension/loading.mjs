// Scenarios: the ways in which people make pi load the extension.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeWorld } from "./harness.mjs";

/** `pi install PATH`, once for all. */
export async function install(options) {
  const world = await makeWorld(options);
  try {
    const { code } = await world.run(["install", world.extension]);
    const { packages } = JSON.parse(readFileSync(join(world.home, ".pi/agent/settings.json"), "utf8"));
    return { code, packages: packages?.length, ...(await loaded(world)) };
  } finally {
    await world.close();
  }
}

/** A symbolic link in pi's folder of extensions. */
export async function symlink(options) {
  const world = await makeWorld(options);
  try {
    const folder = join(world.home, ".pi/agent/extensions");
    mkdirSync(folder);
    symlinkSync(world.extension, join(folder, "brain-query"));
    return await loaded(world);
  } finally {
    await world.close();
  }
}

/** `extensions: []` in the settings. */
export async function settings(options) {
  const world = await makeWorld(options, { settings: { extensions: [options.extension] } });
  try {
    return await loaded(world);
  } finally {
    await world.close();
  }
}

/** What pi has of us, and whether it answers. */
async function loaded(world) {
  const pi = world.rpc([]);
  const { commands } = await pi.ask("get_commands");
  const { kind } = await pi.command("/brain why");
  const names = commands.map((command) => command.name).filter((name) => /brain|branch|label/.test(name));
  return { commands: names.sort(), answers: kind === "info", stderr: pi.stderr() };
}
