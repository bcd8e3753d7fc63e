/** How a number of this week stands to that of the week before. */

export interface Trend {
  readonly direction: "up" | "down" | "same";
  /** In a few signs: `+12 %`, `×3`, `new`. */
  readonly text: string;
}

/** Changes of less than this are none worth a word. */
const SLIGHT = 0.03;

export function compare(current: number, before: number): Trend {
  if (before === 0) {
    return current === 0 ? { direction: "same", text: "as before" } : { direction: "up", text: "new" };
  }
  const change = current / before - 1;
  if (Math.abs(change) < SLIGHT) return { direction: "same", text: "as before" };
  const direction = change > 0 ? "up" : "down";
  if (change >= 2)
    return { direction, text: `×${(current / before).toFixed(current / before < 10 ? 1 : 0)}` };
  return { direction, text: `${change > 0 ? "+" : "−"}${Math.max(1, Math.round(Math.abs(change) * 100))} %` };
}
