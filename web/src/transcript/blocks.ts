/** What messages are made of. */

import { booleanOf, recordOf, textOf, type Json } from "./json";

export interface ToolCall {
  readonly kind: "toolCall";
  readonly id: string;
  readonly name: string;
  readonly arguments: Json;
}

export type Block =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string; readonly isRedacted: boolean }
  | { readonly kind: "image"; readonly source: string | null; readonly media: string; readonly bytes: number }
  | ToolCall
  | { readonly kind: "unknown"; readonly raw: unknown };

/** Reads the content of a message: a text, or a list of blocks. */
export function blocksOf(content: unknown): Block[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  return Array.isArray(content) ? content.map(blockOf) : [];
}

function blockOf(raw: unknown): Block {
  if (typeof raw === "string") return { kind: "text", text: raw };
  const json = recordOf(raw);
  switch (json.type) {
    case "text":
      return { kind: "text", text: textOf(json.text) };
    case "thinking":
      return { kind: "thinking", text: textOf(json.thinking), isRedacted: booleanOf(json.redacted) };
    case "image":
      return imageOf(json);
    case "toolCall":
      return {
        kind: "toolCall",
        id: textOf(json.id),
        name: textOf(json.name),
        arguments: recordOf(json.arguments),
      };
    default:
      return { kind: "unknown", raw };
  }
}

/** Kinds of images that are only pixels. A drawing (SVG) is a document, and is not shown. */
const PIXELS = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"]);

/** An image is shown only if all of it is in the file: its address then names no other host. */
function imageOf(json: Json): Block {
  const data = textOf(json.data);
  const media = textOf(json.mimeType);
  const isShown = PIXELS.has(media) && /^[A-Za-z0-9+/]+={0,2}$/u.test(data);
  return {
    kind: "image",
    source: isShown ? `data:${media};base64,${data}` : null,
    media,
    bytes: Math.floor((data.length * 3) / 4),
  };
}

/** All that the blocks say, as one text. */
export function wordsOf(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n\n");
}

export function callsOf(blocks: readonly Block[]): ToolCall[] {
  return blocks.filter((block) => block.kind === "toolCall");
}
