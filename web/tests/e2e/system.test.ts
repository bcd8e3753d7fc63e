/** The daemon, its settings and its health, on the page. */

import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { Brain, Visit } from "./harness";

let brain: Brain;
let visit: Visit;

beforeAll(async () => {
  brain = await new Brain().start();
  visit = await Visit.open(brain);
});

afterAll(async () => {
  await visit.close();
  await brain.stop();
});

interface Status {
  version: string;
  dataFolder: string;
}

async function status(): Promise<Status> {
  return (await (await fetch(`${brain.address}/api/v1/daemon/status`)).json()) as Status;
}

test("the daemon is shown as it is, and takes in what is new when it is told to", async () => {
  const { page } = visit;
  await visit.go("/system");
  const daemon = page.getByRole("region", { name: "Daemon" });
  await daemon.getByText("Nothing to do").waitFor();
  const { version, dataFolder } = await status();
  await daemon.getByText(new RegExp(`${version}, process \\d+`, "u")).waitFor();
  await daemon.getByText(dataFolder).waitFor();
  await daemon.getByText("Memory").waitFor();
  await daemon.getByRole("button", { name: "Take in what is new" }).click();
  await page.getByText("Everything is taken in.").waitFor();
  await visit.isSound();
  await visit.picture("system");
});

test("the doctor says the same as in the terminal", async () => {
  const { page } = visit;
  const health = page.getByRole("region", { name: "Health" });
  const program = process.env.PI_BRAIN ?? resolve(import.meta.dirname, "../../../target/debug/pi-brain");
  const told = JSON.parse(
    execFileSync(program, ["--session-dir", brain.sessions, "doctor", "--json"], {
      env: brain.environment,
    }).toString(),
  ) as { findings: { area: string; text: string }[] };
  await health.getByText("All is in order.").waitFor();
  const sessions = told.findings.find(({ area }) => area === "sessions");
  await health.getByText(sessions?.text ?? "nothing was told").waitFor();
  await page.getByRole("region", { name: "Sources" }).getByText(brain.sessions).waitFor();
});

test("a setting is changed, a wrong one is refused at its field, and the terminal's are only shown", async () => {
  const { page } = visit;
  const settings = page.getByRole("region", { name: "Settings" });
  const save = settings.getByRole("button", { name: /^Save/u });
  expect(await save.isDisabled()).toBe(true);
  const idle = settings.getByLabel("idle_minutes");
  await idle.fill("25");
  expect(await save.isEnabled()).toBe(true);
  await save.click();
  await page.getByText("1 setting saved.").waitFor();
  const { dataFolder } = await status();
  expect(readFileSync(join(dataFolder, "config.toml"), "utf8")).toContain("idle_minutes = 25");
  expect(await save.isDisabled()).toBe(true);
  await visit.isSound();

  await settings.getByLabel("workers").fill("0");
  await save.click();
  await settings
    .getByRole("alert")
    .getByText(/at least 1/u)
    .waitFor();
  expect(readFileSync(join(dataFolder, "config.toml"), "utf8")).not.toContain("workers");
  visit.problems.splice(0); // The browser tells of the refusal, which was meant.
  await visit.isSound();
  await settings.getByText("workers", { exact: true }).scrollIntoViewIfNeeded();
  await visit.picture("system-settings");
  await settings.getByRole("button", { name: "Undo changes" }).click();

  await idle.fill("");
  await save.click();
  await page.getByText("1 setting saved.").last().waitFor();
  expect(readFileSync(join(dataFolder, "config.toml"), "utf8")).not.toContain("idle_minutes = 25");
  expect(await settings.getByLabel("base_url").count()).toBe(0);
  await settings
    .getByText(/changed in the terminal only/u)
    .first()
    .waitFor();
});

test("the daemon is stopped only after a question, and the page says that it is gone", async () => {
  const { page } = visit;
  await page.getByRole("button", { name: "Stop" }).click();
  const dialog = page.getByRole("dialog", { name: "Stop the daemon?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
  expect((await status()).version).not.toBe("");
  await page.getByRole("button", { name: "Stop" }).click();
  await dialog.getByRole("button", { name: "Stop it" }).click();
  await page.getByRole("region", { name: "Daemon" }).getByText("not there").waitFor();
  await page.getByText("No daemon").waitFor();
});
