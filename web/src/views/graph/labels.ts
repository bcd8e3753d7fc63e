/** Which labels are written: the most important ones, none over another. */

/** The room that a label takes. */
export interface Label {
  /** The middle of its lower edge, in pixels. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const GAP = 4;

/** Keeps labels apart from those that were put before. */
export class Placing {
  readonly #taken: Box[] = [];
  /** What labels should not lie over, but may if there is no other room. */
  readonly #avoided: Box[] = [];

  /** Says that there is something at a spot. */
  avoid(x: number, y: number, radius: number): void {
    this.#avoided.push({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius });
  }

  /** Takes the room for a label if nothing is there; `isPressed` one may lie over what should be avoided. */
  put({ x, y, width, height }: Label, isPressed = true): boolean {
    const box = {
      left: x - width / 2 - GAP,
      right: x + width / 2 + GAP,
      top: y - height - GAP / 2,
      bottom: y + GAP / 2,
    };
    const isClear = this.#taken.every((other) => isApart(box, other));
    const isFree = isClear && (isPressed || this.#avoided.every((other) => isApart(box, other)));
    if (isFree) this.#taken.push(box);
    return isFree;
  }
}

function isApart(one: Box, other: Box): boolean {
  return one.right < other.left || one.left > other.right || one.bottom < other.top || one.top > other.bottom;
}

/** The beginning of a text, at the end of a word if there is one. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most);
  const end = cut.lastIndexOf(" ");
  return `${cut.slice(0, end > most / 2 ? end : most).replace(/[\s.,;:–-]+$/u, "")}…`;
}
