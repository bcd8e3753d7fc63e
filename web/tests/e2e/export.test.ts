import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { Brain, Visit, WIDTHS } from "./harness";
import { HOSTILE_ID, HOSTILE_WORD, nothingRan, writeHostileSession } from "./hostile";
import { LONG_ID, longEntry, writeLongSession } from "./long";

/** A session of the demo with three tries at one problem: labels, a branch summary, edits. */
const DEMO = "01a13972";

let brain: Brain;

beforeAll(() => {
  brain = new Brain().prepare((sessions) => {
    writeHostileSession(sessions);
    writeLongSession(sessions, 5000);
  });
});

afterAll(() => brain.stop());

/** Exports a session and opens the file from disk; nothing at all may be asked of any host. */
async function opened(session: string, ...options: string[]): Promise<Visit> {
  const file = join(brain.home, `${session}.html`);
  brain.command("session", "export", session, "-o", file, ...options);
  const visit = await Visit.open({ address: pathToFileURL(file).href });
  await visit.page.goto(visit.address);
  await visit.page.locator("article").first().waitFor();
  return visit;
}

function tree(page: Page) {
  return page.getByRole("tree");
}

/** Opens a page anew; tells when something was painted, and how long its thread computed, whatever else the machine does. */
async function reopened(page: Page): Promise<{ painted: number; busy: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const busySoFar = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
  };
  const before = await busySoFar();
  await page.reload();
  await page.locator("article").first().waitFor();
  const painted = await page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
  );
  const busy = await busySoFar();
  // A page that is loaded anew may have a thread of its own, which counts from nothing.
  return {
    painted: Math.round(painted ?? 0),
    busy: Math.round((busy > before ? busy - before : busy) * 1000),
  };
}

test("a session opens from disk with its tree, and any branch of it can be read", async () => {
  const visit = await opened(DEMO);
  const { page } = visit;
  expect(await page.title()).toBe("Categories: rules, Bayes or a model");
  await page.getByRole("heading", { name: "Categories: rules, Bayes or a model" }).waitFor();
  const text = (words: string) => page.locator("main").getByText(words);
  await text("Three ways:").waitFor();
  await visit.isSound();
  await visit.picture("export");

  // Another branch, by the mouse: its words are shown, and there is a way back.
  await tree(page)
    .getByRole("treeitem", { name: /try bayes first/u })
    .click();
  await text("try bayes first").first().waitFor();
  expect(new URL(page.url()).hash).not.toBe("");
  await page.getByRole("button", { name: "Back to the leaf" }).click();
  await text("Committed as").last().waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Back to the leaf" }).count()).toBe(0);
  await visit.isSound();
  await visit.close();
});

test("the keyboard walks through the tree, folds it and selects", async () => {
  const visit = await opened(DEMO);
  const { page } = visit;
  const lines = tree(page).getByRole("treeitem");
  const folded = lines.filter({ hasText: "try bayes first" });
  const before = await lines.count();
  await tree(page).focus();
  for (let step = 0; step < 4; step += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => folded.getAttribute("aria-expanded")).toBe("false");
  expect(await lines.count()).toBeLessThan(before);
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => folded.getAttribute("aria-expanded")).toBe("true");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await page.keyboard.press("Enter");
  await expect.poll(() => folded.getAttribute("aria-selected")).toBe("true");
  await page.locator("main article", { hasText: "try bayes first" }).waitFor();
  await visit.isSound();
  await visit.close();
});

test("searching finds words in everything that was said and done, and marks them", async () => {
  const visit = await opened(DEMO);
  const { page } = visit;
  await page.keyboard.press("/");
  await page.keyboard.type("payfriend pizza");
  await expect.poll(() => tree(page).getByRole("treeitem").count()).toBeLessThan(5);
  expect(await tree(page).getByRole("treeitem").count()).toBeGreaterThan(0);
  await page.keyboard.press("Enter");
  await page.locator("article.isTarget").waitFor();
  expect(await page.evaluate(() => CSS.highlights.get("found")?.size ?? 0)).toBeGreaterThan(0);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("no such words anywhere");
  await page.getByText("Nothing like that").waitFor();
  await visit.isSound();
  await visit.close();
});

test("filters show what pi's own show", async () => {
  const visit = await opened(DEMO);
  const { page } = visit;
  const count = async (name: string): Promise<number> => {
    await page.getByRole("button", { name, exact: true }).click();
    const status = page.getByRole("status");
    await status.waitFor();
    return Number.parseInt((await status.textContent()) ?? "", 10);
  };
  const shown = brain.command("session", "tree", DEMO, "--json", "--filter", "all");
  expect(await count("All")).toBe((JSON.parse(shown) as unknown[]).length);
  for (const [name, filter] of [
    ["Default", "default"],
    ["No tools", "no-tools"],
    ["User", "user-only"],
    ["Labelled", "labeled-only"],
  ] as const) {
    const listed = JSON.parse(
      brain.command("session", "tree", DEMO, "--json", "--filter", filter),
    ) as unknown[];
    expect([name, await count(name)]).toEqual([name, listed.length]);
  }
  await visit.close();
});

