/** Names for what the daemon answers with, taken from the questions that give them. */

import type { Answer } from "./client";

/** The members of a list. */
type Item<T> = T extends { items: (infer I)[] } ? I : never;

export type NodeRow = Item<Answer<"get", "/api/v1/nodes">>;
export type NodeShown = Answer<"get", "/api/v1/nodes/{id}">;
export type BrainNode = NodeShown["node"];
export type SessionRow = Item<Answer<"get", "/api/v1/sessions">>;
export type SessionDetail = Answer<"get", "/api/v1/sessions/{session}">;
export type TreeEntry = Item<Answer<"get", "/api/v1/sessions/{session}/tree">>;
export type WholeEntry = Item<Answer<"get", "/api/v1/sessions/{session}/entries">>;
export type Hit = Answer<"get", "/api/v1/search">["results"][number];
export type LessonGroup = Item<Answer<"get", "/api/v1/lessons">>;
export type DecisionRow = Item<Answer<"get", "/api/v1/decisions">>;
export type ErrorGroup = Item<Answer<"get", "/api/v1/errors">>;
export type ModelSpending = Item<Answer<"get", "/api/v1/models">>;
export type ProjectRow = Item<Answer<"get", "/api/v1/projects">>;
