/** Draws with the graphics card: everything lies there, and a frame is two calls. */

import type { Camera, Size } from "./camera";
import { growth, type Painter, type Scene, thickness } from "./painting";

const VIEW = `
  uniform vec2 middle;
  uniform vec2 half_size;
  uniform float scale;
  vec4 seen(vec2 place) {
    vec2 spot = (place - middle) * scale / half_size;
    return vec4(spot.x, -spot.y, 0.0, 1.0);
  }
`;

const NODE_VERTEX = `
  attribute vec2 place;
  attribute float radius;
  attribute vec4 colour;
  attribute float shape;
  uniform float grown;
  varying vec4 paint;
  varying float form;
  varying float side;
  ${VIEW}
  void main() {
    gl_Position = seen(place);
    side = 2.0 * radius * grown + 2.0;
    gl_PointSize = side;
    paint = colour;
    form = shape;
  }
`;

/** The shapes are those of \`SHAPES\`, in their order. Each has about the same area. */
const NODE_FRAGMENT = `
  precision mediump float;
  varying vec4 paint;
  varying float form;
  varying float side;
  void main() {
    vec2 spot = (gl_PointCoord - 0.5) * 2.0;
    float far = length(spot);
    float edge = 2.0 / side;
    float inside = far;
    if (form > 3.5) inside = abs(far - 0.72) + 0.72;
    else if (form > 2.5) inside = max(abs(spot.x) * 0.9 + (spot.y + 0.3) * -0.52 + 0.42, spot.y * 1.15 + 0.12);
    else if (form > 1.5) inside = (abs(spot.x) + abs(spot.y)) * 0.98;
    else if (form > 0.5) inside = max(abs(spot.x), abs(spot.y)) * 1.15;
    float cover = 1.0 - smoothstep(1.0 - 2.0 * edge, 1.0, inside);
    gl_FragColor = vec4(paint.rgb, 1.0) * paint.a * cover;
  }
`;

/** Lines of the graphics card are as thin as a pixel, so each is two triangles: \`side\` says on which side of it a corner lies. */
const LINE_VERTEX = `
  attribute vec2 place;
  attribute vec2 way;
  attribute float side;
  attribute vec4 colour;
  uniform float reach;
  varying vec4 paint;
  varying float off;
  varying float rim;
  ${VIEW}
  void main() {
    vec2 ahead = normalize(way + vec2(1e-6, 0.0));
    vec2 across = vec2(-ahead.y, ahead.x) * side * reach;
    gl_Position = seen(place + across / scale);
    off = side * reach;
    rim = reach;
    paint = colour;
  }
`;

/** Fades towards its edge, so that slanting lines have no steps: that costs less than having the card smooth everything. */
const LINE_FRAGMENT = `
  precision mediump float;
  varying vec4 paint;
  varying float off;
  varying float rim;
  void main() {
    float cover = 1.0 - smoothstep(rim - 1.0, rim, abs(off));
    gl_FragColor = vec4(paint.rgb, 1.0) * paint.a * cover;
  }
`;

/** The attributes of both programs, by where they lie. */
const ATTRIBUTES: readonly string[] = ["place", "colour", "radius", "shape", "way", "side"];

/** Returns what draws on a canvas, or nothing where there is no WebGL. */
export function webglPainter(canvas: HTMLCanvasElement): Painter | undefined {
  const gl = canvas.getContext("webgl", { antialias: false });
  if (gl === null) return undefined;
  const nodes = program(gl, NODE_VERTEX, NODE_FRAGMENT);
  const lines = program(gl, LINE_VERTEX, LINE_FRAGMENT);
  if (nodes === undefined || lines === undefined) return undefined;
  return new WebGlPainter(gl, nodes, lines);
}

class WebGlPainter implements Painter {
  readonly kind = "webgl";
  readonly #buffers: Record<string, WebGLBuffer | null>;
  readonly #uniforms = new Map<WebGLProgram, Map<string, WebGLUniformLocation | null>>();
  #nodeCount = 0;
  #lineCount = 0;

