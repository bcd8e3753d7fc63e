/** The daemon goes while the page is open, and comes back. */

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

const VIEWS = [
  ..."Home Search Sessions Graph Lessons Decisions Errors Models Forest System".split(" "),
  "Cost and activity",
];

/** Goes to a view as one does with the mouse. */
async function follow(title: string): Promise<void> {
  const views = visit.page.getByRole("navigation", { name: "Views" });
  await views.getByRole("link", { name: title, exact: true }).click();
  await visit.page.getByRole("heading", { level: 1 }).first().waitFor();
}

/** What the page itself threw; that nobody answered is what the browser tells, and was meant. */
function thrown(): string[] {
  return visit.problems.filter((problem) => problem.startsWith("error:"));
}

test(
  "every view says that the daemon is gone, and goes on by itself when it is back",
  { timeout: 180_000 },
  async () => {
    const { page } = visit;
    await visit.go("/");
    for (const view of VIEWS) await follow(view);
    const lost = page.getByText("What you see may be old");
    expect(await lost.isVisible()).toBe(false);
    await brain.end();
    await lost.waitFor();
    for (const view of VIEWS) {
      await follow(view);
      await lost.waitFor();
      await page.getByText("No daemon").waitFor();
    }
    expect(thrown()).toEqual([]);
    await visit.picture("offline");

    // It is back on the same port; nobody touches the page.
    await brain.run();
    await lost.waitFor({ state: "hidden" });
    await page.getByText("Daemon is there").waitFor();
    for (const view of VIEWS) {
      await follow(view);
      await page.getByText("The daemon does not answer.").waitFor({ state: "hidden" });
    }
    expect(thrown()).toEqual([]);
  },
);

test("what was asked in vain is asked again, and another daemon's token is asked for", async () => {
  const { page } = visit;
  await brain.end();
  await page.getByText("What you see may be old").waitFor();
  // What is asked now is refused, and says so where it would stand.
  await follow("Models");
  const refused = page.getByRole("heading", { name: "This could not be loaded" }).first();
  await refused.waitFor();
  await brain.run();
  await refused.waitFor({ state: "hidden" });
  await follow("Forest");
  await page.getByText("New tree").first().waitFor();
  await page.keyboard.press("n");
  await page.getByLabel("System prompt").fill("After the pause.");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/\/forest\/root-1/u);
  expect(thrown()).toEqual([]);
});
