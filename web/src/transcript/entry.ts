/**
 * Entries of a session file, as the page shows them. Anybody may have written the file, and pi goes on growing: whatever is
 * damaged, missing or unknown is read as far as it goes, and nothing here throws.
 */

import { blocksOf, type Block } from "./blocks";
import { booleanOf, numberOf, recordOf, textOf, type Json } from "./json";
import { usageOf, type Usage } from "./usage";

/** What every entry has. */
interface Common {
  /** What pi calls it; a damaged line, or an old file, may have none. */
  readonly id: string | null;
  /** When it was written, in milliseconds. */
  readonly time: number | null;
  /** The entry as it stands in the file. */
  readonly raw: unknown;
}

export interface Assistant {
  readonly kind: "assistant";
  readonly blocks: readonly Block[];
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage | null;
  /** Why it ended: stop, length, toolUse, error, aborted … */
  readonly stopReason: string;
  /** What went wrong, if the answer failed. */
  readonly error: string | null;
  readonly milliseconds: number | null;
}

export interface ToolResult {
  readonly kind: "toolResult";
  readonly callId: string;
  readonly tool: string;
  readonly blocks: readonly Block[];
  readonly details: Json;
  readonly isError: boolean;
  readonly milliseconds: number | null;
  readonly usage: Usage | null;
}

export interface Bash {
  readonly kind: "bash";
  readonly command: string;
  readonly output: string;
  readonly exitCode: number | null;
  readonly isCancelled: boolean;
  readonly isTruncated: boolean;
  /** Whether the model was not told. */
  readonly isExcluded: boolean;
}

export interface CustomMessage {
  readonly kind: "customMessage";
  readonly customType: string;
  readonly blocks: readonly Block[];
  /** Whether pi shows it. */
  readonly isShown: boolean;
}

export interface Compaction {
  readonly kind: "compaction";
  readonly summary: string;
  readonly tokensBefore: number | null;
  readonly firstKept: string | null;
  readonly usage: Usage | null;
}

export interface BranchSummary {
  readonly kind: "branchSummary";
  readonly summary: string;
  readonly from: string | null;
  readonly usage: Usage | null;
}

/** What is shown on a thin line: it changes how the session goes on, and says nothing itself. */
export type Setting =
  | { readonly kind: "modelChange"; readonly provider: string; readonly model: string }
  | { readonly kind: "thinkingLevelChange"; readonly level: string }
  | { readonly kind: "label"; readonly target: string; readonly label: string | null }
  | { readonly kind: "sessionInfo"; readonly name: string }
  | { readonly kind: "custom"; readonly customType: string; readonly data: unknown }
  | { readonly kind: "usage"; readonly about: string; readonly model: string; readonly usage: Usage | null }
  | { readonly kind: "contextEdit"; readonly target: string; readonly replacement: readonly Block[] | null };

/** An entry, by what it is. */
export type Entry = Common &
  (
    | { readonly kind: "user"; readonly blocks: readonly Block[] }
    | Assistant
    | ToolResult
    | Bash
    | CustomMessage
    | Compaction
    | BranchSummary
    | Setting
    | { readonly kind: "system"; readonly blocks: readonly Block[]; readonly tools: readonly string[] }
    | { readonly kind: "unknown"; readonly type: string }
  );

export type EntryKind = Entry["kind"];

/** Reads an entry. */
export function readEntry(raw: unknown): Entry {
  const json = recordOf(raw);
  const written = Date.parse(textOf(json.timestamp));
  const common: Common = {
    id: typeof json.id === "string" ? json.id : null,
    time: Number.isNaN(written) ? null : written,
    raw,
  };
  return { ...common, ...readBody(json) };
}

type Body = Entry extends infer E ? (E extends Entry ? Omit<E, keyof Common> : never) : never;

