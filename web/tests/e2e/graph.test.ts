import { afterAll, beforeAll, expect, test } from "vitest";

import { Brain, Visit } from "./harness";
import { manyNodes } from "./many-nodes";

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

/** Says how the graph is drawn, once it is. */
async function painter(of: Visit): Promise<string | null> {
  const stage = of.page.getByRole("application");
  await stage.locator("canvas").first().waitFor();
  await of.page.waitForFunction(() => document.querySelector("[data-painter]") !== null);
  return stage.getAttribute("data-painter");
}

/** Waits until the list says that so many are in sight. */
async function inSight(of: Visit, count: RegExp): Promise<void> {
  await of.page.getByRole("status").filter({ hasText: count }).waitFor();
}

test("units of work are drawn, and told in words beside it", async () => {
  await visit.go("/graph");
  expect(await painter(visit)).toBe("webgl");
  await inSight(visit, /4\d units of work, the most linked first/u);
  const legend = visit.page.getByRole("list", { name: "What colours and shapes mean" });
  expect(await legend.textContent()).toContain("dev/shop");
  // Something is to be seen: not all pixels are of one colour.
  const colours = await visit.page.getByRole("application").screenshot();
  expect(colours.length).toBeGreaterThan(5000);
  await visit.isSound();
});

test("a unit of work is chosen, its neighbours are told with reasons, and it is opened with the keyboard", async () => {
  const { page } = visit;
  await visit.go("/graph");
  await painter(visit);
  await inSight(visit, /units of work/u);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Linked with" }).waitFor();
  const chosen = new URL(page.url()).searchParams.get("at");
  expect(chosen).toMatch(/^[0-9a-f]{16}$/u);
  await page.locator("aside li p").first().waitFor();
  await visit.isSound();

  // Arrows lead to a neighbour, whichever way one lies.
  await page.getByRole("application").focus();
  for (const arrow of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]) {
    await page.keyboard.press(arrow);
    if (new URL(page.url()).searchParams.get("at") !== chosen) break;
  }
  const next = new URL(page.url()).searchParams.get("at");
  expect(next).not.toBe(chosen);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === `/nodes/${next ?? ""}`);
});

test("the way between two units of work is told link by link", async () => {
  const { page } = visit;
  const graph = (await (await fetch(`${brain.address}/api/v1/graph?limit=1000`)).json()) as {
    nodes: { id: string }[];
    edges: { source: number; target: number }[];
  };
  const [first, second] = chain(graph.edges);
  const [from, to] = [graph.nodes[first]?.id ?? "", graph.nodes[second]?.id ?? ""];
  await visit.go(`/graph?at=${from}`);
  await page.getByRole("button", { name: "Way to another…" }).click();
  await page.getByText("Choose the unit of work where the way should end").waitFor();
  await visit.go(`/graph?at=${from}&path=${to}`);
  await page.getByRole("heading", { name: "A way of 2 links" }).waitFor();
  expect(await page.locator("aside ol > li").count()).toBe(3);
  await visit.isSound();
});

/** Two nodes that are two links apart, and no less. */
function chain(edges: { source: number; target: number }[]): [number, number] {
  const isLinked = (a: number, b: number): boolean =>
    edges.some(({ source, target }) => (source === a && target === b) || (source === b && target === a));
  for (const one of edges)
    for (const two of edges)
      if (one.target === two.source && one.source !== two.target && !isLinked(one.source, two.target))
        return [one.source, two.target];
  throw new Error("no two nodes are two links apart");
}

test("filters and times stand in the address", async () => {
  const { page } = visit;
  await visit.go("/graph");
  await inSight(visit, /units of work/u);
  await page.getByLabel("Project", { exact: true }).selectOption({ index: 1 });
  await inSight(visit, /^1\d units of work/u);
  await page.getByLabel("From").press("ArrowRight");
  await page.waitForURL(/from=\d{4}-\d\d-\d\d/u);
  await page.getByRole("button", { name: "Show everything" }).first().click();
  await page.waitForURL((url) => url.search === "");
  await page.getByLabel("Find in the graph").fill("csv");
  await page.getByRole("heading", { name: "With “csv”" }).waitFor();
  await visit.isSound();
});

test("double click opens, and pointing tells what it is", async () => {
  const { page } = visit;
  await visit.go("/graph?project=/home/dev/dotfiles");
  await inSight(visit, /^3 units of work/u);
  const box = await page.getByRole("application").boundingBox();
  if (box === null) throw new Error("the graph has no place");
  // Three nodes around the middle: one is found by looking across the picture.
  const spot = await findNode(box);
  await page.mouse.move(spot.x, spot.y);
  expect(await page.locator(".frame .card").textContent()).toContain("dev/dotfiles");
  await page.mouse.dblclick(spot.x, spot.y);
  await page.waitForURL(/\/nodes\/[0-9a-f]{16}$/u);
});

