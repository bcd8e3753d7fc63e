/** Lessons as a block for an AGENTS.md, as `pi-brain lessons --format agents-md` writes it. */

import type { LessonGroup } from "../../api/types";

type Told = Pick<LessonGroup, "level" | "summary" | "actionable" | "count">;

export function agentsMd(lessons: readonly Told[]): string {
  const lines = ["<!-- pi-brain lessons: begin -->", "## Lessons"];
  for (const level of new Set(lessons.map(({ level }) => level))) {
    lines.push("", `### ${level}`, "");
    for (const lesson of lessons.filter((lesson) => lesson.level === level)) {
      const action = lesson.actionable?.trim() ? ` → ${inline(lesson.actionable)}` : "";
      const times = lesson.count > 1 ? ` (${lesson.count}×)` : "";
      lines.push(`- ${inline(lesson.summary)}${action}${times}`);
    }
  }
  lines.push("<!-- pi-brain lessons: end -->");
  return `${lines.join("\n")}\n`;
}

const NAMES: Record<string, string> = { "<": "&lt;", ">": "&gt;", "&": "&amp;" };

/** Text from sessions on one line, so that nothing in it is taken for a mark. */
export function inline(text: string): string {
  const escaped = text
    // Escape sequences, and characters that cannot be seen or turn the text around.
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, "")
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/gu, " ")
    .trim()
    .replace(/[<>&]/gu, (character) => NAMES[character] ?? "")
    .replace(/[\\`*_[\]|~#$!]/gu, String.raw`\$&`);
  return escaped.replace(/^[-+=]/u, String.raw`\$&`).replace(/^(\d+)([.)])/u, String.raw`$1\$2`);
}
