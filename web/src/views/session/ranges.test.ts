import { expect, test } from "vitest";

import { rangesOf } from "./ranges";

const said = (lines: number[], most = 100): string =>
  rangesOf(lines, most)
    .map(({ from, to }) => `${from}-${to}`)
    .join(" ");

test("neighbours are fetched together, in whatever order they are wanted", () => {
  expect(said([5, 3, 4, 4])).toBe("3-5");
  expect(said([2, 10])).toBe("2-10");
  expect(said([2, 40, 41])).toBe("2-2 40-41");
  expect(said([])).toBe("");
});

test("no range is longer than what is given at once", () => {
  expect(said([1, 2, 3, 4, 5], 2)).toBe("1-2 3-4 5-5");
});
