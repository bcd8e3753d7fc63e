import { expect, test } from "vitest";

import { exampleQuestions } from "./examples";

test("questions are about what is there", () => {
  const questions = exampleQuestions({
    projects: [
      { project: "/home/me/code/shop", cost: 0 },
      { project: "/home/me/code/blog", cost: 2 },
    ],
    tags: [
      { tag: "once", nodes: 1 },
      { tag: "jwt", nodes: 4 },
    ],
    decisions: [
      { what: "Something without a reason", why: "" },
      { what: "Use SQLite instead of Redis.", why: "one file less" },
    ],
  });
  expect(questions).toEqual([
    "Why use SQLite instead of Redis?",
    "What was done last in shop?",
    "What did we learn about jwt?",
    "What did blog cost last month?",
    "What went wrong in blog?",
  ]);
});

test("where there is nothing, nothing is asked", () => {
  expect(exampleQuestions({ projects: [], tags: [], decisions: [] })).toEqual([]);
  expect(exampleQuestions({ projects: [{ project: "", cost: 1 }], tags: [], decisions: [] })).toEqual([]);
});

test("names keep their capitals", () => {
  const decisions = [{ what: "SQLite stays", why: "it works" }];
  expect(exampleQuestions({ projects: [], tags: [], decisions })).toEqual(["Why SQLite stays?"]);
});