function readBody(json: Json): Body {
  const type = textOf(json.type);
  switch (type) {
    case "message":
      return readMessage(recordOf(json.message));
    case "custom_message":
      return readCustomMessage(json);
    case "compaction":
      return {
        kind: "compaction",
        summary: textOf(json.summary),
        tokensBefore: numberOf(json.tokensBefore),
        firstKept: nameOf(json.firstKeptEntryId),
        usage: usageOf(json.usage),
      };
    case "branch_summary":
      return {
        kind: "branchSummary",
        summary: textOf(json.summary),
        from: nameOf(json.fromId),
        usage: usageOf(json.usage),
      };
    case "model_change":
      return { kind: "modelChange", provider: textOf(json.provider), model: textOf(json.modelId) };
    case "thinking_level_change":
      return { kind: "thinkingLevelChange", level: textOf(json.thinkingLevel) };
    case "label":
      return { kind: "label", target: textOf(json.targetId), label: nameOf(json.label) };
    case "session_info":
      return { kind: "sessionInfo", name: textOf(json.name) };
    case "custom":
      return { kind: "custom", customType: textOf(json.customType), data: json.data };
    case "usage":
      return {
        kind: "usage",
        about: textOf(json.kind),
        model: textOf(json.model),
        usage: usageOf(json.usage),
      };
    case "context_edit":
      return {
        kind: "contextEdit",
        target: textOf(json.targetId),
        replacement: json.replacement == null ? null : blocksOf(recordOf(json.replacement).content),
      };
    default:
      return { kind: "unknown", type };
  }
}

function readMessage(json: Json): Body {
  const role = textOf(json.role);
  switch (role) {
    case "user":
      return { kind: "user", blocks: blocksOf(json.content) };
    case "assistant":
      return {
        kind: "assistant",
        blocks: blocksOf(json.content),
        provider: textOf(json.provider),
        model: textOf(json.model),
        usage: usageOf(json.usage),
        stopReason: textOf(json.stopReason),
        error: nameOf(json.errorMessage),
        milliseconds: numberOf(json.durationMs),
      };
    case "toolResult":
      return {
        kind: "toolResult",
        callId: textOf(json.toolCallId),
        tool: textOf(json.toolName),
        blocks: blocksOf(json.content),
        details: recordOf(json.details),
        isError: booleanOf(json.isError),
        milliseconds: numberOf(json.durationMs),
        usage: usageOf(json.usage),
      };
    case "bashExecution":
      return {
        kind: "bash",
        command: textOf(json.command),
        output: textOf(json.output),
        exitCode: numberOf(json.exitCode),
        isCancelled: booleanOf(json.cancelled),
        isTruncated: booleanOf(json.truncated),
        isExcluded: booleanOf(json.excludeFromContext),
      };
    case "system":
      return {
        kind: "system",
        blocks: [...blocksOf(json.content), ...sectionsOf(json.sections)],
        tools: toolNames(json.toolsAdded),
      };
    // Version 2 called them messages of hooks.
    case "hookMessage":
    case "custom":
      return readCustomMessage(json);
    default:
      return { kind: "unknown", type: role === "" ? "message" : `message of ${role}` };
  }
}

/** What an extension said. Where it is not said whether to show it, pi shows it. */
function readCustomMessage(json: Json): Body {
  return {
    kind: "customMessage",
    customType: textOf(json.customType),
    blocks: blocksOf(json.content),
    isShown: json.display !== false,
  };
}

/** The parts of a system prompt by their names; a part without a text takes away an earlier one. */
function sectionsOf(sections: unknown): Block[] {
  return Object.entries(recordOf(sections)).map(([name, text]) => ({
    kind: "text",
    text: `# ${name}\n${textOf(text) || "(taken away)"}`,
  }));
}

function toolNames(tools: unknown): string[] {
  const names = Array.isArray(tools) ? tools.map((tool) => textOf(recordOf(tool).name)) : [];
  return names.filter((name) => name !== "");
}

/** A text that says something, or nothing. */
function nameOf(value: unknown): string | null {
  const text = textOf(value);
  return text === "" ? null : text;
}
