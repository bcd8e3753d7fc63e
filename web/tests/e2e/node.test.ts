import { afterAll, beforeAll, expect, test } from "vitest";

import { Brain, Visit } from "./harness";

let brain: Brain;
let visit: Visit;

/** A unit of work of the demo set with decisions, errors and links. */
let id: string;

interface Row {
  id: string;
  outcome: string;
}

beforeAll(async () => {
  brain = await new Brain().start();
  visit = await Visit.open(brain);
  const found = await visit.page.request.get(`${visit.address}/api/v1/decisions?limit=1`);
  const { items } = (await found.json()) as { items: { node: string }[] };
  id = items[0]?.node ?? "";
});

afterAll(async () => {
  await visit.close();
  await brain.stop();
});

test("a unit of work tells what was decided, what it cost, and what it is linked with", async () => {
  const { page } = visit;
  await visit.go(`/nodes/${id}`);
  await page.getByRole("region", { name: "Decisions" }).waitFor();
  await page.getByRole("region", { name: "Versions" }).getByText("the work was over").waitFor();
  expect(await page.locator("aside dl").textContent()).toMatch(/Cost\s*\$/u);
  await visit.isSound();
  await visit.picture("node");
});

test("a statement quotes its lines and opens the session there", async () => {
  const { page } = visit;
  await visit.go(`/nodes/${id}`);
  const decisions = page.getByRole("region", { name: "Decisions" });
  await decisions
    .getByRole("button", { name: /lines? that shows?/u })
    .first()
    .click();
  const quote = decisions.locator("blockquote .text").first();
  await quote.waitFor();
  expect((await quote.textContent())?.trim()).not.toBe("");
  await visit.isSound();
  await decisions.getByRole("link", { name: "Open the session here" }).first().click();
  await page.waitForURL(
    ({ pathname, searchParams }) => pathname.startsWith("/sessions/") && searchParams.has("at"),
  );
});

test("a correction makes a version that says what differs, and is taken back by the notice", async () => {
  const { page } = visit;
  await visit.go(`/nodes/${id}`);
  const outcome = page.getByRole("combobox", { name: "How it ended" });
  await outcome.waitFor();
  const before = await outcome.inputValue();
  const other = before === "failed" ? "partial" : "failed";
  await outcome.selectOption(other);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => outcome.inputValue()).toBe(before);
  await page.getByText("corrected by you").waitFor();
  const versions = page.getByRole("region", { name: "Versions" });
  expect(await versions.getByText("you corrected it").count()).toBe(2);
  await versions.getByRole("button", { name: "What differs" }).last().click();
  const diff = versions.locator(".diff");
  await diff.getByText("Outcome").waitFor();
  expect(await diff.locator("del").textContent()).toBe(before);
  expect(await diff.locator("ins").textContent()).toBe(other);
  await visit.isSound();
  await visit.picture("node-diff");
});

test("an old version is shown as it was, and cannot be changed", async () => {
  const { page } = visit;
  await visit.go(`/nodes/${id}-v1`);
  await page.getByText("This is version 1, as it was then.").waitFor();
  expect(await page.getByRole("combobox", { name: "How it ended" }).isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Correct the summary" }).count()).toBe(0);
  await page.getByRole("link", { name: "Go to the current one" }).click();
  await page.waitForURL(({ pathname }) => pathname === `/nodes/${id}`);
});

test("summary, tags and notes are put down where they stand", async () => {
  const { page } = visit;
  await visit.go(`/nodes/${id}`);
  await page.getByRole("button", { name: "Correct the summary" }).click();
  await page.getByRole("textbox", { name: "Summary" }).fill("What it really was about.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("region", { name: "Summary" }).getByText("What it really was about.").waitFor();
  await page.getByRole("button", { name: "Add a tag" }).click();
  await page.keyboard.type("herons");
  await page.keyboard.press("Enter");
  const tags = page.getByRole("region", { name: "Tags and topics" });
  await tags.getByRole("link", { name: "herons" }).waitFor();
  await page.getByLabel("A note on this unit of work").fill("Ask Ben first");
  await page.getByRole("button", { name: "Keep it" }).click();
  await page.getByRole("region", { name: "Notes" }).getByText("Ask Ben first").waitFor();
  await visit.isSound();
});

test("what is hidden is gone from lists until it is shown again", async () => {
  const { page } = visit;
  const listed = async (): Promise<boolean> => {
    const { items } = (await (await page.request.get(`${visit.address}/api/v1/nodes?limit=200`)).json()) as {
      items: Row[];
    };
    return items.some((row) => row.id === id);
  };
  await visit.go(`/nodes/${id}`);
  await page.getByRole("button", { name: "Hide", exact: true }).click();
  await page.getByText("Hidden from lists and search.").waitFor();
  expect(await listed()).toBe(false);
  await page.getByRole("button", { name: "Show it again" }).click();
  await page.getByRole("button", { name: "Hide", exact: true }).waitFor();
  expect(await listed()).toBe(true);
});

test("another unit of work is linked by a person, and the link taken away", async () => {
  const { page } = visit;
  await visit.go(`/nodes/${id}`);
  await page.getByRole("button", { name: "Link…" }).click();
  const dialog = page.getByRole("dialog", { name: "Link with another unit of work" });
  await dialog.getByPlaceholder("Words of it").fill("meilisearch");
  await dialog.getByRole("radio").first().check();
  await dialog.getByLabel(/^Why/u).fill("both speak of searching");
  await dialog.getByRole("button", { name: "Link them" }).click();
  const related = page.getByRole("region", { name: "Related work" });
  await related.getByText("both speak of searching").waitFor();
  await related.getByRole("button", { name: "Take this link away" }).click();
  await related.getByText("both speak of searching").waitFor({ state: "hidden" });
  await visit.isSound();
});

test("what came before and after is a key away", async () => {
  const { page } = visit;
  await visit.go(`/nodes/${id}`);
  const neighbours = page.getByRole("region", { name: "Before and after" });
  await neighbours.waitFor();
  const key = await neighbours.locator("kbd").first().textContent();
  const target = await neighbours.locator("a:has(kbd)").first().getAttribute("href");
  await page.keyboard.press(key ?? "");
  await page.waitForURL(({ pathname }) => pathname === target);
});

test("a unit of work that is not there says so", async () => {
  const { page } = visit;
  await visit.go("/nodes/0000000000000000");
  await page.getByRole("alert").waitFor();
  expect(await page.getByRole("alert").textContent()).toContain("0000000000000000");
});
