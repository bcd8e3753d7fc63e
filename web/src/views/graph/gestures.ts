/** What is done with a mouse or with fingers: moving, coming nearer, pointing, tapping once and twice. */

import type { Spot } from "./camera";

export interface Doings {
  onpan(dx: number, dy: number): void;
  onzoom(factor: number, spot: Spot): void;
  /** Where the mouse is; nowhere when it has left. */
  onpoint(spot: Spot | undefined): void;
  ontap(spot: Spot): void;
  ondoubletap(spot: Spot): void;
}

/** A finger that moves less has not moved. */
const STEADY = 5;
/** Two taps within this time, in milliseconds, and this distance are one double tap. */
const TWICE = 350;
const SAME_PLACE = 24;

export class Gestures {
  /** The fingers that touch, or the mouse while a button is down. */
  readonly #down = new Map<number, Spot>();
  readonly #ended = new AbortController();
  #moved = 0;
  #last: { time: number; spot: Spot } | undefined;

  constructor(
    readonly element: HTMLElement,
    readonly doings: Doings,
  ) {
    const { signal } = this.#ended;
    element.addEventListener("pointerdown", (event) => this.#press(event), { signal });
    element.addEventListener("pointermove", (event) => this.#move(event), { signal });
    element.addEventListener("pointerup", (event) => this.#release(event), { signal });
    element.addEventListener("pointercancel", ({ pointerId }) => this.#down.delete(pointerId), { signal });
    element.addEventListener("pointerleave", () => doings.onpoint(undefined), { signal });
    element.addEventListener("wheel", (event) => this.#turn(event), { signal, passive: false });
  }

  dispose(): void {
    this.#ended.abort();
  }

  #spot(event: MouseEvent): Spot {
    const { left, top } = this.element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  #press(event: PointerEvent): void {
    if (event.pointerType === "mouse" && event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    if (this.#down.size === 0) this.#moved = 0;
    this.#down.set(event.pointerId, this.#spot(event));
  }

  #move(event: PointerEvent): void {
    const spot = this.#spot(event);
    const before = this.#down.get(event.pointerId);
    if (before === undefined) {
      if (event.pointerType === "mouse") this.doings.onpoint(spot);
      return;
    }
    const [dx, dy] = [spot.x - before.x, spot.y - before.y];
    this.#moved += Math.hypot(dx, dy);
    const other = [...this.#down].find(([id]) => id !== event.pointerId)?.[1];
    this.#down.set(event.pointerId, spot);
    if (other === undefined) {
      if (this.#moved > STEADY) this.doings.onpan(dx, dy);
      return;
    }
    // With two fingers the middle between them moves half as far as one of them.
    const [was, is] = [distance(before, other), distance(spot, other)];
    this.doings.onpan(dx / 2, dy / 2);
    if (was > 0) this.doings.onzoom(is / was, { x: (spot.x + other.x) / 2, y: (spot.y + other.y) / 2 });
  }

  #release(event: PointerEvent): void {
    const wasAlone = this.#down.size === 1;
    if (!this.#down.delete(event.pointerId) || !wasAlone || this.#moved > STEADY) return;
    const [spot, time, last] = [this.#spot(event), event.timeStamp, this.#last];
    const isSecond = last !== undefined && time - last.time < TWICE && distance(spot, last.spot) < SAME_PLACE;
    this.#last = isSecond ? undefined : { time, spot };
    if (isSecond) this.doings.ondoubletap(spot);
    else this.doings.ontap(spot);
  }

  #turn(event: WheelEvent): void {
    event.preventDefault();
    // Some wheels count lines, others pixels.
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 32 : event.deltaY;
    this.doings.onzoom(Math.exp(-Math.max(Math.min(pixels, 240), -240) / 300), this.#spot(event));
  }
}

function distance(one: Spot, other: Spot): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}
