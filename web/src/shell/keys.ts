/** What the keyboard does everywhere. Views add their own keys with {@link onKeys}. */

import { place } from "../place/place.svelte";
import { step } from "./steps";

/** Where `g` and a letter lead. */
export const DESTINATIONS: readonly { letter: string; path: string; title: string }[] = [
  { letter: "h", path: "/", title: "Home" },
  { letter: "f", path: "/search", title: "Search" },
  { letter: "s", path: "/sessions", title: "Sessions" },
  { letter: "g", path: "/graph", title: "Graph" },
  { letter: "l", path: "/lessons", title: "Lessons" },
  { letter: "d", path: "/decisions", title: "Decisions" },
  { letter: "e", path: "/errors", title: "Errors" },
  { letter: "m", path: "/models", title: "Models" },
  { letter: "c", path: "/cost", title: "Cost and activity" },
  { letter: "t", path: "/forest", title: "Forest" },
  { letter: "y", path: "/system", title: "System" },
];

/** How long `g` waits for its letter. */
const PATIENCE = 1500;

/** Keys of a view: what is pressed, such as `n` or `Shift+N`, and what it does. */
export type Keys = Record<string, (event: KeyboardEvent) => void>;

/** What the keys of a view do, in words, for whoever asks with `?`. */
export type Meanings = Readonly<Record<string, string>>;

const added: { keys: Keys; meanings: Meanings }[] = [];

/** Adds keys while a view is shown; returns how to take them away. Use it as `$effect(() => onKeys({…}))`. */
export function onKeys(keys: Keys, meanings: Meanings = {}): () => void {
  const mine = { keys, meanings };
  added.push(mine);
  return () => void added.splice(added.indexOf(mine), 1);
}

/** What the keys do that only the present view has. */
export function meaningsHere(): [string, string][] {
  return added.flatMap(({ meanings }) => Object.entries(meanings));
}

/** Listens to the keyboard. `help` shows what can be pressed, `close` puts away whatever is open. */
export function listen(help: () => void, close: () => void): () => void {
  let prefixed = 0;
  const pressed = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape") return leave(event, close);
    if (isTyping(event.target)) return;
    if (Date.now() - prefixed < PATIENCE) {
      prefixed = 0;
      const destination = DESTINATIONS.find(({ letter }) => letter === event.key);
      if (destination !== undefined) return act(event, () => place.go(destination.path));
    }
    const own = added.findLast(({ keys }) => event.key in keys)?.keys[event.key];
    if (own !== undefined) return act(event, () => own(event));
    switch (event.key) {
      case "g":
        prefixed = Date.now();
        return;
      case "/":
        return act(event, focusSearch);
      case "?":
        return act(event, help);
      case "j":
        return act(event, () => step(1));
      case "k":
        return act(event, () => step(-1));
    }
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}

function act(event: KeyboardEvent, action: () => void): void {
  event.preventDefault();
  action();
}

/** Leaves a field first; what is open is put away by the next press. */
function leave(event: KeyboardEvent, close: () => void): void {
  if (isTyping(event.target) && event.target instanceof HTMLElement) event.target.blur();
  else close();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"))
  );
}

/** Goes to the field for searching on this view, or to the view for searching. */
function focusSearch(): void {
  const field = document.querySelector<HTMLElement>("[data-search]");
  if (field === null) place.go("/search");
  else field.focus();
}
