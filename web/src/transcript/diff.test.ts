import { expect, test } from "vitest";

import { countChanges, diffTexts, parseDiff, type DiffLine } from "./diff";

function written(lines: readonly DiffLine[]): string[] {
  return lines.map(({ sign, number, text }) => `${sign}${number ?? ""}|${text}`);
}

test("pi's own diffs", () => {
  const diff = "   9 before\n- 10 old\n+ 10 new\n+ 11 \n     ...\n 120 far away";
  expect(written(parseDiff(diff))).toEqual([
    " 9|before",
    "-10|old",
    "+10|new",
    "+11|",
    "…|",
    " 120|far away",
  ]);
});

test("common diffs", () => {
  const diff =
    "--- a/x\n+++ b/x\n@@ -3,2 +3,2 @@ fn\n same\n-- minus\n++ plus\n@@ -40 +40 @@\n-x\n\\ No newline\n";
  expect(written(parseDiff(diff))).toEqual([" 3|same", "-4|- minus", "+4|+ plus", "…|", "-40|x"]);
});

test("what is no diff is shown as it is", () => {
  expect(written(parseDiff("hello\n+ plus"))).toEqual([" |hello", "+| plus"]);
  expect(written(parseDiff(""))).toEqual([" |"]);
});

test.each([
  ["a\nb\nc", "a\nB\nc", [" |a", "-|b", "+|B", " |c"]],
  ["", "a", ["+|a"]],
  ["a", "", ["-|a"]],
  ["a\n", "a\n", ["…|"]],
  ["1\n2\n3", "2\n3\n4", ["-|1", " |2", " |3", "+|4"]],
])("%j becomes %j", (before, after, expected) => {
  expect(written(diffTexts(before, after))).toEqual(expected);
});

test("what stayed far away from any change is left out", () => {
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`);
  const changed = lines.with(15, "changed");
  const diff = written(diffTexts(lines.join("\n"), changed.join("\n")));
  expect(diff).toHaveLength(1 + 3 + 2 + 3 + 1);
  expect([diff[0], diff[1], diff.at(-1)]).toEqual(["…|", " |line 12", "…|"]);
});

test("a diff leads from one text to the other", () => {
  let seed = 3;
  const next = (): number => (seed = (seed * 48_271) % 2_147_483_647);
  const text = (): string => Array.from({ length: next() % 6 }, () => "abc".charAt(next() % 3)).join("\n");
  for (let round = 0; round < 500; round += 1) {
    const [before, after] = [text(), text()];
    const lines = diffTexts(before, after);
    if (lines.some(({ sign }) => sign === "…")) continue;
    const side = (sign: string): string =>
      lines
        .filter((line) => line.sign === " " || line.sign === sign)
        .map((line) => line.text)
        .join("\n");
    expect([side("-"), side("+")]).toEqual([before, after]);
  }
});

test("texts too large to be compared count as replaced", () => {
  const side = (sign: string): string => Array.from({ length: 3000 }, (_, at) => `${sign}${at}`).join("\n");
  expect(countChanges(diffTexts(side("a"), side("b")))).toEqual({ added: 3000, removed: 3000 });
});
