/** The page around an exported session: its address, and its keys. */

import { step } from "../shell/steps";

/** The entry that the address names. */
export function addressed(): string {
  const name = location.hash.slice(1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Listens to the keyboard: `/` searches, `j` and `k` step through the conversation, Esc leaves a field; the rest is told. */
export function listenToKeys(keys: Readonly<Record<string, () => void>>): () => void {
  const all = new Map([
    ...Object.entries(keys),
    ["/", () => document.querySelector<HTMLElement>("[data-search]")?.focus()],
    ["j", () => step(1)],
    ["k", () => step(-1)],
  ] as [string, () => void][]);
  const pressed = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const field = event.target instanceof HTMLElement && event.target.matches("input") ? event.target : null;
    if (field !== null) {
      if (event.key === "Escape") field.blur();
      return;
    }
    const act = all.get(event.key);
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}
