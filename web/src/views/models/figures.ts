/** Models in figures. */

import type { Answer } from "../../api/client";

type DayRow = Pick<Answer<"get", "/api/v1/timeseries">[number], "parts">;

export function modelName({ provider, model }: { provider: string; model: string }): string {
  return `${provider}/${model}`;
}

/** How often tool calls failed; one failure in a hundred answers is as much as one in ten of ten. */
export function errorRate({ toolErrors, answers }: { toolErrors: number; answers: number }): string {
  if (toolErrors === 0) return "no tool errors";
  if (answers === 0) return `${toolErrors} tool errors`;
  const rate = (toolErrors / answers) * 100;
  return `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} tool errors in 100 answers`;
}

/** Which part of everything it cost. */
export function share(cost: number, total: number): string {
  if (cost <= 0 || total <= 0) return "";
  const percent = (cost / total) * 100;
  return percent < 1 ? "(under 1 %)" : `(${Math.round(percent)} %)`;
}

/** Answers of a model week by week, the oldest first. */
export function weekly(days: readonly DayRow[], name: string): number[] {
  const weeks: number[] = [];
  days.forEach(({ parts }, at) => {
    const week = Math.floor(at / 7);
    weeks[week] = (weeks[week] ?? 0) + (parts?.[name]?.answers ?? 0);
  });
  return weeks;
}
