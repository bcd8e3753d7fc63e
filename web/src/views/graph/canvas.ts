/** Draws without the graphics card, where there is no WebGL. What is out of sight is left out, and links of a colour are one stroke. */

import { type Camera, type Size, toPlace, toScreen } from "./camera";
import { SHAPES, type Shape } from "./groups";
import { growth, type Painter, type Scene, thickness } from "./painting";

/** Returns what draws on a canvas, or nothing if the canvas is used otherwise. */
export function canvasPainter(canvas: HTMLCanvasElement): Painter | undefined {
  const context = canvas.getContext("2d");
  return context === null ? undefined : new CanvasPainter(context);
}

class CanvasPainter implements Painter {
  readonly kind = "canvas";
  #scene: Scene | undefined;
  /** Links and nodes by their colours, since changing the colour takes longest. */
  #lines = new Map<string, number[]>();
  #nodes = new Map<string, number[]>();

  constructor(readonly context: CanvasRenderingContext2D) {}

  load(scene: Scene): void {
    this.#scene = scene;
    this.#lines = byColour(scene.lineColours);
    this.#nodes = byColour(scene.colours);
  }

  paint(camera: Camera, size: Size, ratio: number): void {
    const { context } = this;
    const scene = this.#scene;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    if (scene === undefined) return;
    context.lineWidth = thickness(camera.scale);
    this.#paintLines(scene.lines, camera, size);
    this.#paintNodes(scene, camera, size);
  }

  #paintLines(lines: Float32Array, camera: Camera, size: Size): void {
    const { context } = this;
    const least = toPlace(camera, size, { x: 0, y: 0 });
    const most = toPlace(camera, size, { x: size.width, y: size.height });
    for (const [colour, members] of this.#lines) {
      context.strokeStyle = colour;
      context.beginPath();
      for (const at of members) {
        const [x = 0, y = 0, toX = 0, toY = 0] = lines.subarray(at * 4, at * 4 + 4);
        const isOutside =
          Math.max(x, toX) < least.x ||
          Math.min(x, toX) > most.x ||
          Math.max(y, toY) < least.y ||
          Math.min(y, toY) > most.y;
        if (isOutside) continue;
        const [from, to] = [toScreen(camera, size, { x, y }), toScreen(camera, size, { x: toX, y: toY })];
        context.moveTo(from.x, from.y);
        context.lineTo(to.x, to.y);
      }
      context.stroke();
    }
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
        paintShape(context, SHAPES[shapes[at] ?? 0] ?? "circle", x, y, radius);
      }
    }
  }

  dispose(): void {
    this.#scene = undefined;
  }
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
