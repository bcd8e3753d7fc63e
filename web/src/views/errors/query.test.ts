import { expect, test } from "vitest";

import { decisionQuery, standing } from "../decisions/query";
import { lessonQuery } from "../lessons/query";
import { errorQuery, solved } from "./query";

test("errors say in how many units of work they were put right", () => {
  expect(solved({ nodes: 3, resolved: 0 })).toEqual({ text: "not solved", tone: "bad" });
  expect(solved({ nodes: 3, resolved: 2 })).toEqual({ text: "solved in 2 of 3", tone: "warn" });
  expect(solved({ nodes: 3, resolved: 3 })).toEqual({ text: "solved", tone: "good" });
});

test("what an address says is asked for, and what makes no sense is left out", () => {
  const said = new URLSearchParams(
    "q=csv&project=/home/dev/ledger&state=open&level=moon&confidence=high&cursor=x",
  );
  expect(errorQuery(said)).toEqual({ q: "csv", project: "/home/dev/ledger", unresolved: true });
  expect(lessonQuery(said)).toEqual({ q: "csv", project: "/home/dev/ledger", confidence: "high" });
  expect(decisionQuery(new URLSearchParams("q=&outcome=failed"))).toEqual({ outcome: "failed" });
});

test("decisions of work that was given up do not stand", () => {
  expect(standing("abandoned").text).toBe("given up");
  expect(standing("success").text).toBe("stands");
});
