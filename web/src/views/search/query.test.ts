import { expect, test } from "vitest";

import { filtersOf, parse, withFilter, withoutFilter, write, writeFilter } from "./query";

/** Writes the parts of a query: phrases in quotes, exclusions with a minus, filters in brackets. */
function shown(query: string): string {
  const shownPart = (part: ReturnType<typeof parse>[number]): string => {
    switch (part.kind) {
      case "word":
        return part.text;
      case "phrase":
        return `"${part.text}"`;
      case "excluded":
        return `-${part.text}`;
      case "filter":
        return `[${part.name}=${part.value}]`;
      case "space":
        return "";
    }
  };
  return parse(query).map(shownPart).join(" | ");
}

test.each([
  ["rust lifetimes", "rust | lifetimes"],
  ['"permission denied" npm', '"permission denied" | npm'],
  ["“permission denied”", '"permission denied"'],
  ['cache -redis -"hot path"', "cache | -redis | -hot path"],
  ['"never closed', '"never closed"'],
  ["git push --no-verify", "git | push | --no-verify"],
  ["x - y", "x | - | y"],
  ["project:shop file:src/a.ts cart", "[project=shop] | [file=src/a.ts] | cart"],
  ['project:"my app" x', "[project=my app] | x"],
  ["file:///etc/hosts type::Name project: foo:bar", "file:///etc/hosts | type::Name | project: | foo:bar"],
  ['say"it now"', 'say | "it now"'],
  ["is:abandoned after:2w before:2026-10-01", "[is=abandoned] | [after=2w] | [before=2026-10-01]"],
  ["  ", ""],
  ["", ""],
])("%s", (query, expected) => {
  expect(shown(query)).toBe(expected);
});

test("the parts of any query are the query", () => {
  const signs = ["a", "-", '"', "“", ":", " ", "project:", "is:", "  ", "é", "文", "//"];
  let seed = 7;
  for (let round = 0; round < 3000; round += 1) {
    let query = "";
    for (let at = 0; at < 12; at += 1) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      query += signs[Math.floor((seed / 2_147_483_648) * signs.length)] ?? "";
    }
    expect(write(parse(query))).toBe(query);
  }
});

test("a filter is added behind what was typed", () => {
  expect(withFilter("cart  total", "type", "debugging")).toBe("cart  total type:debugging");
  expect(withFilter("", "project", "/home/me/my app")).toBe('project:"/home/me/my app"');
  expect(withFilter("tool:bash x", "tool", "edit")).toBe("tool:bash x tool:edit");
});

test("a filter is there once, and of times only one holds", () => {
  expect(withFilter("tool:bash x", "tool", "bash")).toBe("x tool:bash");
  expect(withFilter("x after:2w", "after", "1d")).toBe("x after:1d");
  expect(withFilter("is:active x", "is", "abandoned")).toBe("x is:abandoned");
});

test("a filter is taken away alone", () => {
  expect(withoutFilter("a type:qa b type:data", 0)).toBe("a b type:data");
  expect(withoutFilter("a type:qa b type:data", 1)).toBe("a type:qa b");
  expect(withoutFilter('project:"my app"', 0)).toBe("");
});

test("what was written as a filter is read as that filter", () => {
  for (const value of ["shop", "my app", "src/a b.ts", "//x", ":y", 'say "so"']) {
    const [filter] = filtersOf(`a ${writeFilter("file", value)} b`);
    expect(filter?.value).toBe(value.replaceAll('"', ""));
  }
});
