/** Where the graph is drawn: a canvas for nodes and links, and one above it for words. It draws only when something has changed. */

import { type Camera, fit, pan, type Size, type Spot, toPlace, toScreen, zoom } from "./camera";
import { canvasPainter } from "./canvas";
import type { GraphData, Shown } from "./graph";
import type { Grouping } from "./groups";
import { growth, type Painter, parseColour } from "./painting";
import { Squares } from "./picking";
import { type Emphasis, makeScene, numbers, radius } from "./scene";
import { webglPainter } from "./webgl";
import { type Ink, type Named, type Words, writeWords } from "./words";

/** What is to be drawn. */
export interface Play {
  readonly data: GraphData;
  readonly shown: Shown;
  readonly grouping: Grouping;
  readonly emphasis: Emphasis | undefined;
}

/** How near the pointer has to come to a node, in pixels beyond its edge. */
const NEAR = 6;

/** How long it takes to get to another place. */
const GLIDE = 220;

export class Stage {
  readonly painter: Painter;
  readonly #words: CanvasRenderingContext2D;
  #camera: Camera = { x: 0, y: 0, scale: 30 };
  #size: Size = { width: 1, height: 1 };
  #ratio = 1;
  #play: Play | undefined;
  #squares = new Squares([], () => false);
  /** The nodes that are shown, those with most links first. */
  #ranked: number[] = [];
  #clusters: readonly Named[] = [];
  #ink: Ink = { text: "", soft: "", ground: "", font: "" };
  #frame = 0;
  #glide = 0;

  readonly canvas: HTMLCanvasElement;

