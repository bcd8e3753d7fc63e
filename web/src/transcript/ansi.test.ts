import { expect, test } from "vitest";

import { parseAnsi, stripAnsi } from "./ansi";

/** Writes pieces as text with the colour of each before it. */
function coloured(output: string): string {
  return parseAnsi(output)
    .map(({ colour, isBold, isDim, text }) => {
      const style = [colour, isBold && "bold", isDim && "dim"].filter(Boolean).join(" ");
      return style === "" ? text : `<${style}>${text}`;
    })
    .join("|");
}

test.each([
  ["plain", "plain"],
  ["\u001b[31mred\u001b[0m not", "<red>red| not"],
  ["\u001b[1;32mok\u001b[22m still", "<green bold>ok|<green> still"],
  ["\u001b[2mdim\u001b[m", "<dim>dim"],
  ["\u001b[94mbright\u001b[39mend", "<blue>bright|end"],
  ["\u001b[38;5;208morange", "<yellow>orange"],
  ["\u001b[38;5;9mred", "<red>red"],
  ["\u001b[38;5;244mgrey", "grey"],
  ["\u001b[38;2;10;200;30mgreen", "<green>green"],
  ["\u001b[38:2:200:10:200mmagenta", "<magenta>magenta"],
  ["\u001b[48;2;1;2;3;31mground", "<red>ground"],
  ["\u009b31mC1", "<red>C1"],
  ["\u001b[30mblack is text", "black is text"],
])("%j", (output, expected) => {
  expect(coloured(output)).toBe(expected);
});

test.each([
  ["\u001b]0;a title\u0007text", "text"],
  ["\u001b]8;;http://attacker.invalid\u001b\\link\u001b]8;;\u001b\\", "link"],
  ["\u001b[2J\u001b[1;1H\u001b[?25lclear", "clear"],
  ["\u001bP1;2|device\u001b\\after", "after"],
  ["10%\r50%\r100%\r\ndone", "100%\ndone"],
  ["not ended\u001b[", "not ended"],
  ["not ended\u001b]0;title\nnext", "not ended\nnext"],
  ["bell\u0007 back\b nul\u0000", "bell\ufffd back\ufffd nul\ufffd"],
  ["\u202egnp.exe", "\ufffdgnp.exe"],
  ["\u001b(Bcharset\u001b=", "charset"],
])("what steers a terminal is taken out of %j", (output, expected) => {
  expect(stripAnsi(output)).toBe(expected);
});

test("no output is garbage, however it is put together", () => {
  const signs = ["\u001b", "[", "]", "3", "8", ";", "5", "m", "P", "\\", "\r", "\n", "a", "\u009b", "\u0007"];
  let seed = 7;
  const next = (): number => (seed = (seed * 48_271) % 2_147_483_647);
  for (let round = 0; round < 3000; round += 1) {
    const text = Array.from({ length: 12 }, () => signs[next() % signs.length] ?? "").join("");
    const shown = parseAnsi(text)
      .map((piece) => piece.text)
      .join("");
    expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u);
    expect(shown).toBe(stripAnsi(text));
  }
});
