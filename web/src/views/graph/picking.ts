/** Finds the node under the pointer among many: they are kept in squares, and only the near ones are looked at. */

import type { Spot } from "./camera";

const SIDE = 2;

export class Squares {
  readonly #squares = new Map<string, number[]>();
  readonly #places: readonly Spot[];

  /** Takes the places of all nodes, and which of them are shown. */
  constructor(places: readonly Spot[], isShown: (at: number) => boolean) {
    this.#places = places;
    places.forEach((place, at) => {
      if (!isShown(at)) return;
      const key = name(Math.floor(place.x / SIDE), Math.floor(place.y / SIDE));
      const members = this.#squares.get(key);
      if (members === undefined) this.#squares.set(key, [at]);
      else members.push(at);
    });
  }

  /** The nearest node to a place, if it is not further than that. */
  nearest(place: Spot, reach: number): number | undefined {
    const [left, right] = [place.x - reach, place.x + reach].map((x) => Math.floor(x / SIDE));
    const [top, bottom] = [place.y - reach, place.y + reach].map((y) => Math.floor(y / SIDE));
    let [found, least]: [number | undefined, number] = [undefined, reach];
    for (let column = left ?? 0; column <= (right ?? 0); column += 1) {
      for (let row = top ?? 0; row <= (bottom ?? 0); row += 1) {
        for (const at of this.#squares.get(name(column, row)) ?? []) {
          const there = this.#places[at];
          const distance = there === undefined ? Infinity : Math.hypot(there.x - place.x, there.y - place.y);
          if (distance <= least) [found, least] = [at, distance];
        }
      }
    }
    return found;
  }
}

function name(column: number, row: number): string {
  return `${column} ${row}`;
}
