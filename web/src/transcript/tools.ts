/** What a tool was asked and what it gave back, as it is shown: pi's own tools as what they are, all others by their names. */

import { languageOf } from "../text/highlight.svelte";
import { things } from "../text/format";
import { oneLine } from "../text/harmless";
import { wordsOf, type ToolCall } from "./blocks";
import { countChanges, diffTexts, parseDiff, type DiffLine } from "./diff";
import type { ToolResult } from "./entry";
import { numberOf, pretty, recordOf, textOf, type Json } from "./json";

export type ToolView =
  | { readonly kind: "shell"; readonly command: string; readonly output: string }
  | { readonly kind: "read"; readonly path: string; readonly text: string; readonly language: string }
  | { readonly kind: "write"; readonly path: string; readonly text: string; readonly language: string }
  | { readonly kind: "edit"; readonly path: string; readonly lines: readonly DiffLine[] }
  | { readonly kind: "search"; readonly output: string }
  | { readonly kind: "other"; readonly asked: string; readonly output: string };

/** Says how a tool's work is shown. Its result may be missing still, or for ever. */
export function viewOf(call: ToolCall, result: ToolResult | undefined): ToolView {
  const { name, arguments: said } = call;
  const output = result === undefined ? "" : wordsOf(result.blocks);
  const path = pathOf(said);
  switch (name) {
    case "bash":
      return { kind: "shell", command: textOf(said.command), output };
    case "read":
      return { kind: "read", path, text: output, language: languageOf(path) };
    case "write":
      return { kind: "write", path, text: textOf(said.content), language: languageOf(path) };
    case "edit":
      return { kind: "edit", path, lines: changesOf(said, result) };
    case "grep":
    case "find":
    case "ls":
      return { kind: "search", output };
    default:
      return { kind: "other", asked: pretty(said), output };
  }
}

/** Something was changed only if the tool says so: what it refused is shown as what was wanted. */
function changesOf(said: Json, result: ToolResult | undefined): DiffLine[] {
  const noted = textOf(result?.details.diff) || textOf(result?.details.patch);
  if (noted !== "") return parseDiff(noted);
  const edits: unknown[] = Array.isArray(said.edits) ? said.edits : [said];
  return edits.flatMap((edit, at) => {
    const { oldText, newText } = recordOf(edit);
    const lines = diffTexts(textOf(oldText), textOf(newText));
    return at === 0 ? lines : [{ sign: "…" as const, number: null, text: "" }, ...lines];
  });
}

function pathOf(said: Json): string {
  return textOf(said.path) || textOf(said.file_path);
}

/** The arguments that say most, the most telling first. */
const TELLING = ["command", "path", "file_path", "pattern", "query", "url"];

/** What a tool was asked, on one line. */
export function titleOf(call: ToolCall): string {
  const { name, arguments: said } = call;
  const path = pathOf(said);
  switch (name) {
    case "read":
      return oneLine(path + rangeOf(said));
    case "grep":
    case "find":
      return oneLine([textOf(said.pattern), path === "" ? "" : `in ${path}`].join(" "));
    default: {
      const telling = TELLING.map((key) => textOf(said[key])).find((text) => text !== "");
      return oneLine((telling ?? pretty(said)).slice(0, 400));
    }
  }
}

function rangeOf(said: Json): string {
  const [from, length] = [numberOf(said.offset), numberOf(said.limit)];
  if (from === null && length === null) return "";
  const first = from ?? 1;
  return length === null ? `:${first}` : `:${first}–${first + length - 1}`;
}

/** What is folded away, in a few words. */
export function gistOf(view: ToolView, result: ToolResult | undefined): string {
  if (result === undefined) return "no result";
  switch (view.kind) {
    case "edit": {
      const { added, removed } = countChanges(view.lines);
      return `+${added} −${removed}`;
    }
    case "read":
    case "write":
      return lengthOf(view.text);
    case "shell":
    case "search":
    case "other":
      return lengthOf(view.output);
  }
}

/** How many lines a text has. */
export function lengthOf(text: string): string {
  if (text.trim() === "" || text === "(no output)") return "empty";
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return things(lines, "line");
}
