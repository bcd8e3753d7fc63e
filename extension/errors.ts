import { oneLine } from "./quote.ts";

/**
 * Something that the person or the agent who asked is to read, in one sentence or two. The words may come
 * from the brain, so they are cleaned like everything else that does.
 */
export class BrainError extends Error {
  constructor(message: string) {
    super(oneLine(message, 500));
  }
}
