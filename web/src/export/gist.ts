/** One line for an entry: how it begins. The same words as in the terminal. */

import { oneLine } from "../text/harmless";
import { stripAnsi } from "../transcript/ansi";
import { callsOf, wordsOf, type Block } from "../transcript/blocks";
import type { Entry } from "../transcript/entry";
import { titleOf } from "../transcript/tools";

/** No line is wider than this, and nothing beyond it is looked at. */
const WIDEST = 300;

export function gistOf(entry: Entry): string {
  return oneLine(begin(entry).slice(0, WIDEST * 2)).slice(0, WIDEST);
}

function begin(entry: Entry): string {
  switch (entry.kind) {
    case "user":
    case "customMessage":
    case "system":
      return beginOf(entry.blocks);
    case "assistant":
      return beginOf(entry.blocks).trim() || callsIn(entry.blocks) || (entry.error ?? "");
    case "toolResult":
      return `${entry.tool}: ${stripAnsi(beginOf(entry.blocks))}`;
    case "bash":
      return `$ ${entry.command}`;
    case "compaction":
    case "branchSummary":
      return entry.summary;
    case "modelChange":
      return `${entry.provider}/${entry.model}`;
    case "thinkingLevelChange":
      return entry.level;
    case "label":
      return `${entry.label ?? "(cleared)"} on ${entry.target}`;
    case "sessionInfo":
      return entry.name;
    case "custom":
      return entry.customType;
    case "usage":
      return `${entry.about} ${entry.model}`;
    case "contextEdit":
      return `of ${entry.target}`;
    case "unknown":
      return entry.type;
  }
}

function beginOf(blocks: readonly Block[]): string {
  const text = wordsOf(blocks.slice(0, 3));
  return text.slice(0, WIDEST * 4).trimStart();
}

function callsIn(blocks: readonly Block[]): string {
  return callsOf(blocks)
    .slice(0, 5)
    .map((call) => `→ ${call.name} ${titleOf(call)}`)
    .join("  ");
}
