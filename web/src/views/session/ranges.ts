/** Lines of a file, put together so that few questions fetch them. */

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Lines that are nearer to each other than this are fetched together with what lies between. */
const GAP = 12;

/** Puts lines together to ranges, each of at most so many lines. */
export function rangesOf(lines: Iterable<number>, most: number): Range[] {
  const sorted = [...new Set(lines)].sort((one, other) => one - other);
  const ranges: { from: number; to: number }[] = [];
  for (const line of sorted) {
    const last = ranges.at(-1);
    const isNear = last !== undefined && line - last.to <= GAP && line - last.from < most;
    if (isNear) last.to = line;
    else ranges.push({ from: line, to: line });
  }
  return ranges;
}
