/** Editable trees, from the first word to a session that pi goes on with. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

import type { Locator } from "playwright-core";
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

/** The conversation that is shown. */
function conversation(): Locator {
  return visit.page.getByRole("region", { name: "Conversation", exact: true }).last();
}

/** What can be done with the chosen message. */
function dock(): Locator {
  return visit.page.getByRole("region", { name: "What to do here" });
}

async function noticed(text: string | RegExp): Promise<void> {
  await visit.page.getByRole("status").getByText(text).first().waitFor();
}

/** Says something after the chosen message, with the keyboard alone. */
async function append(text: string): Promise<void> {
  const { page } = visit;
  const field = page.getByLabel("What is said");
  await dock().waitFor();
  if (!(await field.isVisible())) await page.keyboard.press("a");
  await field.fill(text);
  await page.keyboard.press("Control+Enter");
  await conversation().getByText(text).first().waitFor();
}

test("a tree is started, and what is said stands in it", async () => {
  const { page } = visit;
  await visit.go("/forest");
  await page.getByText("No trees yet").waitFor();
  await visit.isSound();
  await visit.picture("forest-empty");
  await page.keyboard.press("n");
  await page.getByLabel("System prompt").fill("You know **trees**.");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/\/forest\/root-1/u);
  await append("What grows here?");
  await append("Beeches and oaks. Mostly beeches.");
  await append("How old are they?");
  await append("Two hundred years.");
  expect(await page.getByRole("treeitem").count()).toBe(4);
  // The last words are the chosen ones, and the address says so.
  expect(page.url()).toContain("at=root-1%2Fnode-4");
  await visit.isSound();
});

test("an edit of what was answered makes a branch, and the old one stays beside it", async () => {
  const { page } = visit;
  await page.getByLabel("What is said").press("Escape");
  await page.getByRole("treeitem", { name: /Beeches and oaks/u }).click();
  await page.waitForURL(/node-2/u);
  await dock().getByRole("button", { name: "Close" }).click();
  await page.keyboard.press("e");
  await page.getByLabel("New text").fill("Only birches grow here.");
  await page.keyboard.press("Control+Enter");
  await noticed(/stays beside it/u);
  await conversation().getByText("Only birches grow here.").waitFor();
  await page.getByRole("treeitem", { name: /Beeches and oaks/u }).waitFor();
  expect(await page.getByRole("treeitem").count()).toBe(5);
  // From one branch to the other.
  await page.keyboard.press("[");
  await conversation().getByText("Two hundred years.").first().waitFor();
});

test("a message is cut where the caret is, and joined again", async () => {
  const { page } = visit;
  await page.getByRole("treeitem", { name: /Beeches and oaks/u }).click();
  await page.waitForURL(/node-2/u);
  await dock()
    .getByRole("button", { name: /^Split/u })
    .click();
  const field = page.getByLabel("Where to cut");
  await field.waitFor();
  await dock().getByText("Both halves have to say something.").waitFor();
  for (const key of Array<string>("Beeches and oaks. ".length).fill("ArrowRight"))
    await page.keyboard.press(key);
  await dock().getByText("Mostly beeches").waitFor();
  await page.keyboard.press("Control+Enter");
  await noticed("Split in two.");
  await page.getByRole("treeitem", { name: /Mostly beeches/u }).waitFor();
  expect(await page.getByRole("treeitem").count()).toBe(6);
  await dock().getByRole("button", { name: "Join the halves" }).click();
  await noticed("Joined.");
  await page.getByRole("treeitem", { name: /Beeches and oaks. Mostly/u }).waitFor();
  expect(await page.getByRole("treeitem").count()).toBe(5);
});

test("bookmarks, titles and tags are noted, found and taken away", async () => {
  const { page } = visit;
  await page.keyboard.press("b");
  await page.getByLabel("Bookmark", { exact: true }).fill("the beeches");
  await page.keyboard.press("Enter");
  await noticed(/Bookmarked/u);
  await page.getByLabel("Title", { exact: true }).fill("What grows");
  await page.keyboard.press("Enter");
  await noticed("Title set.");
  await page.getByLabel("Tag", { exact: true }).fill("wood");
  await page.keyboard.press("Enter");
  await noticed("Tags changed.");
  await conversation().getByText("#wood").waitFor();
  await page.getByRole("button", { name: /^Bookmarks/u }).click();
  await page.getByRole("button", { name: "Rename the beeches" }).click();
  await page.getByLabel("New name").fill("beeches");
  await page.keyboard.press("Enter");
  await noticed(/Now called/u);
  await page.getByRole("button", { name: /^beeches/u }).click();
  await page.waitForURL(/node-2/u);
  await visit.isSound();
  await visit.picture("forest-notes");
  await page.getByRole("button", { name: "Messages" }).click();
  await dock().getByRole("button", { name: "Close" }).click();
});

