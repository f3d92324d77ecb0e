import { Decimal } from "../../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject, jsonEquals, writeJson } from "../../base/json/json.ts";
import { listOf, recordsIn, text } from "../../base/json/parts.ts";
import type { CalibrationAsker, Question, CalibrationAnswer } from "../asker.ts";
import { isSteady, namesFor } from "../spellings.ts";
import { LEDGER_PARAMETERS } from "./names.ts";
import { MOST_ROWS } from "./writer.ts";
import { settingAt, withSetting } from "../finding.ts";

/** A list of the ledger that was read without parameters. */
export interface SeenList {
  readonly question: Pick<Question, "operation" | "input">;
  /** The answer with its first page. */
  readonly answer: CalibrationAnswer;
  /** The records of that page. */
  readonly rows: readonly Json[];
  /** The bookmark of the next page; undefined if the answer has none, or an empty one. */
  readonly bookmark: string | undefined;
}

const PAGE_SIZE = ["ledger", "parameters", "pageSize"];
const BOOKMARK = ["ledger", "parameters", "bookmark"];
const LAST_BOOKMARK = ["ledger", "lastBookmark"];

/** Reads a list as it is; `undefined` if the ledger refuses. */
export async function readList(
  asker: CalibrationAsker,
  question: SeenList["question"],
  more: Partial<Question> = {},
): Promise<SeenList | undefined> {
  const answer = await asker.read({ ...question, ...more });
  const payload = asker.payload(answer);
  if (!isObject(payload)) return undefined;
  return { question, answer, rows: listOf(payload["records"]), bookmark: text(payload["bookmark"]) };
}

/** Finds the names of the paging parameters, the usual page size and the last bookmark, from lists with more than one record. */
export async function findPaging(asker: CalibrationAsker, lists: readonly SeenList[]): Promise<void> {
  const { findings } = asker;
  const long = lists.find(({ rows }) => rows.length > 1);
  if (long === undefined) {
    for (const setting of [PAGE_SIZE, BOOKMARK, ["ledger", "pageSize"]])
      findings.leave(setting, "no list has more than one record");
  } else {
    await findPageSizeName(asker, long);
    await findBookmarkName(asker, long);
    if (findings.isDecided(PAGE_SIZE)) await findUsualSize(asker, lists);
  }
  await findLastBookmark(asker, lists);
}

async function findPageSizeName(asker: CalibrationAsker, { question, rows }: SeenList): Promise<void> {
  const { findings } = asker;
  const input = { ...question.input, pageSize: Decimal.of(1) };
  for (const name of namesFor(asker, PAGE_SIZE, LEDGER_PARAMETERS.pageSize)) {
    const profile = withSetting(findings.profile, PAGE_SIZE, name);
    const sized = (): Promise<SeenList | undefined> => readList(asker, { ...question, input }, { profile });
    const page = await sized();
    if (page === undefined || !isFirstOf(rows, page)) continue;
    const isLong = async (): Promise<boolean> => ((await readList(asker, question))?.rows.length ?? 0) > 1;
    const isFirst = async (): Promise<boolean> => isFirstOf(rows, await sized());
    if (!(await isSteady(isFirst, isLong))) continue;
    const why = `a size of 1 gives one record of ${rows.length} in a list`;
    return findings.observe(PAGE_SIZE, name, why, [page.answer.exchange]);
  }
  findings.leave(PAGE_SIZE, "no known name made a size of 1 give one record");
}

function isFirstOf([first = null]: readonly Json[], page: SeenList | undefined): boolean {
  return page?.rows.length === 1 && jsonEquals(page.rows[0] ?? null, first);
}

async function findBookmarkName(asker: CalibrationAsker, long: SeenList): Promise<void> {
  const { findings } = asker;
  const sized = findings.isDecided(PAGE_SIZE);
  const input: JsonObject = sized ? { ...long.question.input, pageSize: Decimal.of(1) } : { ...long.question.input };
  const question = { operation: long.question.operation, input };
  const first = sized ? await readList(asker, question) : long;
  const bookmark = first?.bookmark;
  if (first === undefined || bookmark === undefined)
    return findings.leave(BOOKMARK, "no page names a bookmark of a page after it");
  for (const name of namesFor(asker, BOOKMARK, LEDGER_PARAMETERS.bookmark)) {
    const profile = withSetting(findings.profile, BOOKMARK, name);
    const second = await readList(asker, question, { profile, page: bookmark });
    const row = second?.rows[0];
    if (second === undefined || row === undefined || haveShared(first.rows, second.rows)) continue;
    if (sized && !jsonEquals(row, long.rows[1] ?? null)) continue;
    // A list that ignores the name gives its first page again. Others may have created the records of that page only now.
    const isElsewhere = async (): Promise<boolean> => !haveShared((await readList(asker, question))?.rows ?? [], second.rows);
    const isThere = async (): Promise<boolean> =>
      jsonEquals((await readList(asker, question, { profile, page: bookmark }))?.rows[0] ?? null, row);
    if (!(await isSteady(isThere, isElsewhere))) continue;
    const why = "the bookmark of the first page gives the records after it";
    return findings.observe(BOOKMARK, name, why, [first.answer.exchange, second.answer.exchange]);
  }
  findings.leave(BOOKMARK, "no known name made a bookmark give the page after it", [first.answer.exchange]);
}

