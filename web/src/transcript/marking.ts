/** Marks words wherever they are shown, without touching what is shown: the browser paints over ranges of text. */

const NAME = "found";

/** More places than this are not marked: nobody reads them, and each costs time. */
const MOST = 2_000;

/** Marks words in an element, also in what is put into it later. */
export function marking(words: readonly string[]): (root: HTMLElement) => () => void {
  return (root) => {
    const wanted = words.map((word) => word.toLowerCase()).filter((word) => word !== "");
    if (wanted.length === 0 || !("highlights" in CSS)) return () => undefined;
    let frame = 0;
    const mark = (): void => {
      CSS.highlights.set(NAME, new Highlight(...rangesOf(root, wanted)));
    };
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(mark);
    });
    observer.observe(root, { childList: true, subtree: true, characterData: true });
    mark();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(NAME);
    };
  };
}

/** Finds where the words stand in an element. */
export function rangesOf(root: Node, words: readonly string[]): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() && ranges.length < MOST) {
    const node = texts.currentNode;
    const text = node.textContent?.toLowerCase() ?? "";
    // A few letters become longer when they are made small, and then places no longer fit.
    if (text.length !== node.textContent?.length) continue;
    for (const word of words) {
      for (
        let at = text.indexOf(word);
        at !== -1 && ranges.length < MOST;
        at = text.indexOf(word, at + word.length)
      ) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}
