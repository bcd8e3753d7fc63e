/** The session that tries everything, on every view that could show a word of it, at both widths. */

import { afterAll, beforeAll, expect, test } from "vitest";

import { Brain, Visit, WIDTHS } from "./harness";
import { HOSTILE_ID, nothingRan, writeHostileSession } from "./hostile";

let brain: Brain;
let visit: Visit;
/** The tree that the hostile session became. */
let tree: string;

beforeAll(async () => {
  brain = await new Brain().start(writeHostileSession);
  visit = await Visit.open(brain);
  await visit.go("/forest");
  tree = await visit.page.evaluate(async (session) => {
    const { token } = (await (await fetch("/api/page")).json()) as { token: string };
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
    const body = JSON.stringify({ session });
    const answer = await fetch("/api/v1/forest/import", { method: "POST", headers, body });
    const imported = await answer.text();
    return /root-\d+/u.exec(imported)?.[0] ?? imported;
  }, HOSTILE_ID);
  expect(tree).toMatch(/^root-\d+$/u);
});

afterAll(async () => {
  await visit.close();
  await brain.stop();
});

const views = (): string[] => [
  "/",
  "/sessions",
  `/sessions/${HOSTILE_ID}`,
  `/sessions/${HOSTILE_ID}/family`,
  "/graph",
  "/lessons",
  "/decisions",
  "/errors",
  "/models",
  "/cost",
  "/forest",
  `/forest/${tree}`,
  "/system",
];

test("nothing of it runs, and nothing of it breaks a view", { timeout: 240_000 }, async () => {
  const { page } = visit;
  for (const view of views()) {
    await visit.go(view);
    await page.locator("main h1").first().waitFor();
    expect(await page.locator("main [role=alert]").count(), view).toBe(0);
    await nothingRan(page);
    await visit.isSound();
    await page.setViewportSize(WIDTHS.phone);
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(sideways, `${view} on a phone`).toBeLessThanOrEqual(0);
    await page.setViewportSize(WIDTHS.desktop);
  }
});
