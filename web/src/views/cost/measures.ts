/** What can be looked at, and how it is written. */

import { count, dollars, minutes } from "../../text/format";
import type { Measure } from "./series";

export const MEASURES: readonly { value: Measure; title: string }[] = [
  { value: "cost", title: "Cost" },
  { value: "tokens", title: "Tokens" },
  { value: "time", title: "Time" },
  { value: "nodes", title: "Units of work" },
];

export function written(measure: Measure, value: number): string {
  switch (measure) {
    case "cost":
      return dollars(value);
    case "tokens":
    case "nodes":
      return count(value);
    case "time":
      return value === 0 ? "0" : minutes(value);
  }
}
