/** Something that the person or the agent who asked is to read, in one sentence or two. */
export class BrainError extends Error {}
