/** What lessons are narrowed down by, between the address and the daemon. */

import type { Query } from "../../api/client";

export type LessonQuery = Query<"get", "/api/v1/lessons">;
type Level = NonNullable<LessonQuery["level"]>;
type Sureness = NonNullable<LessonQuery["confidence"]>;

export const LEVELS: readonly { value: Level; title: string }[] = [
  { value: "project", title: "Projects" },
  { value: "task", title: "Tasks" },
  { value: "user", title: "The user" },
  { value: "model", title: "Models" },
  { value: "tool", title: "Tools" },
  { value: "skill", title: "Skills" },
  { value: "subagent", title: "Subagents" },
];

export const SURENESS: readonly { value: Sureness; title: string }[] = [
  { value: "high", title: "High confidence" },
  { value: "medium", title: "Medium confidence" },
  { value: "low", title: "Low confidence" },
];

/** What the daemon would not understand is left out: an address may say anything. */
export function lessonQuery(said: URLSearchParams): LessonQuery {
  const [q, project, model] = ["q", "project", "model"].map((name) => said.get(name));
  const level = LEVELS.find(({ value }) => value === said.get("level"))?.value;
  const confidence = SURENESS.find(({ value }) => value === said.get("confidence"))?.value;
  return {
    ...(q && { q }),
    ...(project && { project }),
    ...(model && { model }),
    ...(level && { level }),
    ...(confidence && { confidence }),
  };
}
