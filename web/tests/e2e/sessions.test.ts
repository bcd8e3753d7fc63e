import { appendFileSync, readFileSync, utimesSync } from "node:fs";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { Brain, Visit, WIDTHS } from "./harness";
import { HOSTILE_ID, HOSTILE_WORD, nothingRan, writeHostileSession } from "./hostile";
import { LONG_ID, longEntry, writeLongSession } from "./long";

interface Listed {
  items: { id: string; file: string; parentSession: string | null; digest: { branches: number } }[];
}

let brain: Brain;
let visit: Visit;
let long: string;

beforeAll(async () => {
  brain = await new Brain().start((sessions) => {
    writeHostileSession(sessions);
    long = writeLongSession(sessions);
    // Nobody has written to it for a while.
    const past = new Date(Date.now() - 3_600_000);
    utimesSync(long, past, past);
  });
  for (const id of [HOSTILE_ID, LONG_ID])
    await vi.waitFor(async () => expect(await listed(`q=${id}`)).toHaveLength(1), 60_000);
  visit = await Visit.open(brain);
});

afterAll(async () => {
  await visit.close();
  await brain.stop();
});

async function listed(query: string): Promise<Listed["items"]> {
  const answer = await fetch(`${brain.address}/api/v1/sessions?${query}`);
  return ((await answer.json()) as Listed).items;
}

test("sessions are listed by what they are about, sorted, and found", async () => {
  const { page } = visit;
  await visit.go("/sessions");
  const list = page.getByRole("list", { name: "Sessions" });
  await list.getByRole("listitem").first().waitFor();
  const titles = await list.locator(".words").allTextContents();
  expect(titles.length).toBeGreaterThan(5);
  for (const title of titles) expect(title).not.toMatch(/\.jsonl|[0-9a-f]{8}-[0-9a-f]{4}-/u);
  await visit.isSound();
  await visit.picture("sessions");

  await page.getByRole("button", { name: "Messages" }).click();
  await page.waitForURL(/sort=messages/u);
  await expect.poll(() => list.locator(".words").first().textContent()).toContain("Step 0");

  await page.getByRole("searchbox", { name: "Find a session" }).fill(HOSTILE_WORD);
  await expect.poll(() => list.getByRole("listitem").count()).toBe(1);
  expect(new URL(page.url()).searchParams.get("q")).toBe(HOSTILE_WORD);
  await page.getByRole("searchbox").fill("nobody ever said this");
  await page.getByText("No session fits").waitFor();
  await page.getByRole("button", { name: "Show all sessions" }).click();
  await list.getByRole("listitem").first().waitFor();

  await page.getByLabel("Project").selectOption({ label: "dev/shop" });
  await expect
    .poll(async () => [...new Set(await list.locator(".project").allTextContents())])
    .toEqual(["dev/shop"]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/sessions\/[^?/]+/u);
});

test("a session shows its tree and the chosen branch; branches are compared", async () => {
  const { page } = visit;
  const [session] = await listed("sort=branches&project=shop");
  if (session === undefined) throw new Error("the demo set has no session in shop");
  expect(session.digest.branches).toBeGreaterThan(1);
  await visit.go(`/sessions/${session.id}`);
  const tree = page.getByRole("tree");
  await tree.getByRole("treeitem").first().waitFor();
  await page.getByRole("article").first().waitFor();
  expect(await page.getByRole("heading", { level: 1 }).textContent()).not.toBe("");
  await visit.isSound();
  await visit.picture("session");

  await tree.getByRole("treeitem").first().waitFor();
  const all = await tree.getByRole("treeitem").count();
  await page.getByRole("button", { name: "User", exact: true }).click();
  await expect.poll(() => tree.getByRole("treeitem").count()).toBeLessThan(all);
  await page.getByRole("button", { name: "Default", exact: true }).click();

  // What is chosen in the tree is pointed at, and stands in the address.
  await tree.getByRole("treeitem").first().click();
  await page.waitForURL(/at=/u);
  await page.locator("article.isTarget").waitFor();
  const before = page.url();
  await page.keyboard.press("]");
  await expect.poll(() => page.url()).not.toBe(before);

  await page.getByRole("button", { name: "Compare" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("listitem").getByRole("button").first().click();
  await page.waitForURL(/compare=/u);
  await page.getByText(/They part after|nothing in common/u).waitFor();
  await expect.poll(() => page.getByRole("article").count()).toBeGreaterThan(0);
  await visit.isSound();
  await visit.picture("session-compare");
  await page.getByRole("button", { name: "Back to the conversation" }).click();

  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).getByText("Next branch point").waitFor();
  await page.keyboard.press("Escape");
});

test("on a phone the tree is a drawer", async () => {
  const { page } = visit;
  await page.setViewportSize(WIDTHS.phone);
  const [session] = await listed("sort=branches&project=shop");
  await visit.go(`/sessions/${session?.id ?? ""}`);
  await page.getByRole("article").first().waitFor();
  expect(await page.getByRole("tree").count()).toBe(0);
  await page.getByRole("button", { name: "Tree", exact: true }).click();
  await page.getByRole("treeitem").first().click();
  await expect.poll(() => page.getByRole("tree").count()).toBe(0);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(wide).toBeLessThanOrEqual(0);
  await page.setViewportSize(WIDTHS.desktop);
});

test("a session of 10,000 entries opens at an entry, and keys lead on", async () => {
  const { page } = visit;
  await visit.go(`/sessions/${LONG_ID}?at=${longEntry(5000)}`);
  await page.locator("article.isTarget").getByText("Step 5000:").waitFor();
  expect(await page.getByRole("article").count()).toBeLessThan(60);
  await visit.isSound();
  await visit.picture("session-long");
  await page.keyboard.press("]");
  await page.locator("article.isTarget").getByText("Step 5004:").waitFor();
  await page.keyboard.press("b");
  await page.locator("article.isTarget").getByText("Step 5990:").waitFor();
});

/** A line behind all others of the long session. */
function lineAfter(parentId: string, id: string): string {
  const message = { role: "user", content: "written a moment ago", timestamp: Date.now() };
  return `${JSON.stringify({ type: "message", id, parentId, timestamp: new Date().toISOString(), message })}\n`;
}

test("who is at the end of a session stays there while it grows", async () => {
  const { page } = visit;
  await visit.go(`/sessions/${LONG_ID}?at=${longEntry(9999)}`);
  await page.locator("article.isTarget").getByText("Step 9999:").waitFor();
  appendFileSync(long, lineAfter(longEntry(9999), "fresh001"));
  await page.getByRole("article").getByText("written a moment ago").waitFor();
});

test("who reads elsewhere is told, and the list shows that the session goes on", async () => {
  const { page } = visit;
  const isHeard = new Promise<void>((heard) => {
    page.once("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => {
        if (String(payload).includes(`session:${LONG_ID}`)) heard();
      }),
    );
  });
  await visit.go(`/sessions/${LONG_ID}?at=${longEntry(100)}`);
  await page.locator("article.isTarget").waitFor();
  await isHeard;
  appendFileSync(long, lineAfter("fresh001", "fresh002"));
  await page.getByRole("button", { name: "1 new entry" }).click();
  await expect.poll(() => page.getByText("written a moment ago").count()).toBeGreaterThan(0);

  await visit.go("/sessions");
  await page.getByRole("listitem").filter({ hasText: "Step 0" }).getByText("live").waitFor();
});

