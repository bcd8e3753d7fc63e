import { beforeEach, expect, test } from "vitest";

import { forgetSearches, recentSearches, rememberSearch } from "./recent";

beforeEach(forgetSearches);

test("the last search comes first, and each is there once", () => {
  for (const query of ["redis", "jwt", " redis ", ""]) rememberSearch(query);
  expect(recentSearches()).toEqual(["redis", "jwt"]);
});

test("of a search that was typed on, only the whole is kept", () => {
  for (const query of ["per", "permission", "permission denied"]) rememberSearch(query);
  expect(recentSearches()).toEqual(["permission denied"]);
});

test("only a few are kept, and nothing that makes no sense", () => {
  for (let number = 10; number < 30; number += 1) rememberSearch(`search ${number}`);
  expect(recentSearches()).toHaveLength(8);
  expect(recentSearches()[0]).toBe("search 29");
  localStorage.setItem("pi-brain-searches", '{"not": "a list"}');
  expect(recentSearches()).toEqual([]);
  localStorage.setItem("pi-brain-searches", "nonsense");
  expect(recentSearches()).toEqual([]);
});
