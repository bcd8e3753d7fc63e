/** A line of Markdown, as far as it stands within a line: code and what stands out. Everything else is text. */

export interface Inline {
  readonly kind: "text" | "code" | "strong";
  readonly text: string;
}

export function readInline(line: string): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  for (const match of line.matchAll(/`([^`\n]+)`|\*\*([^*\n]+)\*\*/gu)) {
    const [whole, code, strong] = match;
    if (match.index > end) parts.push({ kind: "text", text: line.slice(end, match.index) });
    if (code !== undefined) parts.push({ kind: "code", text: code });
    if (strong !== undefined) parts.push({ kind: "strong", text: strong });
    end = match.index + whole.length;
  }
  if (end < line.length) parts.push({ kind: "text", text: line.slice(end) });
  return parts;
}
