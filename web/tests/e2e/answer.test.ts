import { afterAll, beforeAll, expect, test } from "vitest";

import { Brain, Visit } from "./harness";
import { ScriptedModel } from "./scripted-model";

const model = new ScriptedModel();
const brain = new Brain();
let visit: Visit;

beforeAll(async () => {
  brain.prepare();
  const settings = {
    "analysis.openai.base_url": await model.start(),
    "analysis.openai.model": "scripted",
    "analysis.by": "openai",
    "analysis.days": "1",
  };
  for (const [key, value] of Object.entries(settings)) brain.command("config", "set", key, value);
  await brain.run();
  visit = await Visit.open(brain);
});

afterAll(async () => {
  await visit.close();
  await brain.stop();
  model.stop();
});

test("what the sessions say is there at once, and a model's words come as it says them", async () => {
  const { page } = visit;
  await visit.go("/");
  await page.getByRole("textbox", { name: "Your question" }).fill("why not meilisearch");
  await page.keyboard.press("Enter");
  const answer = page.getByRole("region", { name: "Answer" });
  const sources = answer.getByRole("list", { name: "Sources" }).getByRole("link");
  await sources.first().waitFor();
  await answer.getByText("A model is reading these lines…").waitFor();
  await model.say("It sits at **190 MB** on a machine with 1 GB [3],");
  await answer.getByText("It sits at").waitFor();
  expect(await answer.locator("p strong").textContent()).toBe("190 MB");
  await visit.picture("home-model");
  await model.say(" and upgrades are work [5].");
  await model.finish();
  await answer.getByText("and upgrades are work").waitFor();
  await answer.getByText("A model is reading these lines…").waitFor({ state: "hidden" });
  const cited = answer.locator("p a.number");
  expect(await cited.allTextContents()).toEqual(["3", "5"]);
  expect(await cited.first().getAttribute("href")).toBe(await sources.nth(2).getAttribute("href"));
  await visit.isSound();
});
