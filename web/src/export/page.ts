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

/** Listens to the keyboard: `/` searches, `j` and `k` step through the conversation, Esc leaves a field or closes the tree. */
export function listenToKeys(close: () => void): () => void {
  const pressed = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const field = event.target instanceof HTMLElement && event.target.matches("input, select");
    if (event.key === "Escape") {
      if (field) event.target.blur();
      else close();
    } else if (!field && event.key === "/") {
      event.preventDefault();
      document.querySelector<HTMLElement>("[data-search]")?.focus();
    } else if (!field && event.key === "j") step(1);
    else if (!field && event.key === "k") step(-1);
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}
