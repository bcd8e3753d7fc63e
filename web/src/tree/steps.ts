/** What the keyboard does in a tree. */

import type { Drawn } from "./drawing";

export type Step =
  | { readonly kind: "move"; readonly to: number }
  | { readonly kind: "fold"; readonly line: number; readonly isFolded: boolean }
  | { readonly kind: "select"; readonly line: number };

/** How many lines a page is. */
const PAGE = 15;

/** Says what a key does at a line of the drawing, named by its place; nothing, if it does nothing. */
export function stepFor(key: string, lines: readonly Drawn[], at: number): Step | undefined {
  const move = (to: number): Step => ({ kind: "move", to: Math.max(0, Math.min(lines.length - 1, to)) });
  const here = lines[at];
  if (lines.length === 0) return undefined;
  if (here === undefined) return move(0);
  switch (key) {
    case "ArrowDown":
    case "j":
      return move(at + 1);
    case "ArrowUp":
    case "k":
      return move(at - 1);
    case "PageDown":
      return move(at + PAGE);
    case "PageUp":
      return move(at - PAGE);
    case "Home":
      return move(0);
    case "End":
      return move(lines.length - 1);
    case "ArrowRight":
      return here.folded > 0 ? { kind: "fold", line: here.row.line, isFolded: false } : move(at + 1);
    case "ArrowLeft":
      return leftFrom(lines, at, here, move);
    case "Enter":
    case " ":
      return { kind: "select", line: here.row.line };
    default:
      return undefined;
  }
}

/** To the left: folds a branch, else leads to where it begins, and from there to what it left. */
function leftFrom(
  lines: readonly Drawn[],
  at: number,
  here: Drawn,
  move: (to: number) => Step,
): Step | undefined {
  const placeOf = (line: number | null): number => lines.findIndex(({ row }) => row.line === line);
  const hasMore = (lines[at + 1]?.head ?? null) === here.head || lines[at + 1]?.above === here.row.line;
  if (here.isHead && here.folded === 0 && hasMore)
    return { kind: "fold", line: here.row.line, isFolded: true };
  const to = placeOf(here.isHead ? here.above : here.head);
  return to === -1 || to === at ? undefined : move(to);
}
