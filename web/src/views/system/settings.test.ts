import { expect, test } from "vitest";

import { changed, commandFor, fieldsOf, grouped, kindOf, said, shown } from "./settings";
import type { Setting } from "./types";

function setting(key: string, rest: Partial<Setting> = {}): Setting {
  return { key, about: "", value: null, isSet: false, default: null, example: null, isOpen: true, ...rest };
}

test("a field follows from what holds", () => {
  expect(kindOf(setting("a", { default: "8765" }))).toBe("number");
  expect(kindOf(setting("a", { example: "0.5" }))).toBe("number");
  expect(kindOf(setting("a", { value: "true" }))).toBe("choice");
  expect(kindOf(setting("a", { default: "[]" }))).toBe("list");
  expect(kindOf(setting("a", { default: '"30 3 * * *"' }))).toBe("text");
});

test("a text loses its quotes in the field and gets them back", () => {
  const link = setting("schedule.link", { value: '"30 3 * * *"', isSet: true });
  expect(shown(link.value)).toBe("30 3 * * *");
  expect(said(link, "never")).toBe('"never"');
  expect(said(link, 'say "hi"')).toBe(String.raw`"say \"hi\""`);
  expect(shown('"broken')).toBe('"broken');
});

test("an empty field takes a setting out; numbers and lists go as they are", () => {
  expect(said(setting("a", { default: "1" }), "  ")).toBeNull();
  expect(said(setting("a", { default: "1" }), " -3 ")).toBe("-3");
  expect(said(setting("a", { default: "[]" }), '["/x/**"]')).toBe('["/x/**"]');
});

test("only what differs from the file, and may be changed, counts as changed", () => {
  const all = [
    setting("daemon.port", { value: "8765", default: "8765" }),
    setting("daemon.workers", { value: "3", isSet: true, default: "2" }),
    setting("analysis.by", { value: '"none"', isOpen: false }),
  ];
  const fields = fieldsOf(all);
  expect(fields).toEqual({ "daemon.port": "", "daemon.workers": "3", "analysis.by": "" });
  expect(changed(all, fields)).toEqual([]);
  const keys = (more: Record<string, string>): string[] =>
    changed(all, { ...fields, ...more }).map(({ key }) => key);
  expect(keys({ "daemon.workers": "" })).toEqual(["daemon.workers"]);
  expect(keys({ "daemon.port": "9000", "analysis.by": "pi" })).toEqual(["daemon.port"]);
});

test("settings stand in their groups", () => {
  const groups = grouped([
    setting("exclude"),
    setting("analysis.by"),
    setting("analysis.pi.model"),
    setting("analysis.days"),
  ]);
  expect(groups.map(({ name, settings }) => [name, settings.length])).toEqual([
    ["sessions", 1],
    ["analysis", 2],
    ["analysis.pi", 1],
  ]);
});

test("what only the terminal may change is told with its command", () => {
  const model = setting("analysis.pi.model", { example: '"claude-haiku-4-5"' });
  expect(commandFor(model)).toBe("pi-brain config set analysis.pi.model claude-haiku-4-5");
  expect(commandFor(setting("sources"))).toBe("pi-brain config set sources VALUE");
});
