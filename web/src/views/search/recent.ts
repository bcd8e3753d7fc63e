/** What was searched for lately, on this machine only. */

const KEY = "pi-brain-searches";
const MOST = 8;

export function recentSearches(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((query) => typeof query === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** Remembers a search, the last one first. What it only goes on from, as one types, is forgotten for it. */
export function rememberSearch(query: string): void {
  const wanted = query.trim();
  if (wanted === "") return;
  const others = recentSearches().filter((known) => !wanted.startsWith(known));
  localStorage.setItem(KEY, JSON.stringify([wanted, ...others].slice(0, MOST)));
}

export function forgetSearches(): void {
  localStorage.removeItem(KEY);
}
