/** What happens at the daemon, as it happens: one WebSocket for the whole page. */

import { forgetToken, typedToken } from "./client";

/** What is told: an event of a channel, lines of a session, or that some were missed. */
export type Told =
  | { type: "event"; number: number; channel: string; event: string; data: unknown }
  | { type: "entries"; channel: string; entries: { line: number; entry: unknown }[] }
  | { type: "rewritten"; channel: string }
  | { type: "missed" };

type Listener = (told: Told) => void;

/** How long to wait before the next try, at first and at most. */
const SOON = 500;
const LATEST = 15_000;

class Live {
  #isOpen = $state(false);
  #isLost = $state(false);
  #socket: WebSocket | undefined;
  #pause = SOON;
  #last: { since: string; number: number } | undefined;
  readonly #listeners = new Map<string, Set<Listener>>();

  /** Whether the daemon is heard. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether the daemon was looked for, or heard, and is not there. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Listens to a channel; returns how to stop that. */
  listen(channel: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(channel, listeners);
    if (listeners.size === 1) this.#say({ type: "subscribe", channels: [channel] });
    this.#open();
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      this.#listeners.delete(channel);
      this.#say({ type: "unsubscribe", channels: [channel] });
    };
  }

  #say(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #open(): void {
    if (this.#socket !== undefined) return;
    const typed = typedToken();
    // A browser sends no other headers with a socket than the names of protocols.
    const protocols = typed === undefined ? [] : ["pi-brain", `token.${typed}`];
    const socket = new WebSocket(
      `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`,
      protocols,
    );
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#isOpen = true;
      this.#isLost = false;
      this.#pause = SOON;
      const channels = [...this.#listeners.keys()];
      if (channels.length > 0) this.#say({ type: "subscribe", channels, after: this.#last });
    });
    socket.addEventListener("message", ({ data }) => this.#hear(JSON.parse(data as string) as Heard));
    socket.addEventListener("close", () => {
      this.#socket = undefined;
      this.#isOpen = false;
      this.#isLost = true;
      setTimeout(() => this.#open(), this.#pause);
      this.#pause = Math.min(this.#pause * 2, LATEST);
    });
  }

  #hear(heard: Heard): void {
    if (heard.type === "hello") {
      const isSame = this.#last?.since === heard.since;
      if (this.#last !== undefined && !isSame && typedToken() === undefined) forgetToken();
      this.#last = { since: heard.since, number: isSame ? (this.#last?.number ?? 0) : heard.number };
      return;
    }
    if (heard.type === "event" && this.#last !== undefined) this.#last.number = heard.number;
    if (heard.type === "subscribed" || heard.type === "error") return;
    const channel = heard.type === "missed" ? undefined : heard.channel;
    for (const [name, listeners] of this.#listeners) {
      if (channel === undefined || channel === name) for (const listener of listeners) listener(heard);
    }
  }
}

type Heard =
  | Told
  | { type: "hello"; since: string; number: number }
  | { type: "subscribed"; channels: string[] }
  | { type: "error"; error: { message: string } };

export const live = new Live();
