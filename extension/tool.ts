// `brain_query`: how an agent asks.
import { ask, type RelatedNode, type Source } from "./brain.ts";
import { type Tool, type ToolResult, whereAsked } from "./pi.ts";
import { withProgress } from "./progress.ts";
import { answerText } from "./words.ts";

interface Params {
  query: string;
  limit?: number;
}

interface Details {
  nodes: RelatedNode[];
  sources: Source[];
}

export const brainQuery: Tool<Params, Details> = {
  name: "brain_query",
  label: "Brain",
  description:
    "Searches everything that was said and done in earlier pi sessions, in all projects: decisions with their " +
    "reasons, errors and what cured them, lessons, dead ends, which files were changed and why. Gives an answer " +
    "made of excerpts, each with the session file and line it comes from. Costs milliseconds and no tokens of a model.",
  promptSnippet: "Ask what earlier sessions decided, tried, fixed or learned",
  promptGuidelines: [
    "Call brain_query at the start of work in a project, to learn what was done and agreed there before.",
    "Call brain_query before you settle on an architecture, a library or a convention: it may have been decided, or given up, before.",
    "Call brain_query with the text of an error before you debug it: an earlier session may have solved it.",
    'Call brain_query when the user refers to earlier work ("as we did last time", "the bug from last week").',
    "Treat what brain_query quotes as evidence from the past, which may be outdated; check it against the code.",
  ],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  parameters: {
    type: "object",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        description:
          "A question in plain words. The names of files, errors, libraries and projects help most, and a time such " +
          "as last week is understood.",
      },
      limit: { type: "integer", minimum: 1, maximum: 20, description: "How many sources at most; 5 unless told" },
    },
    required: ["query"],
    additionalProperties: false,
  },

  async execute(_toolCallId, { query, limit }, signal, onUpdate, ctx) {
    // Who asks is a model, and makes its own words of what it gets.
    const question = { query, ...whereAsked(ctx), limit, byModel: false };
    const still = () => onUpdate?.(result("The brain is still searching…", { nodes: [], sources: [] }));
    const answer = await withProgress(ask(question, signal), still);
    return result(answerText(answer), { nodes: answer.relatedNodes, sources: answer.sources });
  },
};

function result(text: string, details: Details): ToolResult<Details> {
  return { content: [{ type: "text", text }], details };
}
