/** Values out of JSON that anybody may have written: what is not of the kind that is wanted counts as not there. */

/** An object, of whose members nothing is known. */
export type Json = Readonly<Record<string, unknown>>;

const NOTHING: Json = Object.freeze(Object.create(null) as Json);

export function recordOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : NOTHING;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function booleanOf(value: unknown): boolean {
  return value === true;
}

/** Writes a value for people to read, whatever it is. */
export function pretty(value: unknown): string {
  try {
    return value === undefined ? "" : JSON.stringify(value, null, 2);
  } catch {
    return "(cannot be shown)";
  }
}
