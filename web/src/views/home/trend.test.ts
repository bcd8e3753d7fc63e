import { expect, test } from "vitest";

import { compare } from "./trend";

test.each([
  [112, 100, "up", "+12 %"],
  [40, 100, "down", "−60 %"],
  [0, 100, "down", "−100 %"],
  [101, 100, "same", "as before"],
  [0, 0, "same", "as before"],
  [3, 0, "up", "new"],
  [350, 100, "up", "×3.5"],
  [2500, 100, "up", "×25"],
])("%d after %d is %s: %s", (current, before, direction, text) => {
  expect(compare(current, before)).toEqual({ direction, text });
});
