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
  attribute vec2 other;
  attribute float side;
  attribute vec4 colour;
  uniform float thickness;
  varying vec4 paint;
  ${VIEW}
  void main() {
    vec2 way = normalize(other - place + vec2(1e-6, 0.0));
    vec2 across = vec2(-way.y, way.x) * side * thickness;
    gl_Position = seen(place + across / scale);
    paint = colour;
  }
`;

const LINE_FRAGMENT = `
  precision mediump float;
  varying vec4 paint;
  void main() {
    gl_FragColor = vec4(paint.rgb, 1.0) * paint.a;
  }
`;

/** Returns what draws on a canvas, or nothing where there is no WebGL. */
export function webglPainter(canvas: HTMLCanvasElement): Painter | undefined {
  const gl = canvas.getContext("webgl", { antialias: true, premultipliedAlpha: true });
  if (gl === null) return undefined;
  const nodes = program(gl, NODE_VERTEX, NODE_FRAGMENT);
  const lines = program(gl, LINE_VERTEX, LINE_FRAGMENT);
  if (nodes === undefined || lines === undefined) return undefined;
  return new WebGlPainter(gl, nodes, lines);
}

class WebGlPainter implements Painter {
  readonly kind = "webgl";
  readonly #buffers: Record<string, WebGLBuffer | null>;
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
    gl.uniform1f(gl.getUniformLocation(this.lines, "thickness"), thickness(camera.scale) / 2);
    this.#attribute(this.lines, "place", "lines", 2, gl.FLOAT, 20, 0);
    this.#attribute(this.lines, "other", "lines", 2, gl.FLOAT, 20, 8);
    this.#attribute(this.lines, "side", "lines", 1, gl.FLOAT, 20, 16);
    this.#attribute(this.lines, "colour", "lineColours", 4, gl.UNSIGNED_BYTE);
    gl.drawArrays(gl.TRIANGLES, 0, this.#lineCount * 6);
    this.#begin(this.nodes, camera, size);
    gl.uniform1f(gl.getUniformLocation(this.nodes, "grown"), growth(camera.scale) * ratio);
    this.#attribute(this.nodes, "place", "places", 2, gl.FLOAT);
    this.#attribute(this.nodes, "radius", "radii", 1, gl.FLOAT);
    this.#attribute(this.nodes, "colour", "colours", 4, gl.UNSIGNED_BYTE);
    this.#attribute(this.nodes, "shape", "shapes", 1, gl.FLOAT);
    gl.drawArrays(gl.POINTS, 0, this.#nodeCount);
  }

  #begin(program: WebGLProgram, { x, y, scale }: Camera, { width, height }: Size): void {
    const { gl } = this;
    gl.useProgram(program);
    gl.uniform2f(gl.getUniformLocation(program, "middle"), x, y);
    gl.uniform2f(gl.getUniformLocation(program, "half_size"), width / 2, height / 2);
    gl.uniform1f(gl.getUniformLocation(program, "scale"), scale);
  }

  /** Says where an attribute lies; `stride` and `offset` are in bytes, where several lie side by side. */
  #attribute(
    program: WebGLProgram,
    name: string,
    buffer: string,
    size: number,
    type: number,
    stride = 0,
    offset = 0,
  ): void {
    const { gl } = this;
    const location = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffers[buffer] ?? null);
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, type, type === gl.UNSIGNED_BYTE, stride, offset);
  }

  dispose(): void {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

/** Six corners for each line: where it begins and ends, on either side. */
function corners({ lines, lineColours }: Scene): { lines: Float32Array; lineColours: Uint8Array } {
  const count = lines.length / 4;
  const [places, paints] = [new Float32Array(count * 30), new Uint8Array(count * 24)];
  for (let at = 0; at < count; at += 1) {
    const [x = 0, y = 0, toX = 0, toY = 0] = lines.subarray(at * 4, at * 4 + 4);
    // Seen from its other end, a line has its sides exchanged.
    const [left, right] = [
      [x, y, toX, toY, 1],
      [x, y, toX, toY, -1],
    ];
    const [farLeft, farRight] = [
      [toX, toY, x, y, -1],
      [toX, toY, x, y, 1],
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
  gl.linkProgram(made);
  return gl.getProgramParameter(made, gl.LINK_STATUS) === true ? made : undefined;
}
