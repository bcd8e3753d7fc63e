/** What answers took: tokens, and dollars. */

import { numberOf, recordOf } from "./json";

export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** All tokens. */
  readonly total: number;
  /** Dollars. */
  readonly cost: number;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0, cost: 0 };

/** Reads what is said about usage; nothing, if nothing is said. */
export function usageOf(value: unknown): Usage | null {
  const json = recordOf(value);
  if (Object.keys(json).length === 0) return null;
  const [input, output, cacheRead, cacheWrite] = [
    json.input,
    json.output,
    json.cacheRead,
    json.cacheWrite,
  ].map((number) => numberOf(number) ?? 0) as [number, number, number, number];
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    total: numberOf(json.totalTokens) ?? input + output + cacheRead + cacheWrite,
    cost: numberOf(recordOf(json.cost).total) ?? 0,
  };
}

export function addUsage(one: Usage, other: Usage | null): Usage {
  if (other === null) return one;
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    total: one.total + other.total,
    cost: one.cost + other.cost,
  };
}
