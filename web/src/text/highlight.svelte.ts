/** Colours for code, which come when code is first shown: what is shown already is then shown anew. */

import type { Highlighter } from "./markdown";

class Colours {
  #highlighter = $state.raw<Highlighter | undefined>();
  #isAsked = false;

  /** The highlighter, as soon as it is there. */
  get highlighter(): Highlighter | undefined {
    return this.#highlighter;
  }

  /** Sees to it that it comes. Without it, code is shown in one colour. */
  ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    import("./languages").then(
      ({ highlight }) => (this.#highlighter = highlight),
      () => (this.#isAsked = false),
    );
  }
}

export const colours = new Colours();

/** Files whose name says what they are, where its ending does not. */
const BY_NAME = new Map([
  ["dockerfile", "dockerfile"],
  ["containerfile", "dockerfile"],
  ["makefile", "makefile"],
  ["justfile", "makefile"],
  [".bashrc", "bash"],
  [".zshrc", "bash"],
  [".gitconfig", "ini"],
  [".editorconfig", "ini"],
  ["cargo.lock", "ini"],
]);

/** Guesses the language of a file by its name; endings are names that the highlighter knows. */
export function languageOf(path: string): string {
  const name = path.toLowerCase().split(/[/\\]/u).at(-1) ?? "";
  const ending = /\.([a-z0-9]+)$/u.exec(name)?.[1] ?? "";
  return BY_NAME.get(name) ?? ending;
}
