/** Settings as a form: what stands in a field, and what is said to the daemon, which knows what is right. */

import type { Setting } from "./types";

export type Kind = "choice" | "number" | "text" | "list";

/** What a field for a setting is: it follows from what holds, would hold, or could be said. */
export function kindOf({ value, default: usual, example }: Setting): Kind {
  const written = value ?? usual ?? example ?? "";
  if (written === "true" || written === "false") return "choice";
  if (/^[+-]?[\d_]+(?:\.\d+)?$/u.test(written)) return "number";
  return written.startsWith("[") ? "list" : "text";
}

/** What stands in the field: a text without its quotes. */
export function shown(written: string | null | undefined): string {
  if (written == null) return "";
  if (!written.startsWith('"')) return written;
  try {
    return String(JSON.parse(written));
  } catch {
    return written;
  }
}

/** What the daemon is told, as its file writes it. A field that is empty says nothing, and then the default holds. */
export function said(setting: Setting, field: string): string | null {
  const text = field.trim();
  if (text === "") return null;
  return kindOf(setting) === "text" ? JSON.stringify(text) : text;
}

/** What stands in the fields of all settings. */
export function fieldsOf(settings: readonly Setting[]): Record<string, string> {
  return Object.fromEntries(
    settings.map((setting) => [setting.key, setting.isSet ? shown(setting.value) : ""]),
  );
}

/** The settings whose fields say something else than the file. */
export function changed(settings: readonly Setting[], fields: Readonly<Record<string, string>>): Setting[] {
  const before = fieldsOf(settings);
  return settings.filter(
    ({ key, isOpen }) => isOpen && (fields[key] ?? "").trim() !== (before[key] ?? "").trim(),
  );
}

/** A group of settings, such as `budget`. */
export interface Group {
  readonly name: string;
  readonly settings: Setting[];
}

/** Puts settings together by their groups, in the order in which they come. */
export function grouped(settings: readonly Setting[]): Group[] {
  const groups = new Map<string, Setting[]>();
  for (const setting of settings) {
    const name = setting.key.includes(".") ? setting.key.slice(0, setting.key.lastIndexOf(".")) : "sessions";
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [setting]);
    else group.push(setting);
  }
  return [...groups].map(([name, members]) => ({ name, settings: members }));
}

/** How a setting is changed that only the terminal may change. */
export function commandFor({ key, example, default: usual }: Setting): string {
  return `pi-brain config set ${key} ${shown(example ?? usual) || "VALUE"}`;
}
