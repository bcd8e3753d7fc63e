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

test("the keyboard leads to every view", async () => {
  const { page } = visit;
  await visit.go("/");
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await help.waitFor();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "hidden" });
  for (const [letter, path] of [
    ["s", "/sessions"],
    ["l", "/lessons"],
    ["c", "/cost"],
    ["h", "/"],
  ]) {
    await page.keyboard.press("g");
    await page.keyboard.press(letter ?? "");
    await page.waitForURL((url) => url.pathname === path);
  }
  await visit.isSound();
});

test("an unknown address says so", async () => {
  await visit.go("/nowhere");
  expect(await visit.page.getByRole("alert").textContent()).toContain("no such page");
});

test("a chosen theme stays", async () => {
  const { page } = visit;
  await visit.go("/");
  await page.getByRole("button", { name: /Theme/u }).click();
  await page.getByRole("button", { name: /Theme/u }).click();
  await page.reload();
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
  await page.getByRole("button", { name: /Theme/u }).click();
});
