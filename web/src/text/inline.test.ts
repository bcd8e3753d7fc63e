import { expect, test } from "vitest";

import { readInline } from "./inline";

test("code and what stands out are told from text", () => {
  expect(readInline("run `npm test`, **never** `*`")).toEqual([
    { kind: "text", text: "run " },
    { kind: "code", text: "npm test" },
    { kind: "text", text: ", " },
    { kind: "strong", text: "never" },
    { kind: "text", text: " " },
    { kind: "code", text: "*" },
  ]);
});

test("what is not closed is text", () => {
  expect(readInline("a ` b ** c")).toEqual([{ kind: "text", text: "a ` b ** c" }]);
  expect(readInline("<b>`<i>`</b>")).toEqual([
    { kind: "text", text: "<b>" },
    { kind: "code", text: "<i>" },
    { kind: "text", text: "</b>" },
  ]);
  expect(readInline("")).toEqual([]);
});
