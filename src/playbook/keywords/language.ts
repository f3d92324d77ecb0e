import type { Keyword, Table } from "./keyword.ts";
import { PLAYBOOK } from "./playbook.ts";

/** The keywords of the map at a path of a playbook, in which an item of a list is any text; `undefined` where there are none. */
export function keywordsAt(path: readonly string[]): Table | undefined {
  let table: Table | undefined = PLAYBOOK;
  for (let at = 0; at < path.length && table !== undefined; at++) {
    const keyword: Keyword | undefined = Object.hasOwn(table, path[at] ?? "") ? table[path[at] ?? ""] : undefined;
    const each: Keyword["each"] = keyword?.each;
    table = each !== undefined && ++at < path.length ? each() : keyword?.inside?.();
  }
  return table;
}
