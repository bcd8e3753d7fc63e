/** The graph as it is looked at: who is linked with whom, what is shown, and the way from one to another. */

import type { Answer } from "../../api/client";

export type Drawn = Answer<"get", "/api/v1/graph">;
export type DrawnNode = Drawn["nodes"][number];
export type DrawnEdge = Drawn["edges"][number];
export type DrawnCluster = Drawn["clusters"][number];

/** A link as one of its ends sees it; nodes and links go by their numbers. */
export interface Neighbour {
  readonly node: number;
  readonly edge: number;
}

export class GraphData {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
  readonly clusters: readonly DrawnCluster[];
  readonly total: number;
  readonly neighbours: readonly (readonly Neighbour[])[];
  readonly #numbers: ReadonlyMap<string, number>;

  constructor({ nodes, edges, clusters, total }: Drawn) {
    [this.nodes, this.edges, this.clusters, this.total] = [nodes, edges, clusters, total];
    const neighbours: Neighbour[][] = nodes.map(() => []);
    edges.forEach(({ source, target }, edge) => {
      neighbours[source]?.push({ node: target, edge });
      neighbours[target]?.push({ node: source, edge });
    });
    this.neighbours = neighbours;
    this.#numbers = new Map(nodes.map(({ id }, at) => [id, at]));
  }

  /** Finds a node by its id. */
  numberOf(id: string | null): number | undefined {
    return id === null ? undefined : this.#numbers.get(id);
  }

  linksOf(at: number): readonly Neighbour[] {
    return this.neighbours[at] ?? [];
  }
}

/** What is to be seen. Times are in milliseconds; `until` is not among them. */
export interface Filter {
  readonly project: string | null;
  readonly type: string | null;
  /** Types of links that are not wanted. */
  readonly without: ReadonlySet<string>;
  readonly from: number | undefined;
  readonly until: number | undefined;
}

/** What is seen: 1 for each node and link that is. */
export interface Shown {
  readonly nodes: Uint8Array;
  readonly edges: Uint8Array;
  readonly count: number;
}

export function show({ nodes, edges }: GraphData, filter: Filter): Shown {
  const seen = Uint8Array.from(nodes, (node) => Number(fits(node, filter)));
  const links = Uint8Array.from(edges, ({ source, target, type }) =>
    Number(seen[source] === 1 && seen[target] === 1 && !filter.without.has(type)),
  );
  return { nodes: seen, edges: links, count: seen.reduce((sum, one) => sum + one, 0) };
}

function fits(node: DrawnNode, { project, type, from, until }: Filter): boolean {
  const started = Date.parse(node.started);
  return (
    (project === null || node.project === project) &&
    (type === null || node.type === type) &&
    (from === undefined || started >= from) &&
    (until === undefined || started < until)
  );
}

/** The nodes that are linked with one, and the links. */
export function around(
  data: GraphData,
  shown: Shown,
  at: number,
): { nodes: Set<number>; edges: Set<number> } {
  const links = data.linksOf(at).filter(({ edge }) => shown.edges[edge] === 1);
  return {
    nodes: new Set([at, ...links.map(({ node }) => node)]),
    edges: new Set(links.map(({ edge }) => edge)),
  };
}

/** A way along links: one node more than links. */
export interface Path {
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
}

/** The shortest way from one node to another along links that are shown. */
export function shortestPath(data: GraphData, shown: Shown, from: number, to: number): Path | undefined {
  const cameBy = new Map<number, Neighbour | undefined>([[from, undefined]]);
  let front = [from];
  while (front.length > 0 && !cameBy.has(to)) {
    const next: number[] = [];
    for (const at of front) {
      for (const { node, edge } of data.linksOf(at)) {
        if (shown.edges[edge] !== 1 || cameBy.has(node)) continue;
        cameBy.set(node, { node: at, edge });
        next.push(node);
      }
    }
    front = next;
  }
  if (!cameBy.has(to)) return undefined;
  const [nodes, edges] = [[to], [] as number[]];
  for (let step = cameBy.get(to); step !== undefined; step = cameBy.get(step.node)) {
    nodes.unshift(step.node);
    edges.unshift(step.edge);
  }
  return { nodes, edges };
}

export type Direction = "left" | "right" | "up" | "down";

const WAYS: Record<Direction, readonly [number, number]> = {
  left: [-1, 0],
  right: [1, 0],
  up: [0, -1],
  down: [0, 1],
};

/** The neighbour that lies most nearly in a direction; none if all lie elsewhere. */
export function neighbourTowards(
  data: GraphData,
  shown: Shown,
  at: number,
  direction: Direction,
): number | undefined {
  const here = data.nodes[at];
  if (here === undefined) return undefined;
  const [wx, wy] = WAYS[direction];
  let best: { node: number; turn: number } | undefined;
  for (const { node, edge } of data.linksOf(at)) {
    const there = data.nodes[node];
    if (there === undefined || shown.edges[edge] !== 1) continue;
    const [dx, dy] = [there.x - here.x, there.y - here.y];
    const turn = (dx * wx + dy * wy) / Math.max(Math.hypot(dx, dy), Number.EPSILON);
    // Within a quarter to either side; the straightest wins.
    if (turn > 0.38 && turn > (best?.turn ?? 0)) best = { node, turn };
  }
  return best?.node;
}

/** The nodes that say all words, in upper or lower case; all of them if there are no words. */
export function matching(data: GraphData, words: string): Set<number> | undefined {
  const wanted = words
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (wanted.length === 0) return undefined;
  const found = new Set<number>();
  data.nodes.forEach((node, at) => {
    const text = `${node.summary} ${node.project} ${node.type} ${node.id}`.toLowerCase();
    if (wanted.every((word) => text.includes(word))) found.add(at);
  });
  return found;
}
