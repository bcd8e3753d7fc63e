import { expect, test } from "vitest";

import { sayLink, sortLinks, type Link, type LinkType } from "./links";

function link(
  type: LinkType,
  isOutgoing: boolean,
  similarity?: number,
  createdBy: Link["edge"]["createdBy"] = "daemon",
): Link {
  const edge = {
    id: `${type} ${isOutgoing}`,
    sourceNodeId: "0000000000000001",
    targetNodeId: "0000000000000002",
    type,
    createdAt: "2026-11-16T09:00:00Z",
    createdBy,
    metadata: similarity === undefined ? {} : { similarity },
  };
  return { edge, isOutgoing, other: null };
}

test("what came before and after stands apart from what is related", () => {
  const all = [
    link("semantic", true, 0.2),
    link("resume", false),
    link("project_related", false, 0.7),
    link("compaction", true),
  ];
  const { before, after, related } = sortLinks(all);
  expect(before.map(sayLink)).toEqual(["taken up from"]);
  expect(after.map(sayLink)).toEqual(["went on after a compaction"]);
  expect(related.map(sayLink)).toEqual(["the same files before", "about the same"]);
});

test("what a person drew comes first among what is related, whatever its type", () => {
  const { before, after, related } = sortLinks([
    link("semantic", true, 0.9),
    link("continuation", true, undefined, "user"),
  ]);
  expect([before, after]).toEqual([[], []]);
  expect(related.map(sayLink)).toEqual(["goes on in", "about the same"]);
});
