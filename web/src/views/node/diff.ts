/** What differs between two versions of a unit of work, in words. */

import type { Answer } from "../../api/client";
import { recordOf, textOf } from "../../transcript/json";

type FieldChange = Answer<"get", "/api/v1/nodes/{id}/diff">["changes"][number];

export interface Difference {
  readonly kind: FieldChange["type"];
  /** What it is about: a decision, the outcome, a tag. */
  readonly about: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Says what differs. What only follows from it, such as which line proves what, is left out. */
export function differences(changes: readonly FieldChange[]): Difference[] {
  return changes
    .filter(({ path }) => !IMPLIED.test(path))
    .map(({ path, type, oldValue, newValue }) => ({
      kind: type,
      about: nameOf(path),
      before: oldValue === undefined ? undefined : sayValue(oldValue),
      after: newValue === undefined ? undefined : sayValue(newValue),
    }));
}

const IMPLIED =
  /^(ext\.(evidence|trigger|feedback|schemaVersion)|source\.(sessionFile|computer)|daemonMeta\.analysisLog)/u;

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^content\.summary/u, "Summary"],
  [/^content\.outcome/u, "Outcome"],
  [/^content\.keyDecisions\[\d+\]\.why/u, "Reason of a decision"],
  [/^content\.keyDecisions\[\d+\]\.alternatives/u, "Alternative to a decision"],
  [/^content\.keyDecisions/u, "Decision"],
  [/^content\.errorsSeen/u, "Error"],
  [/^content\.filesTouched/u, "File"],
  [/^content\.toolsUsed/u, "Tool"],
  [/^classification\.type/u, "Type"],
  [/^classification\.project/u, "Project"],
  [/^classification\.isNewProject/u, "Whether the project is new"],
  [/^classification\.hadClearGoal/u, "Whether the goal was clear"],
  [/^classification\.language/u, "Language"],
  [/^classification\.frameworks/u, "Framework"],
  [/^semantic\.tags/u, "Tag"],
  [/^semantic\.topics/u, "Topic"],
  [/^semantic\.concepts/u, "Concept"],
  [/^semantic\.relatedProjects/u, "Related project"],
  [/^metadata\.tokensUsed/u, "Tokens"],
  [/^metadata\.cost/u, "Cost"],
  [/^metadata\.durationMinutes/u, "Minutes"],
  [/^metadata\.analyzerVersion/u, "Rules or prompt"],
  [/^observations\.promptingWins/u, "What worked in asking"],
  [/^observations\.promptingFailures/u, "What did not work in asking"],
  [/^observations\.modelQuirks/u, "Quirk of a model"],
  [/^observations\.toolUseErrors/u, "Tool error"],
  [/^observations\.modelsUsed/u, "Model"],
  [/^daemonMeta\.decisions/u, "Doubt"],
  [/^source\.segment\.endEntryId/u, "Last line"],
  [/^source\.segment\.entryCount/u, "Number of lines"],
  [/^ext\.goal/u, "Goal"],
  [/^ext\.filesModified/u, "File that was changed"],
  [/^ext\.filesRead/u, "File that was read"],
  [/^ext\.toolCounts/u, "Calls of a tool"],
  [/^ext\.activeMinutes/u, "Active minutes"],
  [/^ext\.analyzer/u, "Analysed by"],
  [/^ext\.signals/u, "How it went"],
];

function nameOf(path: string): string {
  const level = /^lessons\.(\w+)/u.exec(path)?.[1];
  if (level !== undefined) return `Lesson about the ${level}`;
  return NAMES.find(([pattern]) => pattern.test(path))?.[1] ?? path;
}

/** Says a value as people do: a decision by what was decided, an error by its message. */
export function sayValue(value: unknown): string {
  if (value === null) return "nothing";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return String(Math.round(value * 100) / 100);
  if (typeof value === "string") return value === "" ? "nothing" : value;
  if (Array.isArray(value)) return value.length === 0 ? "nothing" : value.map(sayValue).join(", ");
  const json = recordOf(value);
  const [what, why] = [textOf(json.what), textOf(json.why)];
  if (what !== "") return why === "" ? what : `${what}, because ${why}`;
  if (typeof json.tool === "string") return [json.tool, textOf(json.errorType)].filter(Boolean).join(": ");
  if (typeof json.message === "string") return [textOf(json.type), json.message].filter(Boolean).join(": ");
  const told = [json.summary, json.observation, json.decision, json.model].find(
    (text) => typeof text === "string",
  );
  return textOf(told) === "" ? JSON.stringify(value) : textOf(told);
}

/** Why a version was made. */
export function because(trigger: string): string {
  const reasons: Record<string, string> = {
    initial: "the work was over",
    segment_extended: "the work went on",
    prompt_update: "a model read it, or rules have changed",
    connection_found: "what it has to do with other work was found",
    user_feedback: "you corrected it",
    schema_migration: "the format has changed",
  };
  return reasons[trigger] ?? trigger;
}