test("edits are diffs, tools stand with what they gave back, and links lead to entries", async () => {
  const visit = await opened(DEMO);
  const { page } = visit;
  const edit = JSON.parse(brain.command("session", "tree", DEMO, "--json", "--filter", "all")) as {
    id: string;
    text: string;
  }[];
  const { id } = edit.find(({ text }) => text.startsWith("edit: Successfully")) ?? { id: "" };
  await page.evaluate((to) => (location.hash = to), id);
  const target = page.locator("article.isTarget");
  await target.waitFor();
  expect(await target.getByRole("group", { name: "Changes" }).locator(".isAdded").count()).toBeGreaterThan(0);
  const bash = page.locator("main button", { hasText: "bash" }).first();
  await bash.click();
  expect(await bash.getAttribute("aria-expanded")).toBe("true");
  await visit.isSound();
  await visit.picture("export-edit");
  await visit.close();
});

test("thinking and the output of tools are unfolded all at once", async () => {
  const visit = await opened(DEMO);
  const { page } = visit;
  const thinking = page.locator("main button[aria-expanded]", { hasText: "Thinking:" }).first();
  expect(await thinking.getAttribute("aria-expanded")).toBe("false");
  await page.keyboard.press("t");
  await expect.poll(() => thinking.getAttribute("aria-expanded")).toBe("true");
  await page.getByRole("button", { name: "Tool output" }).click();
  const tool = page.locator("main button[aria-expanded]", { hasText: "bash" }).first();
  await expect.poll(() => tool.getAttribute("aria-expanded")).toBe("true");
  await thinking.click();
  await expect.poll(() => thinking.getAttribute("aria-expanded")).toBe("false");
  await visit.isSound();
  await visit.close();
});

test("on a phone the tree is a drawer, and nothing has to be scrolled sideways", async () => {
  const visit = await opened(DEMO);
  const { page } = visit;
  await page.setViewportSize(WIDTHS.phone);
  await page.reload();
  await page.locator("article").first().waitFor();
  expect(await tree(page).count()).toBe(0);
  const drawer = page.getByRole("button", { name: "Tree", exact: true });
  await drawer.click();
  await tree(page).waitFor();
  await visit.isSound();
  await visit.picture("export-drawer", { phone: WIDTHS.phone });
  // Where there is room again the tree stands beside the conversation, and where there is none it makes way.
  await tree(page).waitFor();
  await page.setViewportSize(WIDTHS.phone);
  await tree(page).waitFor({ state: "detached" });
  await drawer.click();
  await tree(page)
    .getByRole("treeitem", { name: /try bayes first/u })
    .click();
  await page.locator("main article", { hasText: "try bayes first" }).waitFor();
  expect(await tree(page).count()).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(WIDTHS.phone.width);
  await visit.close();
});

test("a session that tries everything is shown, and nothing of it runs", async () => {
  const visit = await opened(HOSTILE_ID);
  const { page } = visit;
  await page.locator("main").getByText(HOSTILE_WORD).first().waitFor();
  await page.getByRole("button", { name: "All", exact: true }).click();
  // Down through the whole conversation, with everything unfolded on the way.
  const region = page.getByRole("region", { name: "Conversation" });
  let isAtEnd = false;
  while (!isAtEnd) {
    await page.evaluate(() => {
      for (const fold of document.querySelectorAll<HTMLElement>("main [aria-expanded='false']")) fold.click();
    });
    isAtEnd = await region.evaluate((frame) => {
      const before = frame.scrollTop;
      frame.scrollTop += frame.clientHeight * 0.8;
      return frame.scrollTop <= before;
    });
  }
  await page.locator("main").getByText("the end").waitFor();
  for (const name of ["__proto__", "constructor", "toString", "line-12"]) {
    await page.evaluate((to) => (location.hash = to), name);
    await page.locator("article").first().waitFor();
  }
  await page.locator("article.isTarget").waitFor();
  await nothingRan(page);
  await visit.isSound();
  await visit.picture("export-hostile");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(WIDTHS.desktop.width);
  await visit.close();
});

test("without secrets, and at another leaf, if told so", async () => {
  const entries = JSON.parse(brain.command("session", "tree", DEMO, "--json")) as {
    id: string;
    text: string;
  }[];
  const { id } = entries.find(({ text }) => text.startsWith("Agreed. Worth keeping")) ?? { id: "" };
  const visit = await opened(DEMO, "--leaf", id, "--redact");
  await visit.page.getByText("without secrets").waitFor();
  await visit.page.locator("main").getByText("try bayes first").waitFor();
  await visit.close();
});

test("five thousand entries open at once, any of them can be linked, and all of them are printed", async () => {
  const visit = await opened(LONG_ID);
  const { page } = visit;
  const { painted, busy } = await reopened(page);
  console.info(`5,000 entries: painted after ${painted} ms, for which the page was busy ${busy} ms`);
  expect(busy).toBeLessThan(1000);
  expect(await page.locator("article").count()).toBeLessThan(60);
  await page.evaluate((to) => (location.hash = to), longEntry(4321));
  await page.locator("article.isTarget", { hasText: "Step 4321:" }).waitFor();
  await expect
    .poll(() =>
      page
        .locator("article.isTarget")
        .boundingBox()
        .then((box) => (box?.y ?? -1) >= 0),
    )
    .toBe(true);

  // Paper has the whole path: what is on it, and not what was left.
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const printed = await page.locator("main article").count();
  expect(printed).toBe(5000 - 2 * 9);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  expect(await page.locator("article").count()).toBeLessThan(60);
  await visit.isSound();
  await visit.close();
});
