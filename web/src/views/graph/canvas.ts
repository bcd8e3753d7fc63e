/** Draws without the graphics card, where there is no WebGL. Nodes out of sight are left out, and links of a colour are one stroke. */

import { type Camera, type Size, toScreen } from "./camera";
import { SHAPES, type Shape } from "./groups";
import { growth, type Painter, type Scene, thickness } from "./painting";

/** Nodes of fewer pixels are dots. */
const DOT = 3;

/** Returns what draws on a canvas, or nothing if the canvas is used otherwise. */
export function canvasPainter(canvas: HTMLCanvasElement): Painter | undefined {
  const context = canvas.getContext("2d");
  return context === null ? undefined : new CanvasPainter(context);
}

class CanvasPainter implements Painter {
  readonly kind = "canvas";
  #scene: Scene | undefined;
  /** Links and nodes by their colours, since changing the colour takes longest. */
  #lines: readonly (readonly [string, Path2D])[] = [];
  #nodes = new Map<string, number[]>();

  constructor(readonly context: CanvasRenderingContext2D) {}

  load(scene: Scene): void {
    this.#scene = scene;
    this.#lines = [...byColour(scene.lineColours)].map(([colour, links]) => [
      colour,
      pathOf(scene.lines, links),
    ]);
    this.#nodes = byColour(scene.colours);
  }

  paint(camera: Camera, size: Size, ratio: number): void {
    const { context } = this;
    const scene = this.#scene;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    if (scene === undefined) return;
    this.#paintLines(camera, size, ratio);
    context.lineWidth = 1;
    this.#paintNodes(scene, camera, size);
  }

  /** All links of a colour are one path in the places of the graph; the camera moves the paper beneath it. */
  #paintLines({ x, y, scale }: Camera, { width, height }: Size, ratio: number): void {
    const { context } = this;
    const zoom = scale * ratio;
    context.setTransform(zoom, 0, 0, zoom, (width * ratio) / 2 - x * zoom, (height * ratio) / 2 - y * zoom);
    context.lineWidth = thickness(scale) / scale;
    for (const [colour, path] of this.#lines) {
      context.strokeStyle = colour;
      context.stroke(path);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  #paintNodes({ places, radii, shapes }: Scene, camera: Camera, size: Size): void {
    const { context } = this;
    const grown = growth(camera.scale);
    for (const [colour, members] of this.#nodes) {
      context.fillStyle = context.strokeStyle = colour;
      for (const at of members) {
        const { x, y } = toScreen(camera, size, { x: places[at * 2] ?? 0, y: places[at * 2 + 1] ?? 0 });
        const radius = (radii[at] ?? 0) * grown;
        if (x < -radius || y < -radius || x > size.width + radius || y > size.height + radius) continue;
        // What is so small has no shape.
        if (radius < DOT) context.fillRect(x - radius, y - radius, radius * 2, radius * 2);
        else paintShape(context, SHAPES[shapes[at] ?? 0] ?? "circle", x, y, radius);
      }
    }
  }

  dispose(): void {
    this.#scene = undefined;
  }
}

function pathOf(lines: Float32Array, links: readonly number[]): Path2D {
  const path = new Path2D();
  for (const at of links) {
    path.moveTo(lines[at * 4] ?? 0, lines[at * 4 + 1] ?? 0);
    path.lineTo(lines[at * 4 + 2] ?? 0, lines[at * 4 + 3] ?? 0);
  }
  return path;
}

/** Groups things by colour. */
function byColour(colours: Uint8Array): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (let at = 0; at < colours.length / 4; at += 1) {
    const [red = 0, green = 0, blue = 0, cover = 0] = colours.subarray(at * 4, at * 4 + 4);
    const key = `rgba(${red}, ${green}, ${blue}, ${(cover / 255).toFixed(2)})`;
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [at]);
    else members.push(at);
  }
  return groups;
}

function paintShape(context: CanvasRenderingContext2D, shape: Shape, x: number, y: number, r: number): void {
  context.beginPath();
  switch (shape) {
    case "circle":
      context.arc(x, y, r, 0, 7);
      break;
    case "square":
      context.rect(x - r * 0.87, y - r * 0.87, r * 1.74, r * 1.74);
      break;
    case "diamond":
      context.moveTo(x, y - r);
      context.lineTo(x + r, y);
      context.lineTo(x, y + r);
      context.lineTo(x - r, y);
      break;
    case "triangle":
      context.moveTo(x, y - r);
      context.lineTo(x + r, y + r * 0.77);
      context.lineTo(x - r, y + r * 0.77);
      break;
    case "ring":
      context.lineWidth = Math.max(r * 0.5, 1);
      context.arc(x, y, r * 0.72, 0, 7);
      context.stroke();
      context.lineWidth = 1;
      return;
  }
  context.fill();
}
