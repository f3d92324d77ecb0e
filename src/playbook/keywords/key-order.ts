import type { KeyOrder } from "../../source/format.ts";
import { INPUT } from "./input.ts";
import type { Table } from "./keyword.ts";
import { keywordsAt } from "./language.ts";
import { FOREACH } from "./shared.ts";

// These hold names that people choose, so their order is kept.
const KEPT: ReadonlySet<Table> = new Set([INPUT, FOREACH]);

/** Orders keywords as in their tables. The content of `with`, inputs and actors keeps its order. */
export const playbookOrder: KeyOrder = (path) => {
  const keywords = keywordsAt(path);
  return keywords === undefined || KEPT.has(keywords) ? undefined : Object.keys(keywords);
};
