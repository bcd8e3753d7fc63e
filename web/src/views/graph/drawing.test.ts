import { expect, test } from "vitest";

import { fit, pan, toPlace, toScreen, zoom } from "./camera";
import { dayStart, readChoices } from "./choices";
import type { DrawnNode } from "./graph";
import { groupBy, MOST_GROUPS } from "./groups";
import { Placing, shortened } from "./labels";
import { parseColour } from "./painting";
import { Squares } from "./picking";

const size = { width: 400, height: 200 };

test("what is under the pointer stays there when one comes nearer", () => {
  const camera = { x: 3, y: -2, scale: 20 };
  const spot = { x: 310, y: 40 };
  const place = toPlace(camera, size, spot);
  const nearer = zoom(camera, size, spot, 1.7);
  expect(nearer.scale).toBeCloseTo(34);
  const seen = toScreen(nearer, size, place);
  expect(seen.x).toBeCloseTo(spot.x);
  expect(seen.y).toBeCloseTo(spot.y);
});

test("moving by pixels moves the picture by as many", () => {
  const camera = { x: 0, y: 0, scale: 10 };
  const seen = toScreen(pan(camera, 30, -5), size, { x: 1, y: 1 });
  expect(seen).toEqual({ x: 200 + 10 + 30, y: 100 + 10 - 5 });
});

test("everything is in sight when everything is to be shown", () => {
  const places = [
    { x: -50, y: 3 },
    { x: 80, y: 40 },
    { x: 0, y: -60 },
  ];
  const camera = fit(places, size);
  for (const place of places) {
    const { x, y } = toScreen(camera, size, place);
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x).toBeLessThanOrEqual(size.width);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThanOrEqual(size.height);
  }
  expect(fit([], size).scale).toBeGreaterThan(0);
  expect(fit([{ x: 1, y: 1 }], size)).toMatchObject({ x: 1, y: 1 });
});

test("the nearest node is found, if it is near", () => {
  const places = Array.from({ length: 1000 }, (_, at) => ({ x: at % 40, y: Math.floor(at / 40) }));
  const squares = new Squares(places, (at) => at !== 41);
  expect(squares.nearest({ x: 5.2, y: 3.1 }, 0.5)).toBe(3 * 40 + 5);
  expect(squares.nearest({ x: -3, y: -3 }, 0.5)).toBeUndefined();
  // One that is hidden cannot be pointed at.
  expect(squares.nearest({ x: 1, y: 1 }, 0.5)).toBeUndefined();
});

test("labels never lie over each other", () => {
  const placing = new Placing();
  expect(placing.put({ x: 100, y: 50, width: 60, height: 12 })).toBe(true);
  expect(placing.put({ x: 130, y: 55, width: 60, height: 12 })).toBe(false);
  expect(placing.put({ x: 130, y: 70, width: 60, height: 12 })).toBe(true);
  expect(placing.put({ x: 200, y: 50, width: 60, height: 12 })).toBe(true);
});

test("long names end at a word", () => {
  expect(shortened("short", 20)).toBe("short");
  expect(shortened("Webhook signatures are checked, tests fixed", 32)).toBe(
    "Webhook signatures are checked…",
  );
  expect(shortened("x".repeat(50), 10)).toBe(`${"x".repeat(10)}…`);
});

test("colours are read as browsers tell them", () => {
  expect(parseColour("rgb(1, 20, 255)")).toEqual([1, 20, 255, 255]);
  expect(parseColour("rgba(1, 20, 255, 0.5)")).toEqual([1, 20, 255, 128]);
});

function node(project: string, started = "2026-01-01T00:00:00Z", outcome = "success"): DrawnNode {
  return { id: "", project, type: "coding", outcome, summary: "", started, minutes: 0, cost: 0, x: 0, y: 0 };
}

test("the largest groups have colours, the rest is one, and none is told by colour alone", () => {
  const nodes = Array.from({ length: 20 }, (_, at) =>
    Array.from({ length: 20 - at }, () => node(`/p/${at}`)),
  );
  const { groups, of } = groupBy(nodes.flat(), "project");
  expect(groups).toHaveLength(MOST_GROUPS);
  expect(groups.at(-1)).toMatchObject({ title: "5 others", count: 5 + 4 + 3 + 2 + 1 });
  expect(of[0]).toBe(0);
  expect(of.at(-1)).toBe(MOST_GROUPS - 1);
  const looks = groups.map(({ colour, shape }) => `${colour} ${shape}`);
  expect(new Set(looks).size).toBe(groups.length);
  expect(groups[0]?.shape).not.toBe(groups[1]?.shape);
});

test("ends of work have shapes of their own", () => {
  const outcomes = ["success", "failed", "abandoned", "partial", "success"];
  const { groups, of } = groupBy(
    outcomes.map((outcome) => node("/p", undefined, outcome)),
    "outcome",
  );
  expect(groups[0]).toMatchObject({ key: "success", count: 2 });
  expect(new Set(groups.map(({ shape }) => shape)).size).toBe(4);
  expect(groups[of[1] ?? -1]?.key).toBe("failed");
});

test("times fall into steps of equally many", () => {
  const nodes = Array.from({ length: 50 }, (_, at) =>
    node("/p", `2026-${String(1 + Math.floor(at / 5)).padStart(2, "0")}-0${1 + (at % 5)}T00:00:00Z`),
  );
  const { groups, of } = groupBy(nodes, "time");
  expect(groups.map(({ count }) => count)).toEqual([10, 10, 10, 10, 10]);
  expect([of[0], of[49]]).toEqual([0, 4]);
  expect(groupBy([], "time").groups).toHaveLength(1);
});

test("an address that makes no sense chooses nothing", () => {
  const choices = readChoices(
    new URLSearchParams("by=colour&from=yesterday&without=resume,,fork&to=2026-03-01"),
  );
  expect(choices.by).toBe("project");
  expect(choices.from).toBeUndefined();
  expect([...choices.without]).toEqual(["resume", "fork"]);
  expect(choices.until).toBe(dayStart("2026-03-02"));
});
