/** Tables as CSV, for spreadsheets. */

export type Cell = string | number;

/** Writes rows as RFC 4180 has it: lines end with CR and LF, and what could be mistaken stands in quotes. */
export function toCsv(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [head, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(value: Cell): string {
  if (typeof value === "number") return String(Math.round(value * 1e6) / 1e6);
  const text = harmless(value);
  return /[",\r\n']/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A spreadsheet runs what begins like a formula; names of projects and models come from elsewhere. */
function harmless(text: string): string {
  return /^\s*[=+\-@\t\r]/u.test(text) ? `'${text}` : text;
}

/** Has the browser keep a text as a file. */
export function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
