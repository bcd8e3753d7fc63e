// How answers, briefings and lessons are put into words for a person or a model.
import type { Answer, Briefing, Source } from "./brain.ts";
import { quote } from "./quote.ts";

export const NOTHING_KNOWN = "Nothing about this was found in earlier sessions.";

export function answerText(answer: Answer): string {
  if (answer.sources.length === 0) return NOTHING_KNOWN;
  const text = quote([
    { name: "lines of the answer", items: paragraphs(answer.answer) },
    {
      name: "sources",
      heading: "Sources, by the numbers in the answer:",
      items: answer.sources.map((source, index) => sourceText(source, index + 1, answer.answer)),
    },
    {
      name: "related nodes",
      heading: "Related units of work:",
      items: answer.relatedNodes.map((node) => `node ${node.id}: ${node.summary}`),
    },
  ]);
  return `${text} The brain's confidence in this answer is ${answer.confidence}.`;
}

export function briefingText(briefing: Briefing): string {
  if (briefing.text.trim() === "") return "Nothing is known about this project yet.";
  return quote([{ name: "lines", items: paragraphs(briefing.text) }]);
}

export function lessonsText(lessons: Briefing["lessons"]): string {
  const items = lessons.map(({ summary, level }) => (level === "" ? `- ${summary}` : `- (${level}) ${summary}`));
  return `Lessons from earlier work in this project.\n\n${quote([{ name: "lessons", items }])}`;
}

function paragraphs(text: string): string[] {
  return text.trim().split("\n");
}

function sourceText(source: Source, number: number, answer: string): string {
  const place = `[${number}] ${source.file}:${source.line} (session ${source.session}, entry ${source.entry})`;
  // Most excerpts are sentences of the answer.
  return answer.includes(source.excerpt) ? place : `${place}\n    ${source.excerpt}`;
}
