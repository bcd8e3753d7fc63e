/** From where the graph is looked at: which place is in the middle, and how many pixels a unit has. */

export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Spot {
  readonly x: number;
  readonly y: number;
}

const [SMALLEST, LARGEST] = [0.5, 240];

export function toScreen({ x, y, scale }: Camera, size: Size, place: Spot): Spot {
  return { x: (place.x - x) * scale + size.width / 2, y: (place.y - y) * scale + size.height / 2 };
}

export function toPlace({ x, y, scale }: Camera, size: Size, spot: Spot): Spot {
  return { x: (spot.x - size.width / 2) / scale + x, y: (spot.y - size.height / 2) / scale + y };
}

/** Moves by pixels. */
export function pan(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.scale, y: camera.y - dy / camera.scale };
}

/** Comes nearer or goes back; what is at a spot stays there. */
export function zoom(camera: Camera, size: Size, spot: Spot, factor: number): Camera {
  const scale = Math.min(Math.max(camera.scale * factor, SMALLEST), LARGEST);
  const fixed = toPlace(camera, size, spot);
  const [dx, dy] = [spot.x - size.width / 2, spot.y - size.height / 2];
  return { x: fixed.x - dx / scale, y: fixed.y - dy / scale, scale };
}

/** Looks at places so that all are seen, and no nearer than one can make sense of. */
export function fit(places: Iterable<Spot>, size: Size): Camera {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of places) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  if (left > right) return { x: 0, y: 0, scale: 40 };
  const margin = Math.min(size.width, size.height) * 0.08;
  const across = (size.width - 2 * margin) / Math.max(right - left, 1);
  const down = (size.height - 2 * margin) / Math.max(bottom - top, 1);
  const scale = Math.min(Math.max(Math.min(across, down), SMALLEST), 90);
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale };
}
