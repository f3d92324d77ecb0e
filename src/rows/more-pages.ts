import { Decimal } from "../base/numbers/decimal.ts";
import { Failure } from "../base/failure.ts";
import { isObject, type Json, shownJson } from "../base/json/json.ts";
import { count } from "../base/text/text.ts";

/** What was read of a list when nothing named a further page. */
export interface ReadToEnd {
  /** The last answer. */
  readonly response: Json;
  /** Its headers, by their names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  /** How many pages were read. */
  readonly pages: number;
  /** How many rows were read on all of them. */
  readonly rows: number;
  /** Whether the playbook's `next` ended the list. */
  readonly isByNext: boolean;
}

/** A field of an answer, outside of its lists, or a header of it. */
interface AnswerField {
  readonly name: string;
  readonly path: string;
  readonly value: Json;
  readonly isAboutList: boolean;
}

/**
 * Throws a Failure if the last answer itself says that there are more pages. Without `next`, all its fields about the list count, because many APIs
 * describe their pages in the answer only. An expression may have a reason to end earlier, except where the answer plainly says that more rows follow.
 */
export function assertAtEnd({ response, headers, pages, rows, isByNext }: ReadToEnd): void {
  const fields = [...fieldsOf(response), ...fieldsOfHeaders(headers)];
  const signs: readonly ((field: AnswerField) => boolean)[] = isByNext
    ? [saysMore]
    : [saysMore, names(NEXT, isGiven), names(ROWS, isMoreThan(rows)), names(PAGES, isMoreThan(pages))];
  const sign = fields.find((field) => signs.some((isSign) => isSign(field)));
  if (sign === undefined) return;
  const { path, value } = sign;
  throw new Failure({
    code: "source.unreadable",
    message: `page ${pages} of the API is not the last one: its ${path} ${shown(value)}, and ${count(rows, "row")} ${rows === 1 ? "was" : "were"} read`,
    next: isByNext
      ? "correct `next`, which gives no further page"
      : 'name the next page: next: response.next. If there is none, write next: "null"',
  });
}

// An address may repeat a key from the address of the API, so it is not shown.
function shown(value: Json): string {
  return value instanceof Decimal || typeof value === "boolean" ? `is ${shownJson(value)}` : "names another page";
}

const MORE = /^has_?(?:more|next)(?:_?(?:pages?|items|results|rows))?$/i;
const NEXT = /^(?:@odata\.)?(?:next|after)(?:_?(?:page|link|url|uri|href|cursor|page_?token|token|offset))?$/i;
const ROWS = /^(?:count|total(?:_?(?:count|items|elements|records|results|rows|entries))?)$/i;
const PAGES = /^(?:total_?pages|page_?count|last_?page)$/i;

// In other parts of an answer, a field such as `total` means something else.
const PARTS = /^_?(?:meta|metadata|page|paging|pagination|page_?info|links|data|result|response)$/i;

function* fieldsOf(value: Json, path: string = "", isAboutList: boolean = true): Generator<AnswerField> {
  if (!isObject(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    yield { name, path: `${path}${name}`, value: inner, isAboutList };
    yield* fieldsOf(inner, `${path}${name}.`, isAboutList && PARTS.test(name));
  }
}

// Some APIs give a list without anything around it, and headers such as `X-Total-Count` and `Content-Range: items 0-99/250`.
function fieldsOfHeaders(headers: ReadToEnd["headers"]): readonly AnswerField[] {
  return Object.entries(headers).map(([header, text]) => {
    const [, whole] = /^\S+ \d+-\d+\/(\d+)$/.exec(header === "content-range" ? text : "") ?? [];
    const name = whole === undefined ? header.replace(/^x-(?:[a-z]+-(?=total))?/, "").replaceAll("-", "_") : "total";
    return { name, path: `header ${header}`, value: Decimal.parse(whole ?? text) ?? text, isAboutList: header !== name };
  });
}

const names =
  (pattern: RegExp, means: (value: Json) => boolean) =>
  ({ name, value, isAboutList }: AnswerField): boolean =>
    isAboutList && pattern.test(name) && means(value);

const saysMore = ({ name, value }: AnswerField): boolean => MORE.test(name) && value === true;

const isMoreThan =
  (read: number) =>
  (value: Json): boolean =>
    value instanceof Decimal && value.compare(Decimal.of(BigInt(read))) > 0;

function isGiven(value: Json): boolean {
  if (value === null || value === "" || typeof value === "boolean") return false;
  return typeof value !== "object" || value instanceof Decimal || Object.keys(value).length > 0;
}
