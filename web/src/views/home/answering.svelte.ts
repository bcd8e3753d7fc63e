/** What a model makes of a question, as it says it. */

import { untrack } from "svelte";

import type { Answer } from "../../api/client";
import { postForEvents, type ServerEvent } from "../../api/events";
import { asRefusal } from "../../api/loaded.svelte";

export type Given = Answer<"get", "/api/v1/ask">;
export type Source = Given["sources"][number];

export class ModelAnswer {
  #text = $state("");
  #answer = $state.raw<Given | undefined>();
  #isSpeaking = $state(false);
  #trouble = $state.raw<string | undefined>();

  /** Asks a model whenever there is another question; none if `question` gives none. */
  constructor(question: () => string | undefined) {
    $effect(() => {
      const asked = question();
      untrack(() => this.#begin());
      if (asked === undefined) return;
      const aborter = new AbortController();
      void this.#listen(asked, aborter.signal);
      return () => aborter.abort();
    });
  }

  /** What it has said so far. */
  get text(): string {
    return this.#answer?.answer ?? this.#text;
  }

  /** The whole answer, once it is there. */
  get answer(): Given | undefined {
    return this.#answer;
  }

  get isSpeaking(): boolean {
    return this.#isSpeaking;
  }

  /** Why there is no answer. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  #begin(): void {
    this.#text = "";
    this.#answer = this.#trouble = undefined;
    this.#isSpeaking = false;
  }

  async #listen(question: string, signal: AbortSignal): Promise<void> {
    this.#isSpeaking = true;
    try {
      for await (const event of postForEvents("/api/v1/ask", { query: question }, signal)) this.#hear(event);
    } catch (error) {
      if (!signal.aborted) this.#trouble = asRefusal(error).message;
    }
    if (!signal.aborted) this.#isSpeaking = false;
  }

  #hear({ name, data }: ServerEvent): void {
    switch (name) {
      case "more":
        this.#text += (data as { text: string }).text;
        break;
      case "anew":
        this.#text = "";
        break;
      case "answer":
        this.#answer = data as Given;
        break;
      case "no_answer":
        this.#text = "";
        this.#trouble = (data as { message: string }).message;
        break;
    }
  }
}
