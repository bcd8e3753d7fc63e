const FIRST_WORD_MS = 1000;

/** Runs something, and calls `say` once if it takes longer than a second. */
export async function withProgress<T>(run: Promise<T>, say: () => void): Promise<T> {
  const timer = setTimeout(say, FIRST_WORD_MS);
  try {
    return await run;
  } finally {
    clearTimeout(timer);
  }
}
