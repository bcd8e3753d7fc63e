/** Returns a function that does something a while after it was called, once, however often it was called meanwhile. */
export function afterAWhile(act: () => void, milliseconds: number): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      act();
    }, milliseconds);
  };
}
