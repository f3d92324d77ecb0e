import type { Keyword, Table } from "./keyword.ts";
import { PLAYBOOK } from "./playbook.ts";

/** Returns the keywords of the map at a path of a playbook; `undefined` if there are none. In the path, an item of a list may be any text. */
export function keywordsAt(path: readonly string[]): Table | undefined {
  let table: Table | undefined = PLAYBOOK;
  for (let at = 0; at < path.length && table !== undefined; at++) {
    const keyword: Keyword | undefined = Object.hasOwn(table, path[at] ?? "") ? table[path[at] ?? ""] : undefined;
    const each: Keyword["each"] = keyword?.each;
    table = each !== undefined && ++at < path.length ? each() : keyword?.inside?.();
  }
  return table;
}
