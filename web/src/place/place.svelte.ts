/** Where one is: the address says it all, so that every view can be linked, and goes back and forth with the browser. */

export class Place {
  #path = $state(location.pathname);
  #query = $state.raw(new URLSearchParams(location.search));
  #fragment = $state(location.hash.slice(1));

  constructor() {
    addEventListener("popstate", () => this.#look());
    document.addEventListener("click", (event) => this.#follow(event));
  }

  get path(): string {
    return this.#path;
  }

  get query(): URLSearchParams {
    return this.#query;
  }

  get fragment(): string {
    return this.#fragment;
  }

  /** Goes to an address of this page. */
  go(address: string): void {
    if (address !== location.pathname + location.search + location.hash) history.pushState(null, "", address);
    this.#look();
    if (this.#fragment === "") scrollTo(0, 0);
  }

  /**
   * Says something else in the query; what is empty is left out. What is only refined, such as a filter or a selection,
   * makes no step back.
   */
  refine(changes: Record<string, string | number | boolean | null | undefined>): void {
    history.replaceState(null, "", this.with(changes));
    this.#look();
  }

  /** Returns the present address with another query. */
  with(changes: Record<string, string | number | boolean | null | undefined>): string {
    const query = new URLSearchParams(this.#query);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === undefined || value === "" || value === false) query.delete(name);
      else query.set(name, String(value));
    }
    const text = query.toString();
    return text === "" ? this.#path : `${this.#path}?${text}`;
  }

  #look(): void {
    this.#path = location.pathname;
    this.#query = new URLSearchParams(location.search);
    this.#fragment = location.hash.slice(1);
  }

  /** Follows links within the page without loading it anew. */
  #follow(event: MouseEvent): void {
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!isPlain || event.defaultPrevented || link === null) return;
    const isOurs = link.origin === location.origin && !link.pathname.startsWith("/api/");
    if (!isOurs || link.target !== "" || link.hasAttribute("download")) return;
    event.preventDefault();
    this.go(link.pathname + link.search + link.hash);
  }
}

export const place = new Place();
