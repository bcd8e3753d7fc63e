import { expect, test } from "vitest";

import { exampleQuestions } from "./examples";

test("questions are about what is there", () => {
  const questions = exampleQuestions({
    projects: [
      { project: "/home/me/code/shop", cost: 0, nodes: 10 },
      { project: "/home/me/code/blog", cost: 2, nodes: 6 },
    ],
    tags: [
      { tag: "git", nodes: 12 },
      { tag: "jwt", nodes: 4 },
      { tag: "once", nodes: 1 },
    ],
    decisions: [
      { what: "Something without a reason", why: "" },
      { what: "good. keep it then, i want it", why: "said in passing" },
      { what: "Use SQLite instead of Redis", why: "one file less" },
    ],
  });
  expect(questions).toEqual([
    "Why use SQLite instead of Redis?",
    "What did we decide about jwt?",
    "What did blog cost last month?",
    "Which errors came up in blog?",
  ]);
});

test("where there is nothing, nothing is asked", () => {
  expect(exampleQuestions({ projects: [], tags: [], decisions: [] })).toEqual([]);
  const projects = [{ project: "", cost: 1, nodes: 1 }];
  expect(exampleQuestions({ projects, tags: [], decisions: [] })).toEqual([]);
});

test("names keep their capitals", () => {
  const decisions = [{ what: "SQLite stays for good", why: "it works" }];
  expect(exampleQuestions({ projects: [], tags: [], decisions })).toEqual(["Why SQLite stays for good?"]);
});
