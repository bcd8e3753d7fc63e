import { afterAll, beforeAll, expect, test } from "vitest";

import { Brain, Visit } from "./harness";
import { HOSTILE_WORD, nothingRan, writeHostileSession } from "./hostile";

let brain: Brain;
let visit: Visit;

beforeAll(async () => {
  brain = await new Brain().start(writeHostileSession);
  visit = await Visit.open(brain);
});

afterAll(async () => {
  await visit.close();
  await brain.stop();
});

test("hits come as one types, grouped by unit of work, with the words marked", async () => {
  const { page } = visit;
  await visit.go("/search");
  await page.getByRole("heading", { name: "What can be written" }).waitFor();
  await visit.isSound();
  await visit.picture("search-empty");
  await page.keyboard.type("meilisearch");
  const hits = page.locator("main article [data-item]");
  await hits.first().waitFor();
  await page
    .getByRole("status")
    .filter({ hasText: /hits? in [\d.]+ ms/u })
    .waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe("meilisearch");
  expect((await page.locator("main article mark").first().textContent())?.toLowerCase()).toContain(
    "meilisearch",
  );
  await visit.isSound();
  await visit.picture("search");
});

test("the keyboard steps through the hits and opens one at its entry", async () => {
  const { page } = visit;
  await visit.go("/search?q=meilisearch+kind:message");
  const hits = page.locator("main article [data-item]");
  await hits.first().waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  const entry = await hits.first().getAttribute("data-entry");
  expect(await hits.first().evaluate((hit) => hit === document.activeElement)).toBe(true);
  await page.keyboard.press("Enter");
  await page.waitForURL(({ searchParams }) => searchParams.get("at") === entry);
});

test("filters are words of the query, as chips and from menus", async () => {
  const { page } = visit;
  await visit.go("/search?q=test+outcome:success");
  const query = (): string => new URL(page.url()).searchParams.get("q") ?? "";
  const filters = page.getByRole("group", { name: "Filters" });
  await filters.getByRole("button", { name: "Project" }).click();
  const menu = page.getByRole("dialog", { name: "Project to filter by" });
  await menu.getByRole("button", { name: /dev\/shop/u }).click();
  await expect.poll(query).toBe("test outcome:success project:/home/dev/shop");
  const projects = async (): Promise<string[]> => [
    ...new Set(await page.locator("main article .about strong").allTextContents()),
  ];
  await expect.poll(projects).toEqual(["dev/shop"]);
  await filters.getByRole("button", { name: "Take away outcome:success" }).click();
  await expect.poll(query).toBe("test project:/home/dev/shop");
});

test("a menu is used with the keyboard alone", async () => {
  const { page } = visit;
  await visit.go("/search?q=test");
  await page.getByRole("button", { name: "Outcome" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Outcome to filter by" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(({ searchParams }) => searchParams.get("q") === "test outcome:partial");
  await page.getByRole("button", { name: "Type" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  expect(
    await page
      .getByRole("button", { name: "Type", exact: true })
      .evaluate((it) => it === document.activeElement),
  ).toBe(true);
});

test("more comes as one scrolls", async () => {
  const { page } = visit;
  await visit.go("/search?q=the");
  const status = page.getByRole("status").filter({ hasText: "hits in" });
  await status.waitFor();
  const total = Number(/^[\d,]+/u.exec((await status.textContent())?.trim() ?? "")?.[0].replace(",", ""));
  expect(total).toBeGreaterThan(60);
  const hits = page.locator("main article");
  const before = await hits.count();
  await hits.last().scrollIntoViewIfNeeded();
  await expect.poll(() => hits.count()).toBeGreaterThan(before);
});

test("a search that was made is offered again, and forgotten", async () => {
  const { page } = visit;
  await visit.go("/search");
  await page.getByRole("searchbox").fill("bienenwachs");
  await page.locator("main article").first().waitFor();
  await page.keyboard.press("Enter");
  await visit.go("/search");
  const lately = page.getByRole("region", { name: "Recent searches" });
  await lately.getByRole("link", { name: "bienenwachs" }).waitFor();
  await lately.getByRole("button", { name: "Forget these" }).click();
  await lately.waitFor({ state: "hidden" });
});

test("hostile text stays text in hits, in answers, and in the unit of work that it became", async () => {
  const { page } = visit;
  await visit.go(`/search?q=${HOSTILE_WORD}`);
  const work = page.locator("main article h3 a").first();
  await work.waitFor();
  await nothingRan(page);
  const address = (await work.getAttribute("href")) ?? "";
  for (const path of [`/?q=${HOSTILE_WORD}`, address]) {
    await visit.go(path);
    for (const button of await page.getByRole("button", { name: /lines? that shows?/u }).all())
      await button.click();
    await nothingRan(page);
    await visit.isSound();
  }
  await visit.picture("node-hostile");
});

test("where nothing is found, or a filter makes no sense, that is said", async () => {
  const { page } = visit;
  await visit.go('/search?q="xylophone+zanzibar"+type:qa');
  await page.getByRole("heading", { name: "Nothing was found" }).waitFor();
  await page.getByRole("link", { name: "Look without the filters" }).click();
  await page.waitForURL(({ searchParams }) => searchParams.get("q") === '"xylophone zanzibar"');
  await visit.isSound();
  await page.getByRole("searchbox").fill("test after:soon");
  await page.getByRole("status").filter({ hasText: "after:soon" }).waitFor();
});