  constructor(
    readonly gl: WebGLRenderingContext,
    readonly nodes: WebGLProgram,
    readonly lines: WebGLProgram,
  ) {
    const names = ["places", "radii", "colours", "shapes", "lines", "lineColours"];
    this.#buffers = Object.fromEntries(names.map((name) => [name, gl.createBuffer()]));
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  load(scene: Scene): void {
    const { places, radii, colours, shapes } = scene;
    const { lines, lineColours } = corners(scene);
    for (const [name, data] of Object.entries({ places, radii, colours, shapes, lines, lineColours })) {
      this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.#buffers[name] ?? null);
      this.gl.bufferData(this.gl.ARRAY_BUFFER, data, this.gl.STATIC_DRAW);
    }
    this.#nodeCount = radii.length;
    this.#lineCount = scene.lines.length / 4;
  }

  paint(camera: Camera, size: Size, ratio: number): void {
    const { gl } = this;
    gl.viewport(0, 0, size.width * ratio, size.height * ratio);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    this.#begin(this.lines, camera, size);
    gl.uniform1f(this.#uniform(this.lines, "reach"), thickness(camera.scale) / 2 + 0.5);
    this.#attribute("place", "lines", 2, gl.FLOAT, 20, 0);
    this.#attribute("way", "lines", 2, gl.FLOAT, 20, 8);
    this.#attribute("side", "lines", 1, gl.FLOAT, 20, 16);
    this.#attribute("colour", "lineColours", 4, gl.UNSIGNED_BYTE);
    gl.drawArrays(gl.TRIANGLES, 0, this.#lineCount * 6);
    this.#begin(this.nodes, camera, size);
    gl.uniform1f(this.#uniform(this.nodes, "grown"), growth(camera.scale) * ratio);
    this.#attribute("place", "places", 2, gl.FLOAT);
    this.#attribute("radius", "radii", 1, gl.FLOAT);
    this.#attribute("colour", "colours", 4, gl.UNSIGNED_BYTE);
    this.#attribute("shape", "shapes", 1, gl.FLOAT);
    gl.drawArrays(gl.POINTS, 0, this.#nodeCount);
  }

  #begin(program: WebGLProgram, { x, y, scale }: Camera, { width, height }: Size): void {
    const { gl } = this;
    gl.useProgram(program);
    gl.uniform2f(this.#uniform(program, "middle"), x, y);
    gl.uniform2f(this.#uniform(program, "half_size"), width / 2, height / 2);
    gl.uniform1f(this.#uniform(program, "scale"), scale);
  }

  /** Where a uniform lies: asking the card again and again would take longer than drawing. */
  #uniform(program: WebGLProgram, name: string): WebGLUniformLocation | null {
    const known = this.#uniforms.get(program) ?? new Map<string, WebGLUniformLocation | null>();
    this.#uniforms.set(program, known);
    if (!known.has(name)) known.set(name, this.gl.getUniformLocation(program, name));
    return known.get(name) ?? null;
  }

  /** Says where an attribute lies; `stride` and `offset` are in bytes, where several lie side by side. */
  #attribute(name: string, buffer: string, size: number, type: number, stride = 0, offset = 0): void {
    const { gl } = this;
    const location = ATTRIBUTES.indexOf(name);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffers[buffer] ?? null);
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, type, type === gl.UNSIGNED_BYTE, stride, offset);
  }

  dispose(): void {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

/** Six corners for each line: where each is, which way the line goes, and on which side of it the corner lies. */
function corners({ lines, lineColours }: Scene): { lines: Float32Array; lineColours: Uint8Array } {
  const count = lines.length / 4;
  const [places, paints] = [new Float32Array(count * 30), new Uint8Array(count * 24)];
  for (let at = 0; at < count; at += 1) {
    const [x = 0, y = 0, toX = 0, toY = 0] = lines.subarray(at * 4, at * 4 + 4);
    const way = [toX - x, toY - y];
    const [left, right] = [
      [x, y, ...way, 1],
      [x, y, ...way, -1],
    ];
    const [farLeft, farRight] = [
      [toX, toY, ...way, 1],
      [toX, toY, ...way, -1],
    ];
    places.set([left, right, farLeft, farLeft, right, farRight].flat(), at * 30);
    for (let corner = 0; corner < 6; corner += 1) {
      paints.set(lineColours.subarray(at * 4, at * 4 + 4), (at * 6 + corner) * 4);
    }
  }
  return { lines: places, lineColours: paints };
}

function program(gl: WebGLRenderingContext, vertex: string, fragment: string): WebGLProgram | undefined {
  const made = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(type);
    if (shader === null) return undefined;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  ATTRIBUTES.forEach((name, at) => gl.bindAttribLocation(made, at, name));
  gl.linkProgram(made);
  return gl.getProgramParameter(made, gl.LINK_STATUS) === true ? made : undefined;
}
