/** What nodes are coloured by. A group has a shape besides its colour, for those who cannot tell colours apart. */

import { projectName } from "../../text/format";
import type { DrawnNode } from "./graph";

export type ColourBy = "project" | "type" | "outcome" | "time";

export const SHAPES = ["circle", "square", "diamond", "triangle", "ring"] as const;
export type Shape = (typeof SHAPES)[number];

/** How many colours there are, and how many groups are told apart: those of one colour have different shapes. */
const HUES = 8;
export const MOST_GROUPS = 16;

export interface Group {
  readonly key: string;
  readonly title: string;
  /** The name of a colour in `tokens.css`. */
  readonly colour: string;
  readonly shape: Shape;
  readonly count: number;
}

export interface Grouping {
  readonly groups: readonly Group[];
  /** The number of the group of each node. */
  readonly of: Uint8Array;
}

const OUTCOMES: readonly (readonly [string, string, Shape])[] = [
  ["success", "--good", "circle"],
  ["partial", "--warn", "diamond"],
  ["failed", "--bad", "triangle"],
  ["abandoned", "--line-strong", "ring"],
];

/** Puts nodes into groups, the largest first; of times, the oldest first. */
export function groupBy(nodes: readonly DrawnNode[], by: ColourBy): Grouping {
  if (by === "time") return byTime(nodes);
  const keys = nodes.map((node) => node[by]);
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const ranked = [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
  if (by === "outcome")
    return pick(
      keys,
      ranked.map(([key, count]) => outcome(key, count)),
      "other",
    );
  const largest = ranked.slice(0, ranked.length > MOST_GROUPS ? MOST_GROUPS - 1 : MOST_GROUPS);
  const rest = ranked.slice(largest.length);
  const groups = largest.map(([key, count], at) => ({
    key,
    title: by === "project" ? projectName(key) : key,
    colour: `--hue-${(at % HUES) + 1}`,
    shape: SHAPES[(at + Math.floor(at / HUES)) % SHAPES.length] ?? "circle",
    count,
  }));
  const others = rest.reduce((sum, [, count]) => sum + count, 0);
  if (others > 0) groups.push(leftOver(`${rest.length} others`, others));
  return pick(keys, groups, "");
}

function leftOver(title: string, count: number): Group {
  return { key: "", title, colour: "--line-strong", shape: "circle", count };
}

function outcome(key: string, count: number): Group {
  const [, colour, shape] = OUTCOMES.find(([name]) => name === key) ?? [
    "",
    "--line-strong",
    "circle" as const,
  ];
  return { key, title: key, colour, shape, count };
}

/** Finds the group of each key; what has none goes to the one for the rest. */
function pick(keys: readonly string[], groups: readonly Group[], rest: string): Grouping {
  const numbers = new Map(groups.map(({ key }, at) => [key, at]));
  const other = numbers.get(rest) ?? 0;
  return { groups, of: Uint8Array.from(keys, (key) => numbers.get(key) ?? other) };
}

/** How many steps time has. */
const AGES = 5;

/** Equally many nodes in each step, so that a busy month is not one colour. */
function byTime(nodes: readonly DrawnNode[]): Grouping {
  const sorted = nodes.map(({ started }) => started).sort();
  const bounds = Array.from(
    { length: AGES },
    (_, at) => sorted[Math.floor((at * sorted.length) / AGES)] ?? "",
  );
  const firsts = [...new Set(bounds)];
  const of = Uint8Array.from(nodes, ({ started }) =>
    Math.max(
      firsts.findLastIndex((first) => first <= started),
      0,
    ),
  );
  const groups = firsts.map((first, at) => ({
    key: first,
    title: `from ${first.slice(0, 10)}`,
    colour: `--age-${at + 1 + AGES - firsts.length}`,
    shape: "circle" as const,
    count: of.reduce((sum, group) => sum + Number(group === at), 0),
  }));
  return { groups, of };
}
