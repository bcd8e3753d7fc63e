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

test("lessons are leafed through, and lead to what was said", async () => {
  const { page } = visit;
  await visit.go("/lessons");
  const items = page.locator("summary[data-item]");
  expect(await items.count()).toBe(20);
  await visit.picture("lessons");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Rests on" }).waitFor();
  await visit.isSound();
  await page.getByRole("link", { name: /^Next \d+/u }).click();
  await page.waitForURL(/cursor=/u);
  await page.getByText(/21 to \d+ of them here/u).waitFor();
  await page.getByRole("link", { name: "To the beginning" }).click();
  await page.getByText(/1 to 20 of them here/u).waitFor();
});

test("lessons are narrowed down by words and by what they are about, and copied for agents", async () => {
  const { page } = visit;
  await visit.go("/lessons");
  await page.getByLabel("About").selectOption("model");
  await page.waitForURL(/level=model/u);
  const total = page.getByRole("status").filter({ hasText: /^\s*\d+ lessons?/u });
  await page.waitForFunction(() => document.querySelectorAll("summary[data-item]").length < 20);
  expect(await total.textContent()).toMatch(/\d+ lesson/u);
  await page.getByRole("button", { name: "Copy for AGENTS.md" }).click();
  await page.getByText(/copied, as a block for AGENTS.md/u).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(/^<!-- pi-brain lessons: begin -->\n## Lessons\n\n### model\n\n- /u);
  expect(copied.trimEnd().endsWith("<!-- pi-brain lessons: end -->")).toBe(true);
  await page.getByLabel("With these words").fill("no such words anywhere");
  await page.getByRole("heading", { name: "No lessons like that" }).waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.waitForFunction(() => document.querySelectorAll("summary[data-item]").length === 20);
  await visit.isSound();
});

test("what a lesson rests on leads to the entry in its session", async () => {
  const { page } = visit;
  await visit.go("/lessons");
  await page.locator("summary[data-item]").first().click();
  const entry = page.getByRole("link", { name: /where it was said|its first entry/u }).first();
  await entry.click();
  await page.waitForURL((url) => url.pathname.startsWith("/sessions/") && url.searchParams.has("at"));
});

test("decisions say whether they stand, by month or by project", async () => {
  const { page } = visit;
  await visit.go("/decisions");
  await page
    .getByRole("heading", { name: /^November 2026|^October 2026/u })
    .first()
    .waitFor();
  await visit.picture("decisions");
  await page.getByRole("button", { name: "By project" }).click();
  await page.getByRole("heading", { name: "dev/shop" }).waitFor();
  await page.getByLabel("How the work ended").selectOption("abandoned");
  await page.waitForURL(/outcome=abandoned/u);
  await page.waitForFunction(() => {
    const badges = [...document.querySelectorAll("summary .badge")].map((badge) => badge.textContent);
    return badges.length > 0 && badges.every((badge) => badge === "given up");
  });
  await page.locator("summary[data-item]").first().click();
  await page.getByRole("heading", { name: "Decided in" }).waitFor();
  await visit.isSound();
});

test("errors say how they ended", async () => {
  const { page } = visit;
  await visit.go("/errors");
  await page.locator("[aria-label=Errors] summary").first().waitFor();
  await visit.picture("errors");
  await page.getByLabel("Model").selectOption("zai/glm-4.7");
  await page.waitForURL(/model=zai%2Fglm-4\.7/u);
  await page.waitForFunction(() => document.querySelectorAll("[aria-label=Errors] summary").length < 20);
  await page.getByLabel("Model").selectOption("");
  await page.getByLabel("How it ended").selectOption("open");
  await page.waitForURL(/state=open/u);
  await page.waitForFunction(() =>
    [...document.querySelectorAll("[aria-label=Errors] summary")].every((error) =>
      error.textContent.includes("not solved"),
    ),
  );
  await page.getByRole("button", { name: "Show all" }).click();
  const solved = page.locator("[aria-label=Errors] summary").filter({ hasText: /(?<!not )solved/u });
  await solved.first().click();
  await page.getByText("Put right in").waitFor();
  await visit.isSound();
});

test("models are told with what they cost, and what to know about them", async () => {
  const { page } = visit;
  await visit.go("/models");
  const models = page.locator("summary[data-item]");
  expect(await models.count()).toBe(3);
  await visit.picture("models");
  expect(await models.first().textContent()).toMatch(/\$[\d.]+.*\d+ answers.*tool errors/su);
  await models.first().click();
  await page.getByRole("heading", { name: "What to know about it" }).waitFor();
  await page.getByLabel("With these words").fill("glm");
  await page.waitForFunction(() => document.querySelectorAll("summary[data-item]").length === 1);
  await visit.isSound();
});

test("none of these is wider than a phone, or endless", async () => {
  const phone = await Visit.open(brain, { viewport: { width: 390, height: 844 } });
  for (const path of ["/lessons", "/decisions", "/errors", "/models"]) {
    await phone.go(path);
    await phone.page.locator("summary[data-item]").first().waitFor();
    const [width, height] = await phone.page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.scrollHeight,
    ]);
    expect(width, path).toBeLessThanOrEqual(390);
    expect(height, path).toBeLessThan(6000);
    await phone.isSound();
  }
  await phone.close();
});
