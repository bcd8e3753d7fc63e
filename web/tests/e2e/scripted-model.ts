/** A model that says what a test has it say, when the test has it say it: OpenAI's chat completions, as far as they are needed. */

import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export class ScriptedModel {
  readonly #server: Server;
  readonly #asked: Promise<ServerResponse>;

  constructor() {
    let hear: (response: ServerResponse) => void;
    this.#asked = new Promise((asked) => (hear = asked));
    this.#server = createServer((request, response) => {
      request.resume();
      request.on("end", () => {
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        hear(response);
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((listening) => this.#server.listen(0, "127.0.0.1", listening));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Says something, once it was asked. */
  async say(text: string): Promise<void> {
    this.#write(await this.#asked, { choices: [{ index: 0, delta: { content: text } }] });
  }

  async finish(): Promise<void> {
    const response = await this.#asked;
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    this.#write(response, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage });
    response.end("data: [DONE]\n\n");
  }

  #write(response: ServerResponse, piece: object): void {
    response.write(`data: ${JSON.stringify(piece)}\n\n`);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
