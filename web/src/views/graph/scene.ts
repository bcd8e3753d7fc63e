/** Makes what is drawn of what is shown. */

import type { GraphData, Shown } from "./graph";
import type { Grouping } from "./groups";
import { type Colour, type Scene, shapeNumber } from "./painting";

/** Nodes and links that stand out; all others step back. */
export interface Emphasis {
  readonly nodes: ReadonlySet<number>;
  readonly edges: ReadonlySet<number>;
}

/** Links that follow from how sessions went; all others are drawn because of what was said. */
export const STRUCTURAL: ReadonlySet<string> = new Set([
  "fork",
  "branch",
  "tree_jump",
  "resume",
  "compaction",
  "continuation",
]);

/** How much is covered by what stands out, by what is ordinary, and by what steps back, from 0 to 1. */
const NODE = { strong: 1, usual: 0.95, faint: 0.16 };
const LINK = { strong: 0.95, usual: 0.55, faint: 0.06 };

/** Nodes are as large as they are linked, in pixels. */
export function radius(links: number): number {
  return 5 + Math.min(Math.sqrt(links) * 1.5, 7);
}

export function makeScene(
  data: GraphData,
  shown: Shown,
  grouping: Grouping,
  emphasis: Emphasis | undefined,
  colour: (name: string) => Colour,
): Scene {
  const hues = grouping.groups.map((group) => colour(group.colour));
  const shapes = grouping.groups.map((group) => shapeNumber(group.shape));
  const nodes = numbers(shown.nodes);
  // What stands out is drawn last, over everything else.
  nodes.sort((a, b) => Number(emphasis?.nodes.has(a) ?? false) - Number(emphasis?.nodes.has(b) ?? false));
  const links = numbers(shown.edges);
  const scene: Scene = {
    places: new Float32Array(nodes.length * 2),
    radii: new Float32Array(nodes.length),
    colours: new Uint8Array(nodes.length * 4),
    shapes: new Float32Array(nodes.length),
    lines: new Float32Array(links.length * 4),
    lineColours: new Uint8Array(links.length * 4),
  };
  nodes.forEach((node, at) => {
    const { x, y } = data.nodes[node] ?? { x: 0, y: 0 };
    const group = grouping.of[node] ?? 0;
    const cover = covered(NODE, emphasis?.nodes, node);
    scene.places.set([x, y], at * 2);
    scene.radii[at] = radius(data.linksOf(node).length);
    scene.shapes[at] = shapes[group] ?? 0;
    scene.colours.set(faded(hues[group] ?? [128, 128, 128, 255], cover), at * 4);
  });
  const [plain, telling] = [colour("--line-strong"), colour("--accent")];
  links.forEach((link, at) => {
    const edge = data.edges[link];
    if (edge === undefined) return;
    const [from, to] = [data.nodes[edge.source], data.nodes[edge.target]];
    scene.lines.set([from?.x ?? 0, from?.y ?? 0, to?.x ?? 0, to?.y ?? 0], at * 4);
    const hue = STRUCTURAL.has(edge.type) ? plain : telling;
    scene.lineColours.set(faded(hue, covered(LINK, emphasis?.edges, link)), at * 4);
  });
  return scene;
}

function covered(
  covers: { strong: number; usual: number; faint: number },
  strong: ReadonlySet<number> | undefined,
  at: number,
): number {
  if (strong === undefined) return covers.usual;
  return strong.has(at) ? covers.strong : covers.faint;
}

function faded([red, green, blue, cover]: Colour, by: number): Colour {
  return [red, green, blue, Math.round(cover * by)];
}

/** The places of what is 1. */
export function numbers(flags: Uint8Array): number[] {
  const found: number[] = [];
  flags.forEach((flag, at) => {
    if (flag === 1) found.push(at);
  });
  return found;
}
