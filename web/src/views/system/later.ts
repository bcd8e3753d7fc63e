/** Returns how to have something done a moment later, once, however often it is asked for until then. */
export function later(pause: number, work: () => void): () => void {
  let isComing = false;
  return () => {
    if (isComing) return;
    isComing = true;
    setTimeout(() => {
      isComing = false;
      work();
    }, pause);
  };
}
