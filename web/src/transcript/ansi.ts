/** Output of terminals: colours become names of colours, everything else that steers a terminal is taken out. */

import { harmless } from "../text/harmless";

export type Colour = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

export interface Style {
  readonly colour: Colour | null;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

export interface Piece extends Style {
  readonly text: string;
}

const PLAIN: Style = { colour: null, isBold: false, isDim: false };

/** The colours 0 to 7. Black, white and grey are the page's own text, which can be read on its ground. */
const BASIC: readonly (Colour | null)[] = [null, "red", "green", "yellow", "blue", "magenta", "cyan", null];

/**
 * What steers a terminal: sequences that set something (CSI), that carry a text (OSC, DCS and the like), and short ones. What
 * is not ended is taken out up to the end of its line.
 */
const SEQUENCE =
  /(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~]?)|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/gu;

/** Reads a terminal's output into pieces of one style each. */
export function parseAnsi(output: string): Piece[] {
  const text = lastWritten(output);
  const pieces: Piece[] = [];
  let style = PLAIN;
  let from = 0;
  const take = (to: number): void => {
    if (to > from) pieces.push({ ...style, text: harmless(text.slice(from, to)) });
  };
  for (const sequence of text.matchAll(SEQUENCE)) {
    take(sequence.index);
    from = sequence.index + sequence[0].length;
    if (sequence[2] === "m") style = restyled(style, sequence[1] ?? "");
  }
  take(text.length);
  return pieces;
}

/** The same without styles. */
export function stripAnsi(output: string): string {
  return harmless(lastWritten(output).replace(SEQUENCE, ""));
}

/** Programs that report progress write a line again and again: what stood there last is what was seen. */
function lastWritten(output: string): string {
  const text = output.replaceAll("\r\n", "\n");
  if (!text.includes("\r")) return text;
  return text
    .split("\n")
    .map((line) => line.split("\r").findLast((part) => part !== "") ?? "")
    .join("\n");
}

function restyled(before: Style, said: string): Style {
  const codes = said.split(/[;:]/u).map((code) => (code === "" ? 0 : Number(code)));
  let style = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) style = PLAIN;
    else if (code === 1) style = { ...style, isBold: true };
    else if (code === 2) style = { ...style, isDim: true };
    else if (code === 22) style = { ...style, isBold: false, isDim: false };
    else if (code >= 30 && code <= 37) style = { ...style, colour: BASIC[code - 30] ?? null };
    else if (code >= 90 && code <= 97) style = { ...style, colour: BASIC[code - 90] ?? null };
    else if (code === 39) style = { ...style, colour: null };
    else if (code === 38 || code === 48) {
      const isIndexed = codes[at + 1] === 5;
      const [red = 0, green = 0, blue = 0] = codes.slice(at + 2, at + 5);
      if (code === 38) style = { ...style, colour: isIndexed ? ofIndex(red) : nearest(red, green, blue) };
      at += isIndexed ? 2 : 4;
    }
  }
  return style;
}

function ofIndex(index: number): Colour | null {
  if (index < 16) return BASIC[index % 8] ?? null;
  if (index > 231) return null;
  const cube = index - 16;
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40);
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

/** The named colour that is nearest in hue; what is hardly coloured is the page's own text. */
function nearest(red: number, green: number, blue: number): Colour | null {
  const most = Math.max(red, green, blue);
  if (most - Math.min(red, green, blue) < 50) return null;
  const isHigh = (part: number): boolean => part > most * 0.5;
  if (isHigh(red)) return isHigh(green) ? "yellow" : isHigh(blue) ? "magenta" : "red";
  if (isHigh(green)) return isHigh(blue) ? "cyan" : "green";
  return "blue";
}
