/** What a message of a tree says, in parts that can be shown, and what can be done with it. */

import { booleanOf, type Json, numberOf, pretty, recordOf, textOf } from "../../transcript/json";

export type Part =
  | { kind: "text"; text: string }
  | { kind: "thinking"; text: string }
  | { kind: "call"; name: string; parameters: string }
  | { kind: "shell"; command: string; output: string; isBad: boolean }
  | { kind: "summary"; title: string; text: string }
  | { kind: "note"; text: string }
  | { kind: "other"; type: string; json: string };

/** Reads the parts of a message, which anybody may have written. */
export function partsOf(message: unknown): Part[] {
  return blocksOf(message).flatMap(partsOfBlock);
}

function blocksOf(message: unknown): Json[] {
  const { content } = recordOf(message);
  return Array.isArray(content) ? content.map(recordOf) : [];
}

function partsOfBlock(block: Json): Part[] {
  const type = textOf(block.type);
  switch (type) {
    case "text":
      return [{ kind: "text", text: textOf(block.text) }];
    case "thinking":
      return [{ kind: "thinking", text: textOf(block.thinking) }];
    case "tool-use":
      return [{ kind: "call", name: textOf(block.name), parameters: pretty(block.parameters) }];
    case "shell": {
      const isBad = booleanOf(block.cancelled) || (numberOf(block.exitCode) ?? 0) !== 0;
      return [{ kind: "shell", command: textOf(block.command), output: textOf(block.output), isBad }];
    }
    case "compaction":
      return [{ kind: "summary", title: "Compaction", text: textOf(block.summary) }];
    case "branch-summary":
      return [{ kind: "summary", title: "Summary of another branch", text: textOf(block.summary) }];
    case "custom":
      return blocksOf(block).flatMap(partsOfBlock);
    case "image":
      return [{ kind: "note", text: `An image (${textOf(block.mimeType) || "unknown kind"})` }];
    case "empty":
      return [{ kind: "note", text: "Nothing was said." }];
    default:
      return [{ kind: "other", type: type === "" ? "unknown" : type, json: pretty(block) }];
  }
}

/** Who speaks. */
export function roleOf(message: unknown): string {
  return textOf(recordOf(message).role);
}

/** All text of a message, without anything between its blocks: what is edited and cut. */
export function wholeText(message: unknown): string {
  return blocksOf(message)
    .map(({ text }) => textOf(text))
    .join("");
}

/** Whether a message consists of text alone, so that it can be edited and cut; results of tools cannot. */
export function isTextOnly(message: unknown): boolean {
  const blocks = blocksOf(message);
  return roleOf(message) !== "tool" && blocks.length > 0 && blocks.every(({ type }) => type === "text");
}

/**
 * How many Unicode characters stand before a caret. A field counts in halves of what lies beyond the first 65,536; the daemon
 * counts whole characters.
 */
export function charactersBefore(text: string, caret: number): number {
  return Array.from(text.slice(0, caret)).length;
}

/** Whether both halves say something, when a text is cut at a caret. */
export function canCut(text: string, caret: number): boolean {
  return text.slice(0, caret).trim() !== "" && text.slice(caret).trim() !== "";
}

/** A message to append. */
export function saying(
  role: "user" | "assistant",
  text: string,
): { role: string; content: { type: "text"; text: string }[] } {
  return { role, content: [{ type: "text", text }] };
}

/** Whether a message goes on with the text of the one before it, which was cut off there. */
export function isRestOf(
  message: unknown,
  before: { message: unknown; splitSource?: string | null } | undefined,
): boolean {
  return before?.splitSource != null && roleOf(before.message) === roleOf(message);
}
