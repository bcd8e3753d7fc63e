/** What is drawn, in the form that both ways of drawing take it. */

import type { Camera, Size } from "./camera";
import { SHAPES, type Shape } from "./groups";

/** Red, green, blue and how much it covers, each from 0 to 255. */
export type Colour = readonly [number, number, number, number];

export interface Scene {
  /** Two numbers for each node. */
  readonly places: Float32Array;
  /** In pixels. */
  readonly radii: Float32Array;
  /** Four numbers for each node. */
  readonly colours: Uint8Array;
  /** Places in the list of shapes. */
  readonly shapes: Float32Array;
  /** Four numbers for each link: from where to where. */
  readonly lines: Float32Array;
  /** Four numbers for each link. */
  readonly lineColours: Uint8Array;
}

export interface Painter {
  /** How it draws, for those who want to know. */
  readonly kind: "webgl" | "canvas";
  /** Takes what is drawn, whenever that changes. */
  load(scene: Scene): void;
  /** Draws; `ratio` is how many pixels of the screen one of ours has. */
  paint(camera: Camera, size: Size, ratio: number): void;
  dispose(): void;
}

/** Nodes grow a little when one comes nearer, so that they stay apart from far and can be seen from near. */
export function growth(scale: number): number {
  return Math.min(Math.max(Math.sqrt(scale / 15), 0.26), 2);
}

/** How thick links are, in pixels. */
export function thickness(scale: number): number {
  return Math.min(Math.max(scale / 13, 1), 2.2);
}

export function shapeNumber(shape: Shape): number {
  return SHAPES.indexOf(shape);
}

/** Reads `rgb(1, 2, 3)` and `rgba(1, 2, 3, 0.5)`, as browsers tell colours. */
export function parseColour(text: string): Colour {
  const [red = 0, green = 0, blue = 0, cover = 1] = (text.match(/[\d.]+/gu) ?? []).map(Number);
  return [red, green, blue, Math.round(cover * 255)];
}