test("what is deleted says how much goes, is refused while a bookmark is on it, and comes back", async () => {
  const { page } = visit;
  await page.keyboard.press("x");
  const dialog = page.getByRole("dialog", { name: "Delete" });
  await dialog.getByText("3 messages go").waitFor();
  await dialog.getByRole("button", { name: "Delete 3 messages" }).click();
  await dialog
    .getByRole("alert")
    .getByText(/beeches/u)
    .waitFor();
  visit.problems.splice(0); // The browser tells of the refusal, which was meant.
  await visit.isSound();
  await dialog.getByRole("button", { name: "Delete anyway" }).click();
  await noticed("3 messages deleted, and 1 bookmark.");
  await page.getByRole("treeitem", { name: /Only birches/u }).waitFor();
  expect(await page.getByRole("treeitem").count()).toBe(2);
  await page.getByRole("status").getByRole("button", { name: "Undo" }).last().click();
  await noticed("Restored.");
  await page.getByRole("button", { name: "Bookmarks (1)" }).waitFor();
  await page
    .getByRole("treeitem", { name: /What grows/u })
    .last()
    .waitFor();
  expect(await page.getByRole("treeitem").count()).toBe(5);
});

test("two leaves are compared from where they part", async () => {
  const { page } = visit;
  await page.getByRole("treeitem", { name: /Two hundred years/u }).click();
  await page.waitForURL(/node-4/u);
  await page.getByRole("button", { name: "Compare" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /Only birches/u })
    .click();
  await page.getByText("They share 1 message, then part").waitFor();
  const other = page.getByRole("region", { name: "The other conversation" });
  await other.getByText("Only birches grow here.").waitFor();
  expect(await page.getByRole("region", { name: "This conversation" }).getByText("Two hundred").count()).toBe(
    1,
  );
  await visit.isSound();
  await visit.picture("forest-compare");
  await page.getByRole("button", { name: "Back to the conversation" }).click();
  await page.getByRole("button", { name: "Context" }).click();
  const context = page.getByRole("dialog", { name: "What a model would be given" });
  await context.getByText("You know **trees**.").waitFor();
  await context.getByText("Two hundred years.").waitFor();
  await visit.isSound();
  await page.keyboard.press("Escape");
  await context.waitFor({ state: "hidden" });
  await visit.picture("forest-tree");
});

test("a conversation goes back to pi as a new session", async () => {
  const { page } = visit;
  await page.getByRole("button", { name: "Export to pi" }).click();
  const dialog = page.getByRole("dialog", { name: "Export to pi" });
  await dialog.getByLabel("Working directory").fill("/home/dev/woods");
  await visit.isSound();
  await dialog.getByRole("button", { name: "Export", exact: true }).click();
  const command = await dialog.locator("pre").textContent();
  const file = /pi --session (\S+)$/u.exec(command ?? "")?.[1] ?? "";
  expect(existsSync(file), file).toBe(true);
  expect(file.startsWith(brain.sessions), file).toBe(true);
  expect(readFileSync(file, "utf8")).toContain("Two hundred years.");
  const program = process.env.PI_BRAIN ?? resolve(import.meta.dirname, "../../../target/debug/pi-brain");
  const shown = execFileSync(program, ["session", "show", file], { env: brain.environment }).toString();
  expect(shown).toContain("How old are they?");
  await visit.picture("forest-export");
  await page.keyboard.press("Escape");
});

test("a session of pi is brought in as a copy, which says that its messages stay as they are", async () => {
  const { page } = visit;
  await visit.go("/forest");
  await page.keyboard.press("i");
  const dialog = page.getByRole("dialog", { name: "Import a session" });
  await dialog.getByRole("radio").nth(1).check();
  await dialog.getByLabel(/whole family/u).check();
  await visit.isSound();
  await visit.picture("forest-import");
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await page.waitForURL(/\/forest\/root-2/u);
  await page.getByRole("treeitem").first().waitFor();
  await page.getByRole("treeitem").first().click();
  await page.waitForURL(/at=root-2/u);
  // A key that comes before the message is there does nothing.
  await dock().getByRole("button", { name: /^Edit/u }).click({ trial: true });
  await page.keyboard.press("e");
  await dock()
    .getByText(/stays as pi wrote it/u)
    .waitFor();
  await page.getByLabel("New text").fill("Something else was wanted.");
  await page.keyboard.press("Control+Enter");
  await noticed(/stays beside it/u);
  await conversation().getByText("Something else was wanted.").waitFor();
  await visit.isSound();
  await visit.picture("forest-imported");
});

test("a deleted tree comes back, at once or later", async () => {
  const { page } = visit;
  await visit.go("/forest");
  expect(await page.locator("[data-item]").count()).toBe(2);
  await visit.isSound();
  await visit.picture("forest");
  await page.getByRole("link", { name: /What grows here/u }).click();
  await page.getByRole("button", { name: "Delete tree" }).click();
  await noticed(/deleted/u);
  await page.waitForURL(/\/forest$/u);
  await page.getByRole("button", { name: "Deleted (1)" }).click();
  await page.getByRole("button", { name: "Restore root-1" }).click();
  await page.waitForURL(/\/forest\/root-1/u);
  await page.getByRole("treeitem", { name: /Two hundred years/u }).waitFor();
  await visit.isSound();
});
