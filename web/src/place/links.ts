/** The addresses of things, for those who link to them. */

const part = encodeURIComponent;

/** Writes a query behind an address; what is empty is left out. */
function query(address: string, said: Record<string, string | undefined>): string {
  const given = Object.entries(said).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== "",
  );
  return given.length === 0 ? address : `${address}?${new URLSearchParams(given).toString()}`;
}

/** A session, at one of its entries; `file` where several files have one id. */
export function toSession(session: string, at?: string | null, file?: string): string {
  return query(`/sessions/${part(session)}`, { at: at ?? undefined, file });
}

export function toFamily(session: string): string {
  return `/sessions/${part(session)}/family`;
}

/** A unit of work, or a version of it. */
export function toNode(node: string): string {
  return `/nodes/${part(node)}`;
}

export function toSearch(q: string): string {
  return query("/search", { q });
}

export function toTree(root: string, at?: string): string {
  return query(`/forest/${part(root)}`, { at });
}
