/** Names for what the daemon tells of trees. */

import type { Answer } from "../../api/client";

type Item<T> = T extends { items: (infer I)[] } ? I : never;

export type RootRow = Item<Answer<"get", "/api/v1/forest">>;
export type Shape = Item<Answer<"get", "/api/v1/forest/roots/{root}/topology">>;
export type Message = Answer<"get", "/api/v1/forest/message">;
export type Bookmark = Item<Answer<"get", "/api/v1/forest/bookmarks">>;
export type Restorable = Item<Answer<"get", "/api/v1/forest/deleted">>;
export type Parting = Answer<"get", "/api/v1/forest/diff">;
