/** Text of sessions without what plays tricks: the same rules as in the terminal. */

/**
 * Characters that reorder what stands around them, so that a line reads differently from what it is, and control characters.
 * Marks that only say in which direction a neighbour runs are left: languages that are written from right to left need them.
 */
const TRICKS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu;

/** Makes what plays tricks visible as an unknown character. */
export function harmless(text: string): string {
  return text.replace(/\r\n?|[\u2028\u2029]/gu, "\n").replace(TRICKS, "\ufffd");
}

/** The same on one line. */
export function oneLine(text: string): string {
  return harmless(text).replace(/\s+/gu, " ").trim();
}
