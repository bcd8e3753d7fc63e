import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { Brain, Visit, WIDTHS } from "./harness";

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

test("the first view tells what was done, how the week went, and what is going on", async () => {
  const { page } = visit;
  await visit.go("/");
  const recent = page.getByRole("region", { name: "Recent work" });
  await recent.locator("[data-item]").first().waitFor();
  expect(await recent.locator("[data-item]").count()).toBeGreaterThan(5);
  const week = page.getByRole("region", { name: "The last seven days" });
  for (const title of ["Units of work", "Sessions", "Time", "Tokens", "Cost"]) {
    await week.getByText(title, { exact: true }).waitFor();
  }
  expect(await week.getByRole("img").count()).toBe(5);
  await page.getByRole("region", { name: "What is running" }).getByText("Up to date").waitFor();
  await visit.isSound();
  await visit.picture("home");
});

test("a question that is suggested has an answer", async () => {
  const { page } = visit;
  await visit.go("/");
  const examples = page.getByRole("list", { name: "Questions to begin with" }).getByRole("link");
  await examples.first().waitFor();
  const questions = await examples.allTextContents();
  expect(questions.length).toBeGreaterThan(2);
  for (const question of questions) {
    const answer = await page.request.get(`${visit.address}/api/v1/ask?q=${encodeURIComponent(question)}`);
    const { sources } = (await answer.json()) as { sources: unknown[] };
    expect(sources.length, question).toBeGreaterThan(0);
  }
});

test("the keyboard alone leads from a question to the line that answers it", async () => {
  const { page } = visit;
  await visit.go("/");
  await page.keyboard.press("/");
  await page.keyboard.type("why not meilisearch");
  await page.keyboard.press("Enter");
  const sources = page.getByRole("list", { name: "Sources" }).getByRole("link");
  await sources.first().waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe("why not meilisearch");
  await visit.isSound();
  await visit.picture("home-answer");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  const second = sources.nth(1);
  const entry = await second.getAttribute("data-entry");
  expect(await second.evaluate((link) => link === document.activeElement)).toBe(true);
  await page.keyboard.press("Enter");
  await page.waitForURL(
    ({ pathname, searchParams }) =>
      /^\/sessions\/[\w-]+$/u.test(pathname) && searchParams.get("at") === entry,
  );
  const asked = await page.request.get(`${visit.address}/api/v1/ask?q=why+not+meilisearch`);
  const { sources: given } = (await asked.json()) as { sources: { line: number }[] };
  const shown = page.locator("article.isTarget");
  await shown.waitFor();
  expect(await shown.getAttribute("data-line")).toBe(String(given[1]?.line));
  await expect.poll(async () => (await shown.boundingBox())?.y ?? -1).toBeGreaterThan(0);
  expect((await shown.boundingBox())?.y).toBeLessThan(WIDTHS.desktop.height);
  await visit.isSound();
});

test("where nothing fits, that is said, and what else to do", async () => {
  const { page } = visit;
  await visit.go("/?q=xylophone+tuning+in+zanzibar");
  await page.getByRole("heading", { name: "Nothing fits this question" }).waitFor();
  await page.getByRole("link", { name: "Search for these words instead" }).click();
  await page.waitForURL(({ pathname }) => pathname === "/search");
  await visit.isSound();
});

test("what was counted is answered with what it is made of", async () => {
  const { page } = visit;
  await visit.go("/?q=what+did+shop+cost");
  const answer = page.getByRole("region", { name: "Answer" });
  await answer.getByText(/^\$[\d.]+ on shop/u).waitFor();
  expect(await answer.getByRole("list", { name: "Sources" }).getByRole("link").count()).toBeGreaterThan(1);
});

test("who has no sessions yet is told what to do", async () => {
  await visit.page.goto("about:blank");
  await brain.end();
  rmSync(join(brain.home, ".pi-brain"), { recursive: true });
  mkdirSync(brain.sessions, { recursive: true });
  await brain.run();
  await visit.go("/");
  await visit.page.getByRole("heading", { name: "There are no sessions yet" }).waitFor();
  expect(await visit.page.getByRole("region", { name: "Recent work" }).count()).toBe(0);
  await visit.isSound();
  await visit.picture("home-first");
});
