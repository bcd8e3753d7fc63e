/** Texts without end are cut: what comes first and what comes last of them tells most. */

export interface Cut {
  readonly head: string;
  readonly tail: string;
  /** How many characters are left out between the two. */
  readonly left: number;
}

/** Cuts a text to so many characters, at the end of a line where there is one nearby. */
export function cut(text: string, most: number): Cut {
  if (text.length <= most * 1.25) return { head: text, tail: "", left: 0 };
  const ends = Math.floor(most * 0.8);
  const begins = text.length - Math.floor(most * 0.2);
  const lineEnd = text.lastIndexOf("\n", ends);
  const lineStart = text.indexOf("\n", begins) + 1;
  const head = text.slice(0, whole(text, lineEnd > most / 2 ? lineEnd + 1 : ends));
  const tail = text.slice(whole(text, lineStart > 0 && lineStart < begins + most / 10 ? lineStart : begins));
  return { head, tail, left: text.length - head.length - tail.length };
}

/** A place that is not in the middle of a character. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
