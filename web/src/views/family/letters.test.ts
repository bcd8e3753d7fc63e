import { expect, test } from "vitest";

import { letterOf } from "./letters";

test("every session of a family has a letter of its own", () => {
  expect([0, 1, 25, 26, 27, 51, 52, 701, 702].map(letterOf)).toEqual("A B Z AA AB AZ BA ZZ AAA".split(" "));
});
