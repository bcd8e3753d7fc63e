/**
 * How fast the page is before a daemon with much in it: `PI_BRAIN_PAGE=http://127.0.0.1:PORT npm run speed`. It prints figures
 * for `docs/benchmarks.md`; a slow machine fails nothing.
 */

import { afterAll, beforeAll, expect, test } from "vitest";

import { Visit } from "../e2e/harness";

const RUNS = 5;

/** The views, and what shows that the content of each is there. */
const VIEWS = [
  { path: "/", content: "section[aria-label='Recent work'] [data-item]" },
  { path: "/search?q=error+timeout", content: "main [data-item]" },
  { path: "/sessions", content: "main [data-item]" },
  { path: "/lessons", content: "main [data-item], main article, main details" },
  { path: "/cost", content: "main svg" },
  { path: "/graph", content: "main canvas" },
] as const;

let visit: Visit;

beforeAll(async () => {
  const address = process.env.PI_BRAIN_PAGE;
  if (address === undefined) throw new Error("name a daemon in PI_BRAIN_PAGE");
  visit = await Visit.open({ address });
  // How long the browser took from a key or a click to the picture that shows what came of it.
  await visit.page.addInitScript(() => {
    const durations: number[] = [];
    Object.assign(globalThis, { durations });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) durations.push(duration);
    }).observe({ type: "event", durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  });
});

afterAll(() => visit.close());

test("first paint", { timeout: 600_000 }, async () => {
  const { page } = visit;
  for (const { path, content } of VIEWS) {
    const [painted, shown]: [number[], number[]] = [[], []];
    for (let run = 0; run < RUNS; run += 1) {
      await page.goto(visit.address + path, { waitUntil: "commit" });
      await page.waitForSelector(content);
      shown.push(await page.evaluate(() => performance.now()));
      painted.push(
        await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0),
      );
    }
    expect(painted.every((time) => time > 0)).toBe(true);
    report(`${path}: first paint`, painted);
    report(`${path}: its content`, shown);
  }
});

test("interaction", { timeout: 600_000 }, async () => {
  const { page } = visit;
  await visit.go("/search");
  await page.getByRole("searchbox", { name: "Search for" }).pressSequentially("timeout error", { delay: 60 });
  await page.waitForSelector("main [data-item]");
  await page.keyboard.press("Escape");
  for (let step = 0; step < 8; step += 1) await page.keyboard.press("j", { delay: 30 });
  await told("search: typing, and j through results");

  await visit.go("/sessions");
  for (let step = 0; step < 8; step += 1) await page.keyboard.press("j", { delay: 30 });
  await page.keyboard.press("Enter");
  await page.getByRole("tree").waitFor();
  await told("sessions: j, and Enter opens one");

  const rows = page.getByRole("treeitem");
  await rows.first().click();
  for (let step = 0; step < 8; step += 1) await page.keyboard.press("ArrowDown", { delay: 30 });
  await page.keyboard.press("Enter");
  for (let step = 0; step < 8; step += 1) await page.keyboard.press("]", { delay: 30 });
  await told("session: through the tree, and from message to message");

  await visit.go("/graph");
  await page.locator("main canvas").first().waitFor();
  for (let step = 0; step < 4; step += 1) await page.getByRole("button", { name: "Nearer" }).click();
  await told("graph: coming nearer");
});

/** Says how long each key and click since the last time took; what took less than 16 ms is not told by browsers. */
async function told(what: string): Promise<void> {
  await visit.page.waitForLoadState("networkidle");
  const durations = await visit.page.evaluate(() => {
    const { durations } = globalThis as unknown as { durations: number[] };
    return durations.splice(0);
  });
  report(what, durations.length === 0 ? [0] : durations);
}

function report(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((one, other) => one - other);
  const [middle, most] = [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0];
  process.stdout.write(`${what}: ${Math.round(middle)} ms in the middle, ${Math.round(most)} at most\n`);
}