  constructor(
    canvas: HTMLCanvasElement,
    readonly above: HTMLCanvasElement,
    /** Told after each frame from where it was seen. */
    readonly onframe: () => void,
  ) {
    const withCard = webglPainter(canvas);
    this.canvas = withCard === undefined ? fresh(canvas) : canvas;
    const painter = withCard ?? canvasPainter(this.canvas);
    const words = above.getContext("2d");
    if (painter === undefined || words === null) throw new Error("this browser cannot draw");
    [this.painter, this.#words] = [painter, words];
  }

  get camera(): Camera {
    return this.#camera;
  }

  get size(): Size {
    return this.#size;
  }

  resize(size: Size): void {
    this.#size = size;
    this.#ratio = Math.min(devicePixelRatio, 2);
    for (const canvas of [this.canvas, this.above]) {
      canvas.width = Math.round(size.width * this.#ratio);
      canvas.height = Math.round(size.height * this.#ratio);
    }
    this.draw();
  }

  /** Takes what is to be drawn, whenever that changes. */
  load(play: Play): void {
    const { data, shown, grouping, emphasis } = play;
    if (this.#play?.shown !== shown) this.#sort(data, shown);
    this.#play = play;
    this.painter.load(makeScene(data, shown, grouping, emphasis, (name) => parseColour(this.#colour(name))));
    const [text, soft, ground] = [this.#colour("--text"), this.#colour("--soft"), this.#colour("--ground")];
    this.#ink = { text, soft, ground, font: getComputedStyle(this.above).fontFamily };
    this.draw();
  }

  #sort(data: GraphData, shown: Shown): void {
    this.#squares = new Squares(data.nodes, (at) => shown.nodes[at] === 1);
    this.#ranked = numbers(shown.nodes).sort((a, b) => data.linksOf(b).length - data.linksOf(a).length);
    this.#clusters = data.clusters.flatMap(({ name, members }) => {
      const seen = members.filter((at) => shown.nodes[at] === 1);
      if (seen.length < 3) return [];
      const places = seen.map((at) => data.nodes[at] ?? { x: 0, y: 0 });
      return [
        {
          name,
          members: new Set(seen),
          x: places.reduce((sum, { x }) => sum + x, 0) / places.length,
          top: places.reduce((least, { y }) => Math.min(least, y), Infinity),
          bottom: places.reduce((most, { y }) => Math.max(most, y), -Infinity),
        },
      ];
    });
  }

  /** The colour that a name of `tokens.css` stands for in the present theme. */
  #colour(name: string): string {
    this.above.style.color = `var(${name})`;
    return getComputedStyle(this.above).color;
  }

  /** Draws with the next frame. */
  draw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.painter.paint(this.#camera, this.#size, this.#ratio);
      const play = this.#play;
      if (play !== undefined) writeWords(this.#words, this.#wordsOf(play));
      this.onframe();
    });
  }

  #wordsOf({ data, emphasis }: Play): Words {
    return {
      ink: this.#ink,
      data,
      emphasis,
      ranked: this.#ranked,
      clusters: this.#clusters,
      camera: this.#camera,
      size: this.#size,
      ratio: this.#ratio,
    };
  }

  /** The node at a spot. */
  nodeAt(spot: Spot): number | undefined {
    const place = toPlace(this.#camera, this.#size, spot);
    const reach = (radius(4) * growth(this.#camera.scale) + NEAR) / this.#camera.scale;
    return this.#squares.nearest(place, reach);
  }

  /** Where a node is seen. */
  spotOf(at: number): Spot | undefined {
    const place = this.#play?.data.nodes[at];
    return place === undefined ? undefined : toScreen(this.#camera, this.#size, place);
  }

  /** The nodes in sight, those with most links first. */
  inSight(): number[] {
    return this.#ranked.filter((at) => {
      const { x, y } = this.spotOf(at) ?? { x: -1, y: -1 };
      return x >= 0 && y >= 0 && x <= this.#size.width && y <= this.#size.height;
    });
  }

  pan(dx: number, dy: number): void {
    this.#look(pan(this.#camera, dx, dy));
  }

  zoom(factor: number, spot: Spot = { x: this.#size.width / 2, y: this.#size.height / 2 }): void {
    this.#look(zoom(this.#camera, this.#size, spot, factor));
  }

  /** Looks at some nodes, or at all that are shown. */
  fit(nodes: Iterable<number> = this.#ranked): void {
    const places = [...nodes].flatMap((at) => this.#play?.data.nodes[at] ?? []);
    this.#glideTo(fit(places, this.#size));
  }

  /** Brings a node into sight, near enough to be read. */
  reveal(at: number): void {
    const place = this.#play?.data.nodes[at];
    if (place === undefined) return;
    this.#glideTo({ x: place.x, y: place.y, scale: Math.max(this.#camera.scale, 24) });
  }

  #look(camera: Camera): void {
    cancelAnimationFrame(this.#glide);
    this.#camera = camera;
    this.draw();
  }

  /** Goes to another place: at once for those who want no motion, and where there was nothing before. */
  #glideTo(to: Camera): void {
    cancelAnimationFrame(this.#glide);
    const from = this.#camera;
    const isAtOnce = this.#play === undefined || matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (isAtOnce) return this.#look(to);
    const began = performance.now();
    const step = (now: number): void => {
      const part = Math.min((now - began) / GLIDE, 1);
      const eased = 1 - (1 - part) ** 3;
      const between = (a: number, b: number): number => a + (b - a) * eased;
      this.#camera = {
        x: between(from.x, to.x),
        y: between(from.y, to.y),
        scale: between(from.scale, to.scale),
      };
      this.draw();
      if (part < 1) this.#glide = requestAnimationFrame(step);
    };
    this.#glide = requestAnimationFrame(step);
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
    cancelAnimationFrame(this.#glide);
    this.painter.dispose();
  }
}

/** A canvas that was tried for one way of drawing cannot be used for another. */
function fresh(canvas: HTMLCanvasElement): HTMLCanvasElement {
  const made = canvas.cloneNode() as HTMLCanvasElement;
  canvas.replaceWith(made);
  return made;
}
