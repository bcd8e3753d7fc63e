/** An exported session, as the file carries it: what is told about it, and all of its entries. */

import { recordOf, numberOf, textOf, type Json } from "../transcript/json";
import { readEntry, type Entry } from "../transcript/entry";
import { addUsage, NO_USAGE, type Usage } from "../transcript/usage";
import type { TreeRow } from "../tree/rows";
import { gistOf } from "./gist";

export interface Exported {
  readonly title: string;
  readonly file: string;
  readonly project: string;
  readonly session: string;
  /** The line of the entry whose path is shown at first. */
  readonly leaf: number | null;
  readonly isRedacted: boolean;
  readonly generated: string;
  readonly problems: readonly { readonly line: number; readonly text: string }[];
  readonly rows: readonly TreeRow[];
  /** The entries by their lines, as they stand in the file. */
  readonly raw: ReadonlyMap<number, unknown>;
  readonly started: number | null;
  readonly ended: number | null;
  /** What each entry took. */
  readonly usage: ReadonlyMap<number, Usage>;
}

/** Reads what the file carries. Every part of it may be missing. */
export function readExport(json: unknown): Exported {
  const about = recordOf(json);
  const header = recordOf(about.header);
  const listed: unknown[] = Array.isArray(about.entries) ? about.entries : [];
  const entries = listed.flatMap(readListed);
  const leaf = numberOf(about.leaf);
  const labels = labelsOf(entries);
  const times = entries.flatMap(({ entry }) => entry.time ?? []);
  const isPiLeaf = entries.at(-1)?.line;
  return {
    title: textOf(about.title),
    file: textOf(about.file),
    project: textOf(header.cwd),
    session: textOf(header.id),
    leaf: leaf ?? entries.at(-1)?.line ?? null,
    isRedacted: about.isRedacted === true,
    generated: textOf(about.generated),
    problems: problemsOf(about),
    rows: entries.map(({ line, parentLine, entry }) =>
      rowOf(line, parentLine, entry, labels, isPiLeaf === line),
    ),
    raw: new Map(entries.map(({ line, entry }) => [line, entry.raw])),
    started: times.reduce<number | null>((first, time) => Math.min(first ?? time, time), null),
    ended: times.reduce<number | null>((last, time) => Math.max(last ?? time, time), null),
    usage: new Map(
      entries.flatMap(({ line, entry }) =>
        "usage" in entry && entry.usage !== null ? [[line, entry.usage]] : [],
      ),
    ),
  };
}

/** What some entries took together. */
export function usageOf(exported: Exported, lines: Iterable<number>): Usage {
  let sum = NO_USAGE;
  for (const line of lines) sum = addUsage(sum, exported.usage.get(line) ?? null);
  return sum;
}

interface Listed {
  readonly line: number;
  readonly parentLine: number | null;
  readonly entry: Entry;
}

function readListed(listed: unknown): Listed[] {
  if (!Array.isArray(listed)) return [];
  const line = numberOf(listed[0]);
  return line === null ? [] : [{ line, parentLine: numberOf(listed[1]), entry: readEntry(listed[2]) }];
}

/** The last label that an entry was given, wherever in the tree that was written. */
function labelsOf(entries: readonly Listed[]): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  for (const { entry } of entries) {
    if (entry.kind !== "label") continue;
    if (entry.label === null) labels.delete(entry.target);
    else labels.set(entry.target, entry.label);
  }
  return labels;
}

function rowOf(
  line: number,
  parentLine: number | null,
  entry: Entry,
  labels: ReadonlyMap<string, string>,
  isLeaf: boolean,
): TreeRow {
  const raw = recordOf(entry.raw);
  const role = textOf(recordOf(raw.message).role);
  return {
    line,
    parentLine,
    id: entry.id,
    type: textOf(raw.type) || "unknown",
    role: raw.type === "message" && role !== "" ? role : null,
    text: gistOf(entry),
    label: (entry.id === null ? undefined : labels.get(entry.id)) ?? null,
    timestamp: textOf(raw.timestamp) || null,
    isLeaf,
  };
}

function problemsOf(about: Json): { line: number; text: string }[] {
  const listed: unknown[] = Array.isArray(about.problems) ? about.problems : [];
  return listed.flatMap((problem) =>
    Array.isArray(problem) ? [{ line: numberOf(problem[0]) ?? 0, text: textOf(problem[1]) }] : [],
  );
}
