/** Light or dark: as the system says, unless somebody chose. */

export type Theme = "system" | "light" | "dark";

const KEY = "pi-brain-theme";
const THEMES: readonly Theme[] = ["system", "light", "dark"];

class ThemeChoice {
  #theme = $state<Theme>(remembered());

  constructor() {
    this.#apply();
  }

  get theme(): Theme {
    return this.#theme;
  }

  choose(theme: Theme): void {
    this.#theme = theme;
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Where nothing may be kept, such as in a file inside a frame, the choice holds as long as the page.
    }
    this.#apply();
  }

  /** Goes on to the next one. */
  turn(): void {
    this.choose(THEMES[(THEMES.indexOf(this.#theme) + 1) % THEMES.length] ?? "system");
  }

  #apply(): void {
    if (this.#theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.#theme;
  }
}

function remembered(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === kept) ?? "system";
  } catch {
    return "system";
  }
}

export const theme = new ThemeChoice();
