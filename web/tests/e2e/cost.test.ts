import { readFileSync } from "node:fs";

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

test("what was spent is told in numbers, bars and tables that agree", async () => {
  const { page } = visit;
  await visit.go("/cost?range=all");
  await page.getByRole("img", { name: /Cost by day/u }).waitFor();
  const cost = (await (await fetch(`${brain.address}/api/v1/cost?by=day`)).json()) as {
    total: { cost: number };
  };
  const spent = page.locator("dl .card").filter({ hasText: "Spent" });
  expect(await spent.textContent()).toContain(`$${cost.total.cost.toFixed(2)}`);
  expect(await page.getByText("Every answer is counted once").count()).toBe(1);
  await page.getByText("As a table").first().click();
  const rows = page.getByRole("region", { name: "Cost by day" }).getByRole("row");
  expect(await rows.count()).toBeGreaterThan(10);
  await visit.isSound();
  await visit.picture("cost");
});

test("what is looked at stands in the address", async () => {
  const { page } = visit;
  await visit.go("/cost");
  await page.getByRole("button", { name: "Tokens", exact: true }).click();
  await page.getByRole("button", { name: "By model" }).click();
  await page.getByRole("button", { name: "30 days" }).click();
  await page.waitForURL((url) => url.search === "?of=tokens&by=model&range=30d");
  await page.reload();
  await page.getByRole("img", { name: /Tokens by day/u }).waitFor();
  await page.getByRole("button", { name: "Own", exact: true }).click();
  await page.getByLabel("From").fill("2026-10-05");
  await page.getByLabel("From").blur();
  await page.waitForURL(/from=2026-10-05/u);
  await visit.isSound();
});

test("a day leads to what was said on it", async () => {
  const { page } = visit;
  await visit.go("/cost?range=all");
  await page.getByText("As a table").last().click();
  const day = page.locator(".table a").first();
  const text = (await day.textContent()) ?? "";
  await day.click();
  await page.waitForURL((url) => url.pathname === "/search");
  expect(new URL(page.url()).searchParams.get("q")).toContain(`after:${text.slice(0, 10)}`);
});

test("days and projects are saved as CSV", async () => {
  const { page } = visit;
  await visit.go("/cost?range=all");
  await page.getByRole("img", { name: /Cost by day/u }).waitFor();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  const days = readFileSync(await file.path(), "utf8").split("\r\n");
  expect(days[0]).toBe("day,dollars,tokens,answers,active minutes,sessions,units of work");
  expect(days[1]).toMatch(/^2026-10-05,[\d.]+,\d+,\d+,[\d.]+,\d+,\d+$/u);
  const [projects] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export projects as CSV" }).click(),
  ]);
  expect(readFileSync(await projects.path(), "utf8")).toContain("/home/dev/shop,");
});

test("nothing is wider than a phone", async () => {
  const phone = await Visit.open(brain, { viewport: { width: 390, height: 844 } });
  await phone.go("/cost");
  await phone.page.getByRole("heading", { name: "Hours of the week" }).waitFor();
  expect(await phone.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await phone.isSound();
  await phone.close();
});
