/** Stepping through a list with the keyboard. */

/** Moves the focus among the things of a list: whatever carries `data-item`. */
export function step(by: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>("main [data-item]")];
  const at = items.findIndex((item) => item.contains(document.activeElement));
  const next = items[at === -1 ? (by === 1 ? 0 : items.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
