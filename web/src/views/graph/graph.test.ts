import { expect, test } from "vitest";

import { around, type Drawn, GraphData, matching, neighbourTowards, shortestPath, show } from "./graph";

/** A chain 0–1–2–3 with 4 off 1, and 5 by itself. */
const drawn: Drawn = {
  nodes: [
    ["a0", "/home/dev/shop", "coding", "2026-01-01T10:00:00Z", 0, 0],
    ["a1", "/home/dev/shop", "debugging", "2026-02-01T10:00:00Z", 1, 0],
    ["a2", "/home/dev/ledger", "coding", "2026-03-01T10:00:00Z", 2, 0],
    ["a3", "/home/dev/ledger", "coding", "2026-04-01T10:00:00Z", 3, 0],
    ["a4", "/home/dev/shop", "docs", "2026-05-01T10:00:00Z", 1, 1],
    ["a5", "/home/dev/shop", "docs", "2026-06-01T10:00:00Z", 9, 9],
  ].map(([id, project, type, started, x, y]) => ({
    id: id as string,
    project: project as string,
    type: type as string,
    started: started as string,
    x: x as number,
    y: y as number,
    outcome: "success",
    summary: `Work ${id as string}`,
    minutes: 1,
    cost: 0,
  })),
  edges: [
    { source: 0, target: 1, type: "resume" },
    { source: 1, target: 2, type: "semantic" },
    { source: 2, target: 3, type: "resume" },
    { source: 1, target: 4, type: "continuation" },
  ],
  clusters: [],
  total: 6,
};
const data = new GraphData(drawn);
const everything = {
  project: null,
  type: null,
  without: new Set<string>(),
  from: undefined,
  until: undefined,
};

test("filters hide nodes, and links with them", () => {
  expect(show(data, everything).count).toBe(6);
  const shop = show(data, { ...everything, project: "/home/dev/shop" });
  expect([...shop.nodes]).toEqual([1, 1, 0, 0, 1, 1]);
  expect([...shop.edges]).toEqual([1, 0, 0, 1]);
  const spring = { from: Date.parse("2026-02-01T00:00Z"), until: Date.parse("2026-05-01T00:00Z") };
  expect([...show(data, { ...everything, ...spring }).nodes]).toEqual([0, 1, 1, 1, 0, 0]);
  expect([...show(data, { ...everything, without: new Set(["resume"]) }).edges]).toEqual([0, 1, 0, 1]);
});

test("the shortest way goes along links that are shown", () => {
  const all = show(data, everything);
  expect(shortestPath(data, all, 0, 3)).toEqual({ nodes: [0, 1, 2, 3], edges: [0, 1, 2] });
  expect(shortestPath(data, all, 4, 4)).toEqual({ nodes: [4], edges: [] });
  expect(shortestPath(data, all, 0, 5)).toBeUndefined();
  const narrow = show(data, { ...everything, without: new Set(["semantic"]) });
  expect(shortestPath(data, narrow, 0, 3)).toBeUndefined();
});

test("what is linked with a node stands around it", () => {
  const { nodes, edges } = around(data, show(data, everything), 1);
  expect([...nodes].sort()).toEqual([0, 1, 2, 4]);
  expect([...edges].sort()).toEqual([0, 1, 3]);
});

test("arrows lead to the neighbour that lies there", () => {
  const all = show(data, everything);
  expect(neighbourTowards(data, all, 1, "right")).toBe(2);
  expect(neighbourTowards(data, all, 1, "left")).toBe(0);
  expect(neighbourTowards(data, all, 1, "down")).toBe(4);
  expect(neighbourTowards(data, all, 1, "up")).toBeUndefined();
  expect(neighbourTowards(data, all, 5, "up")).toBeUndefined();
});

test("words are looked for in what nodes say", () => {
  expect(matching(data, "  ")).toBeUndefined();
  expect([...(matching(data, "SHOP docs") ?? [])]).toEqual([4, 5]);
  expect([...(matching(data, "a2") ?? [])]).toEqual([2]);
  expect(data.numberOf("a3")).toBe(3);
  expect(data.numberOf("nothing")).toBeUndefined();
});
