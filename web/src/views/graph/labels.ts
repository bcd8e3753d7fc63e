/** Which labels are written: the most important ones, none over another. */

export interface Label {
  readonly text: string;
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

  /** Takes the room for a label if nothing is there. */
  put({ x, y, width, height }: Omit<Label, "text">): boolean {
    const box = {
      left: x - width / 2 - GAP,
      right: x + width / 2 + GAP,
      top: y - height - GAP / 2,
      bottom: y + GAP / 2,
    };
    const isFree = this.#taken.every(
      (other) =>
        box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom,
    );
    if (isFree) this.#taken.push(box);
    return isFree;
  }
}

/** The beginning of a text, at the end of a word if there is one. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most);
  const end = cut.lastIndexOf(" ");
  return `${cut.slice(0, end > most / 2 ? end : most).replace(/[\s.,;:–-]+$/u, "")}…`;
}
