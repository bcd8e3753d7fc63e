/** Writes names over the graph: those of clusters, then those of nodes, as far as there is room. */

import { type Camera, type Size, toScreen } from "./camera";
import type { GraphData } from "./graph";
import { Placing, shortened } from "./labels";
import { growth } from "./painting";
import { type Emphasis, radius } from "./scene";

/** A cluster with where its name stands. */
export interface Named {
  readonly name: string;
  readonly members: ReadonlySet<number>;
  /** The middle, and where its members begin and end from top to bottom. */
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

/** What words are written with: colours and fonts as a canvas takes them. */
export interface Ink {
  readonly text: string;
  readonly soft: string;
  readonly ground: string;
  readonly font: string;
}

export interface Words {
  readonly ink: Ink;
  readonly data: GraphData;
  readonly emphasis: Emphasis | undefined;
  readonly ranked: readonly number[];
  readonly clusters: readonly Named[];
  readonly camera: Camera;
  readonly size: Size;
  readonly ratio: number;
}

/** From so near on nodes are named; so many at most, of so many that are looked at: a frame has to be short. */
const NEAR = 26;
const MOST = 36;
const MOST_CLUSTERS = 24;
const LOOKED_AT = 400;

/** Among so few nodes there is room for words beside them. */
const FEW = 200;

const [SMALL, LARGE] = [11, 13];
/** Between a cluster and its name, in pixels. */
const ROOM = 14;
const ASIDE = 70;
const LONGEST = 30;

/** How wide texts are, by font: measuring takes long. */
const widths = new Map<string, number>();

export function writeWords(context: CanvasRenderingContext2D, words: Words): void {
  const { camera, size, ratio, emphasis, ink } = words;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = ink.ground;
  const placing = new Placing();
  let current = "";
  const write = (
    label: string,
    at: { x: number; y: number },
    height: number,
    weight: number,
    isPressed = true,
  ): boolean => {
    const font = `${weight} ${height}px ${ink.font}`;
    // Reading a font takes long, so it is told only when it is another one.
    if (font !== current) context.font = current = font;
    const width = measured(context, font, label);
    // Names stay within the picture, where they can be read.
    const x = Math.min(Math.max(at.x, width / 2 + 4), size.width - width / 2 - 4);
    if (!placing.put({ x, y: at.y, width, height }, isPressed)) return false;
    context.strokeText(label, x, at.y);
    context.fillText(label, x, at.y);
    return true;
  };
  const above = (at: number): { x: number; y: number } | undefined => {
    const node = words.data.nodes[at];
    if (node === undefined) return undefined;
    const { x, y } = toScreen(camera, size, node);
    const isSeen = x > 0 && y > 0 && x < size.width && y < size.height;
    const rise = radius(words.data.linksOf(at).length) * growth(camera.scale) + 4;
    return isSeen ? { x, y: y - rise } : undefined;
  };

  const inSight = words.ranked.length <= FEW ? words.ranked : [];
  for (const at of inSight) {
    const { x, y } = toScreen(camera, size, words.data.nodes[at] ?? { x: 0, y: 0 });
    placing.avoid(x, y, radius(words.data.linksOf(at).length) * growth(camera.scale));
  }
  context.fillStyle = ink.text;
  const emphasised = [...(emphasis?.nodes ?? [])].slice(0, MOST);
  for (const at of emphasised) {
    const spot = above(at);
    if (spot !== undefined) write(nameOf(words.data, at), spot, SMALL, 500);
  }
  let named = 0;
  for (const cluster of words.clusters) {
    if (named >= MOST_CLUSTERS) break;
    if (emphasis !== undefined && emphasised.every((at) => !cluster.members.has(at))) continue;
    const top = toScreen(camera, size, { x: cluster.x, y: cluster.top });
    const bottom = toScreen(camera, size, { x: cluster.x, y: cluster.bottom });
    if (top.x < 0 || bottom.y < 0 || top.x > size.width || top.y > size.height) continue;
    // Above its members if there is room, or below them, straight or a little to the side; else over whatever is there.
    const above = { x: top.x, y: Math.max(top.y - ROOM, LARGE + 2) };
    const below = { x: bottom.x, y: bottom.y + ROOM + LARGE };
    const spots = [0, -ASIDE, ASIDE].flatMap((aside) =>
      [above, below].map(({ x, y }) => ({ x: x + aside, y })),
    );
    const isWritten =
      spots.some((spot) => write(cluster.name, spot, LARGE, 650, false)) ||
      write(cluster.name, above, LARGE, 650);
    named += Number(isWritten);
  }
  if (camera.scale < NEAR || emphasis !== undefined) return;
  context.fillStyle = ink.soft;
  let [written, looked] = [0, 0];
  for (const at of words.ranked) {
    const spot = above(at);
    if (spot === undefined) continue;
    looked += 1;
    if (write(nameOf(words.data, at), spot, SMALL, 450)) written += 1;
    if (written >= MOST || looked >= LOOKED_AT) break;
  }
}

function nameOf(data: GraphData, at: number): string {
  return shortened(data.nodes[at]?.summary ?? "", LONGEST);
}

function measured(context: CanvasRenderingContext2D, font: string, text: string): number {
  const key = `${font} ${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  const { width } = context.measureText(text);
  widths.set(key, width);
  return width;
}