function haveShared(some: readonly Json[], others: readonly Json[]): boolean {
  return some.some((one) => others.some((other) => jsonEquals(one, other)));
}

// If a list continues after a page that was requested without a size, that page has the usual size. A larger size must then return more.
async function findUsualSize(asker: CalibrationAsker, lists: readonly SeenList[]): Promise<void> {
  const { findings } = asker;
  const setting = ["ledger", "pageSize"];
  for (const { question, rows, answer, bookmark } of lists) {
    if (bookmark === undefined || rows.length === 0) continue;
    const input = { ...question.input, pageSize: Decimal.of(rows.length + 1) };
    const larger = await readList(asker, { ...question, input });
    if (larger?.rows.length !== rows.length + 1) continue;
    const again = await readList(asker, question);
    if (again?.rows.length !== rows.length || again.bookmark === undefined) continue;
    const why = `a list that continues has ${rows.length} records on its first page when no size is named`;
    return findings.observe(setting, Decimal.of(rows.length), why, [answer.exchange, larger.answer.exchange]);
  }
  findings.leave(setting, "every list ends on its first page");
}

/** A bookmark after which a list is empty, and the record before it. */
interface ListEnd {
  readonly bookmark: string;
  readonly last: Json;
  readonly answer: CalibrationAnswer;
}

// A bookmark that marks a place differs from list to list. A bookmark that means the end is the same everywhere.
async function findLastBookmark(asker: CalibrationAsker, lists: readonly SeenList[]): Promise<void> {
  const { findings } = asker;
  const ends: ListEnd[] = [];
  let harmless = 0;
  for (const { question } of lists) {
    const sized = findings.isDecided(PAGE_SIZE) ? { pageSize: Decimal.of(MOST_ROWS) } : {};
    const whole = await readList(asker, { ...question, input: { ...question.input, ...sized } });
    if (whole === undefined || whole.rows.length >= MOST_ROWS) continue;
    if (whole.bookmark === undefined) {
      harmless += 1;
      continue;
    }
    if (!findings.isDecided(BOOKMARK)) continue;
    const after = await readList(asker, whole.question, { page: whole.bookmark });
    const again = after?.rows.filter((row) => !whole.rows.some((each) => jsonEquals(each, row))) ?? [];
    if (again.length > 0) continue; // the list continues
    if (after?.rows.length === 0 && (after.bookmark === undefined || after.bookmark === whole.bookmark)) harmless += 1;
    ends.push({ bookmark: whole.bookmark, last: whole.rows.at(-1) ?? null, answer: whole.answer });
  }
  const [first] = ends;
  const evidence = ends.map(({ answer }) => answer.exchange);
  const differs = new Set(ends.map(({ last }) => JSON.stringify(last))).size > 1;
  if (first !== undefined && differs && ends.every(({ bookmark }) => bookmark === first.bookmark)) {
    const why = "lists with different records end with the same bookmark";
    return findings.observe(LAST_BOOKMARK, first.bookmark, why, evidence);
  }
  if (harmless > 0 && harmless >= ends.length) {
    const found = settingAt(findings.profile, LAST_BOOKMARK) ?? "";
    const why = "the last page has no bookmark, or an empty page with the same one follows";
    return findings.decide(LAST_BOOKMARK, { strength: "consistent", found, why, evidence });
  }
  findings.leave(LAST_BOOKMARK, "no list was read to its end", evidence);
}

/** Finds the id attribute of each asset type: the only attribute of the data that equals the id in every asset. */
export function findPrimaryKeys({ findings }: CalibrationAsker, lists: readonly SeenList[]): void {
  const assets = lists.filter(({ question }) => question.operation === "ledger.asset.list");
  const byType = Map.groupBy(
    assets.flatMap(({ rows }) => recordsIn(rows)),
    ({ assetType }) => text(assetType) ?? "",
  );
  const evidence = assets.slice(0, 1).map(({ answer }) => answer.exchange);
  for (const [type, rows] of byType) {
    const keys = rows.map(({ id, data }) =>
      isObject(data) ? Object.keys(data).filter((key) => jsonEquals(data[key] ?? null, id ?? null)) : [],
    );
    const [only, ...others] = (keys[0] ?? []).filter((key) => keys.every((each) => each.includes(key)));
    const setting = ["ledger", "primaryKey", type];
    if (type === "" || only === undefined || others.length > 0) continue;
    const usual = only === "id" && settingAt(findings.profile, setting) === undefined;
    // In a single asset, another attribute may have the value of the id by chance.
    const [strength, why] =
      new Set(rows.map(({ id }) => writeJson(id))).size > 1
        ? (["observed", `data.${only} is the id of each ${type}`] as const)
        : (["consistent", `data.${only} is the id of the only ${type} that was seen`] as const);
    if (!usual) findings.decide(setting, { strength, found: only, why, evidence });
    else {
      const found = settingAt(findings.profile, ["ledger", "primaryKey"]) ?? {};
      findings.decide(["ledger", "primaryKey"], { strength, found, why, evidence });
    }
  }
  if (byType.size === 0) findings.leave(["ledger", "primaryKey"], "there is no asset to look at");
}