test("an entry is labelled in place, and asked about again where pi may be at work", async () => {
  const { page } = visit;
  const now = new Date();
  utimesSync(long, now, now);
  await visit.go(`/sessions/${LONG_ID}?at=${longEntry(40)}`);
  const entry = page.locator("article.isTarget");
  await entry.getByRole("button", { name: "Label" }).click();
  const dialog = page.getByRole("dialog", { name: "Label this entry" });
  await dialog.getByLabel("Label").fill("half way");
  await dialog.getByRole("button", { name: "Label", exact: true }).click();
  await dialog.getByText("pi may have this session open").waitFor();
  // The refusal is what was asked for.
  visit.problems.length = 0;
  expect(readFileSync(long, "utf8")).not.toContain("half way");
  await dialog.getByRole("button", { name: "Label it all the same" }).click();
  await dialog.waitFor({ state: "hidden" });
  await entry.getByText("half way").waitFor();
  expect(JSON.parse(readFileSync(long, "utf8").trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    type: "label",
    targetId: longEntry(40),
    label: "half way",
  });
});

test("a fork says what it will write, writes it, and leaves the session as it is", async () => {
  const { page } = visit;
  const before = readFileSync(long, "utf8");
  await visit.go(`/sessions/${LONG_ID}?at=${longEntry(40)}`);
  await page.locator("article.isTarget").getByRole("button", { name: "Fork from here" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("40 entries that lead up to this message").waitFor();
  await dialog.getByRole("button", { name: "Write the new session" }).click();
  await dialog.getByText("pi --session").waitFor();
  expect(readFileSync(long, "utf8")).toBe(before);
  await visit.isSound();
  await dialog.getByRole("button", { name: "Open the new session" }).click();
  await page.waitForURL((url) => url.pathname.startsWith("/sessions/") && !url.pathname.includes(LONG_ID));
  await page.getByText("Step 39:").first().waitFor();
});

test("a family stands in one tree, and every message opens in any of its sessions", async () => {
  const { page } = visit;
  const fork = (await listed("limit=1000")).find(
    ({ id, parentSession }) => parentSession !== null && id !== "",
  );
  if (fork === undefined) throw new Error("the demo set has no fork");
  await visit.go(`/sessions/${fork.id}/family`);
  await page.getByText(/every answer counted once|No answer that was paid for/u).waitFor();
  await page.getByRole("listitem").first().waitFor();
  await visit.isSound();
  await visit.picture("family");
  await page.getByRole("button", { pressed: false }).filter({ hasText: "only here" }).first().click();
  await page.waitForURL(/way=A/u);
  await page.getByRole("link", { name: "Open in session A" }).first().click();
  await page.waitForURL(/at=/u);
  await page.locator("article.isTarget").waitFor();
  await visit.isSound();
});

test("nothing of a hostile session runs, and nothing of it breaks the page", async () => {
  const { page } = visit;
  await visit.go(`/sessions/${HOSTILE_ID}`);
  await page.getByText("the end").first().waitFor();
  const region = page.getByRole("region", { name: "Conversation" });
  for (let step = 0; step < 12; step += 1) {
    await region.evaluate((frame, share) => (frame.scrollTop = frame.scrollHeight * share), step / 12);
    await page.waitForLoadState("networkidle");
  }
  await page.getByRole("button", { name: "All", exact: true }).click();
  await nothingRan(page);
  await visit.isSound();
  await visit.picture("session-hostile");
  await visit.go(`/sessions/${HOSTILE_ID}/family`);
  await page.getByRole("listitem").first().waitFor();
  await nothingRan(page);
  await visit.isSound();
});