/** Moves the pointer over a picture until it points at something. */
async function findNode(box: {
  x: number;
  y: number;
  width: number;
  height: number;
}): Promise<{ x: number; y: number }> {
  for (let y = 20; y < box.height - 20; y += 14) {
    for (let x = 20; x < box.width - 60; x += 14) {
      const spot = { x: box.x + x, y: box.y + y };
      await visit.page.mouse.move(spot.x, spot.y);
      if ((await visit.page.locator(".frame .card").count()) > 0) return spot;
    }
  }
  throw new Error("there is nothing to point at");
}

test("fingers move it on a phone, and nothing is wider than the screen", async () => {
  const phone = await Visit.open(brain, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.go("/graph");
  await painter(phone);
  await inSight(phone, /4\d units of work/u);
  expect(await phone.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  const box = await phone.page.getByRole("application").boundingBox();
  if (box === null) throw new Error("the graph has no place");
  // Far into the corner: fewer are in sight afterwards.
  for (let times = 0; times < 3; times += 1) await phone.page.getByRole("button", { name: "Nearer" }).tap();
  await phone.page.waitForFunction(() => {
    const said = document.querySelector("aside [role=status]")?.textContent ?? "";
    return /^\d+ unit/u.test(said.trim()) && Number.parseInt(said, 10) < 40;
  });
  await phone.isSound();
  await phone.close();
});

test("without WebGL it is drawn all the same", async () => {
  const plain = await Visit.open(brain, {}, ["--disable-gpu", "--disable-3d-apis"]);
  await plain.go("/graph");
  expect(await painter(plain)).toBe("canvas");
  await inSight(plain, /4\d units of work, the most linked first/u);
  const picture = await plain.page.getByRole("application").screenshot();
  expect(picture.length).toBeGreaterThan(5000);
  await plain.isSound();
  await plain.close();
});

test.each([
  ["webgl", []],
  ["canvas", ["--disable-gpu", "--disable-3d-apis"]],
] as const)(
  "ten thousand nodes are moved and brought nearer: %s",
  async (kind, flags) => {
    const many = await Visit.open(brain, {}, flags);
    await many.page.route("**/api/v1/graph?*", (route) => route.fulfill({ json: manyNodes(10_000) }));
    await many.go("/graph");
    expect(await painter(many)).toBe(kind);
    await inSight(many, /10,000 units of work, the most linked first/u);
    // The list beside it holds only what can be seen of it.
    expect(await many.page.locator("aside [data-item]").count()).toBeLessThan(60);
    const frames = (await framesOf(many)).toSorted((a, b) => a - b);
    expect(frames.length).toBeGreaterThan(10);
    const at = (part: number): string => (frames[Math.floor(frames.length * part)] ?? 0).toFixed(1);
    console.info(
      `${kind}: ${frames.length} frames; script for each: median ${at(0.5)} ms, p95 ${at(0.95)} ms`,
    );
    await many.close();
  },
  // Where no graphics card helps, the browser takes its time to draw, whatever scripts do.
  240_000,
);

/** Moves, zooms and points, and returns how long scripts ran for each frame, in milliseconds. */
async function framesOf({ page }: Visit): Promise<number[]> {
  const session = await page.context().newCDPSession(page);
  const events: { name: string; ts: number; dur?: number; tdur?: number; ph: string }[] = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as typeof events)));
  const box = await page.getByRole("application").boundingBox();
  if (box === null) throw new Error("the graph has no place");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await session.send("Tracing.start", { categories: "devtools.timeline", transferMode: "ReportEvents" });
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 0; step < 24; step += 1) await page.mouse.move(x + step * 6, y + Math.sin(step / 3) * 60);
  await page.mouse.up();
  for (let step = 0; step < 16; step += 1) await page.mouse.move(x - step * 8, y + step * 2);
  for (let step = 0; step < 16; step += 1) await page.mouse.wheel(0, step < 10 ? -60 : 60);
  const ended = new Promise((done) => session.once("Tracing.tracingComplete", done));
  await session.send("Tracing.end");
  await ended;
  const scripts = events.filter(
    ({ name, ph }) => ph === "X" && (name === "FireAnimationFrame" || name === "EventDispatch"),
  );
  scripts.sort((a, b) => a.ts - b.ts);
  // What was done for a frame: whatever came since the frame before, and the frame itself.
  const frames: number[] = [];
  let sum = 0;
  for (const { name, dur = 0, tdur = dur } of scripts) {
    // The time of the processor: others may be at work on this machine.
    sum += tdur / 1000;
    if (name !== "FireAnimationFrame") continue;
    frames.push(sum);
    sum = 0;
  }
  return frames;
}

test("pictures for people", async () => {
  await visit.go("/graph");
  await inSight(visit, /units of work/u);
  await visit.picture("graph");
});
