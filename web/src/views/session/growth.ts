/** How the shape of a session grows, line by line. */

interface Row {
  readonly line: number;
  readonly isLeaf: boolean;
}

/** Adds what was written behind what is known. Only the last of all is where pi would go on. */
export function grown<R extends Row>(known: readonly R[], more: readonly R[]): readonly R[] {
  if (more.length === 0) return known;
  const end = known.at(-1)?.line ?? 0;
  const fresh = more.filter(({ line }) => line > end);
  if (fresh.length === 0) return known;
  const isEnded = fresh.some(({ isLeaf }) => isLeaf);
  const before = isEnded ? known.map((row) => (row.isLeaf ? { ...row, isLeaf: false } : row)) : known;
  return [...before, ...fresh];
}
