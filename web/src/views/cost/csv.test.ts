import { expect, test } from "vitest";

import { toCsv } from "./csv";

test("cells are quoted where they have to be", () => {
  expect(toCsv(["project", "dollars"], [["/home/dev/shop", 1.25]])).toBe(
    "project,dollars\r\n/home/dev/shop,1.25\r\n",
  );
  expect(toCsv(["a"], [['say "hi", twice'], ["two\nlines"]])).toBe(
    'a\r\n"say ""hi"", twice"\r\n"two\nlines"\r\n',
  );
});

test("no cell is a formula, but numbers may be negative", () => {
  for (const evil of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =HYPERLINK(1)", "\r=1"]) {
    const [, line = ""] = toCsv(["a"], [[evil]]).split(/\r\n/u, 2);
    expect(line.replace(/^"/u, "").startsWith("'"), evil).toBe(true);
  }
  expect(toCsv(["a"], [[-3], [0.1 + 0.2]])).toBe("a\r\n-3\r\n0.3\r\n");
});
