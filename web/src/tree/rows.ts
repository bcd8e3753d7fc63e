/** An entry in its tree: what the daemon tells of it, as far as trees and transcripts need it. */
export interface TreeRow {
  /** The line of the file, which names the entry here: ids may be missing, or occur twice. */
  readonly line: number;
  /** The line of the entry that it follows. */
  readonly parentLine?: number | null;
  readonly id?: string | null;
  readonly type: string;
  readonly role?: string | null;
  /** How it begins, on one line. */
  readonly text: string;
  readonly label?: string | null;
  readonly timestamp?: string | null;
  /** Whether pi would go on here. */
  readonly isLeaf: boolean;
}

/** How an entry is named in an address. */
export function nameOfRow(row: TreeRow): string {
  return row.id ?? `line-${row.line}`;
}

/** A word for whoever speaks, or for what happens; the same as in the terminal. */
export function whoOf(row: TreeRow): string {
  if (row.type !== "message") return WHO_BY_TYPE.get(row.type) ?? row.type;
  return WHO_BY_ROLE.get(row.role ?? "") ?? row.role ?? "message";
}

const WHO_BY_TYPE = new Map([
  ["model_change", "model"],
  ["thinking_level_change", "thinking"],
  ["branch_summary", "summary"],
  ["custom_message", "extension"],
  ["session_info", "name"],
  ["context_edit", "edit"],
]);

const WHO_BY_ROLE = new Map([
  ["toolResult", "tool"],
  ["bashExecution", "shell"],
  ["custom", "extension"],
  ["hookMessage", "extension"],
]);
