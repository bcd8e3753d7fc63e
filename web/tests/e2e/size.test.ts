/** How much the first view loads: it opens at once, or nobody comes back. */

import { gzipSync } from "node:zlib";

import { afterAll, beforeAll, expect, test } from "vitest";

import { Brain, Visit } from "./harness";

/** What it may be, gzipped. */
const MOST = 400_000;

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

test("the first view loads less than 400 KB, gzipped, in few files", async () => {
  const sizes = new Map<string, Promise<number>>();
  visit.page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith("/api/")) return;
    sizes.set(
      pathname,
      response.body().then((body) => gzipSync(body).length),
    );
  });
  // As it is built: what is worked on comes in many more pieces.
  await visit.page.goto(brain.address, { waitUntil: "networkidle" });
  await visit.page.getByRole("heading", { level: 1 }).first().waitFor();
  const loaded = await Promise.all([...sizes].map(async ([path, size]) => ({ path, size: await size })));
  expect(loaded.some(({ path }) => path.endsWith(".js"))).toBe(true);
  expect(loaded.some(({ path }) => path.endsWith(".css"))).toBe(true);
  const total = loaded.reduce((sum, { size }) => sum + size, 0);
  expect(total, JSON.stringify(loaded)).toBeLessThan(MOST);
  // Heavy libraries belong to the views that need them.
  expect(loaded.filter(({ path }) => /sigma|uplot|highlight/iu.test(path))).toEqual([]);
  console.info(`the first view: ${Math.round(total / 1000)} KB gzipped in ${loaded.length} files`);
});
