/**
 * The shape of a session: which entry follows which. Everything goes by lines, since ids may be missing or occur twice, and
 * nothing recurses, since a chain of 100,000 entries is ordinary.
 */

import type { TreeRow } from "./rows";

export class Shape {
  readonly rows: readonly TreeRow[];
  readonly roots: readonly number[];
  /** Where pi would go on. */
  readonly leaf: number | null;
  readonly #byLine: ReadonlyMap<number, TreeRow>;
  readonly #byId = new Map<string, number>();
  readonly #parents = new Map<number, number>();
  readonly #children = new Map<number, number[]>();
  /** The newest leaf below each entry. */
  readonly #ends = new Map<number, number>();

  constructor(rows: readonly TreeRow[]) {
    this.rows = rows;
    this.#byLine = new Map(rows.map((row) => [row.line, row]));
    for (const { id, line } of rows) if (id != null) this.#byId.set(id, line);
    this.roots = this.#link();
    this.leaf = rows.findLast((row) => row.isLeaf)?.line ?? rows.at(-1)?.line ?? null;
    this.#findEnds();
  }

  /** Finds what each entry follows. What follows nothing that is there begins a tree, and so does one entry of each circle. */
  #link(): number[] {
    const roots: number[] = [];
    for (const { line, parentLine } of this.rows) {
      const isKnown = parentLine != null && parentLine !== line && this.#byLine.has(parentLine);
      if (isKnown) this.#parents.set(line, parentLine);
    }
    const isSafe = new Set<number>();
    for (const { line } of this.rows) {
      const walked = new Set<number>();
      let at: number | undefined = line;
      while (at !== undefined && !isSafe.has(at) && !walked.has(at)) {
        walked.add(at);
        at = this.#parents.get(at);
      }
      // Back where this walk has been: the circle is opened at its first line.
      if (at !== undefined && walked.has(at)) this.#open(at);
      for (const seen of walked) isSafe.add(seen);
    }
    for (const { line } of this.rows) {
      const parent = this.#parents.get(line);
      if (parent === undefined) roots.push(line);
      else if (!this.#children.get(parent)?.push(line)) this.#children.set(parent, [line]);
    }
    return roots;
  }

  #open(circle: number): void {
    let first = circle;
    for (let at = this.#parents.get(circle); at !== undefined && at !== circle; at = this.#parents.get(at))
      first = Math.min(first, at);
    this.#parents.delete(first);
  }

  #findEnds(): void {
    for (const line of this.downwards().toReversed()) {
      const children = this.children(line);
      const newest = children.reduce((best, child) => Math.max(best, this.end(child)), 0);
      this.#ends.set(line, children.length === 0 ? line : newest);
    }
  }

  /** All entries, each after the one that it follows. */
  downwards(): number[] {
    const order: number[] = [];
    const open = this.roots.toReversed();
    for (let line = open.pop(); line !== undefined; line = open.pop()) {
      order.push(line);
      const children = this.children(line);
      for (let at = children.length - 1; at >= 0; at -= 1) open.push(children[at] ?? 0);
    }
    return order;
  }

  row(line: number): TreeRow | undefined {
    return this.#byLine.get(line);
  }

  /** The entry that an address names: by its id, by as much of it as no other has, or by its line. */
  find(name: string): number | undefined {
    const byLine = /^line-(\d+)$/u.exec(name)?.[1];
    const line = this.#byId.get(name) ?? (byLine === undefined ? undefined : Number(byLine));
    if (line !== undefined) return this.#byLine.has(line) ? line : undefined;
    if (name === "") return undefined;
    const begun = [...this.#byId].filter(([id]) => id.startsWith(name));
    return begun.length === 1 ? begun[0]?.[1] : undefined;
  }

  parent(line: number): number | undefined {
    return this.#parents.get(line);
  }

  children(line: number): readonly number[] {
    return this.#children.get(line) ?? [];
  }

  isBranchPoint(line: number): boolean {
    return this.children(line).length > 1;
  }

  /** The newest leaf below an entry; itself, if nothing follows. */
  end(line: number): number {
    return this.#ends.get(line) ?? line;
  }

  /** The way from the root to an entry, with both. */
  pathTo(line: number): number[] {
    const path: number[] = [];
    for (let at: number | undefined = line; at !== undefined; at = this.#parents.get(at)) path.push(at);
    return path.reverse();
  }

  /** The way that leads through an entry, on to the newest leaf below it. */
  pathThrough(line: number): number[] {
    return this.pathTo(this.end(line));
  }

  /** All entries that follow an entry, near and far. */
  descendants(line: number): number[] {
    const found: number[] = [];
    const open = [...this.children(line)];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      found.push(at);
      for (const child of this.children(at)) open.push(child);
    }
    return found.sort((one, other) => one - other);
  }

  /** The rows of some lines. */
  rowsOf(lines: readonly number[]): TreeRow[] {
    return lines.flatMap((line) => this.#byLine.get(line) ?? []);
  }
}
