/** An entry as a quotation: who says it, and what. */

import { harmless } from "../../text/harmless";
import { callsOf, wordsOf, type Block } from "../../transcript/blocks";
import { readEntry, type Entry } from "../../transcript/entry";

export interface Quote {
  readonly who: string;
  readonly text: string;
}

/** Longer texts are read in the session. */
const LONGEST = 700;

export function quoteOf(raw: unknown): Quote {
  const { who, text } = tell(readEntry(raw));
  const whole = harmless(text).trim();
  return { who, text: whole.length <= LONGEST ? whole : `${whole.slice(0, LONGEST)}…` };
}

function tell(entry: Entry): Quote {
  switch (entry.kind) {
    case "user":
      return { who: "You", text: wordsOf(entry.blocks) };
    case "assistant":
      return { who: "Model", text: [saidBy(entry.blocks), entry.error ?? ""].filter(Boolean).join("\n") };
    case "toolResult":
      return { who: entry.isError ? `${entry.tool} failed` : entry.tool, text: wordsOf(entry.blocks) };
    case "bash":
      return { who: "You ran", text: `$ ${entry.command}\n${entry.output}` };
    case "customMessage":
      return { who: "Extension", text: wordsOf(entry.blocks) };
    case "compaction":
      return { who: "Compaction", text: entry.summary };
    case "branchSummary":
      return { who: "Summary of a branch", text: entry.summary };
    default:
      return { who: entry.kind === "unknown" ? entry.type : "Setting", text: "" };
  }
}

/** What a model says; where it says nothing, what it does. */
function saidBy(blocks: readonly Block[]): string {
  const words = wordsOf(blocks);
  const calls = callsOf(blocks).map((call) => `${call.name} ${JSON.stringify(call.arguments)}`);
  return words === "" ? calls.join("\n") : words;
}
