import { Decimal } from "../../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject, jsonEquals } from "../../base/json/json.ts";
import { recordsIn, text } from "../../base/json/parts.ts";
import { present } from "../../base/present.ts";
import { timeOfHeader } from "../../base/time/http-date.ts";
import type { InvestorProfile } from "../../contract/profile.ts";
import type { CalibrationAsker, CalibrationAnswer } from "../asker.ts";
import { type SettingDecision, withSetting } from "../finding.ts";
import { type CandidateNames as Names, isSteady, names, namesFor, NOBODYS_PARAMETER } from "../spellings.ts";

/** The evidence that a name is the name of a parameter. */
type ParameterEvidence = Pick<SettingDecision, "why" | "evidence">;

type ParameterKey = keyof InvestorProfile["parameters"];

// The names to try. No name is in two lists.
const INVESTOR_PARAMETERS: Readonly<Record<keyof InvestorProfile["parameters"], Names>> = {
  page: names("page page-number page-no p page-index current-page pg"),
  limit: names("limit page-size size per per-page items-per-page page-limit count take rows max"),
  term: names("term search q query search-term keyword search-text text filter s find"),
  investment: names("investment investment-type type kind category sale-type investment-kind asset-class"),
  status: names("status state sale-status phase status-filter stage"),
  sort: names("sort order sort-by order-by sorting sort-order"),
  quantity: names("quantity qty amount token-quantity tokens units token-count"),
  purchaseDate: names("purchase-date date-of-purchase date bought bought-at purchased-at purchased-on buy-date"),
  timezone: names("timezone tz time-zone zone user-timezone"),
};

/** Token sales in one answer. */
interface SeenSales {
  /** The requested limit. */
  readonly input: JsonObject;
  readonly answer: CalibrationAnswer;
  readonly sales: readonly JsonObject[];
  readonly pagination: JsonObject;
}

/** The limit for reading all sales on one page. */
const MOST_SALES = 100;

const settingOf = (key: ParameterKey): readonly string[] => ["investor", "parameters", key];

async function readSales(
  asker: CalibrationAsker,
  input: JsonObject = {},
  as?: readonly [ParameterKey, string],
  page?: number,
): Promise<SeenSales | undefined> {
  const profile = as === undefined ? asker.findings.profile : withSetting(asker.findings.profile, settingOf(as[0]), as[1]);
  const answer = await asker.read({ operation: "investor.sales.list", input, profile, ...present({ page }) });
  const payload = asker.payload(answer);
  if (!isObject(payload)) return undefined;
  const { pagination } = payload;
  return { input, answer, sales: recordsIn(payload["sales"]), pagination: isObject(pagination) ? pagination : {} };
}

const idsOf = (sales: readonly JsonObject[]): readonly string[] => sales.map(({ id }) => JSON.stringify(id ?? null));
const time = (sale: JsonObject, field: string): number => Date.parse(text(sale[field]) ?? "");
const returns = (sales: readonly JsonObject[]): readonly Json[] => sales.map(({ expectedReturns }) => expectedReturns ?? null);
const falls = (values: readonly Json[]): boolean =>
  values.every((value, at) => {
    const before = at === 0 ? value : values[at - 1];
    return value instanceof Decimal && before instanceof Decimal && before.compare(value) >= 0;
  });
const isSame = (one: readonly string[], other: readonly string[]): boolean => jsonEquals([...one], [...other]);
const isSubset = (part: readonly string[], whole: readonly string[]): boolean => part.every((id) => whole.includes(id));

/** Finds the names of the investor's parameters by their effect on the list of token sales, and the usual page size. */
export async function findInvestorParameters(asker: CalibrationAsker): Promise<void> {
  const all = await readSales(asker);
  if (all === undefined) return;
  await named(asker, all, "limit", (name) => limits(asker, all, name));
  await findUsualLimit(asker, all); // from here on, every read asks for this limit, so its parameter must be known before
  await named(asker, all, "page", (name) => turnsPages(asker, all, name));
  await findByFilters(asker, isWhole(all) ? all : await readWhole(asker));
  await findScheduleNames(asker);
}

// Reads all sales on one page, with the limit parameter that was found.
async function readWhole(asker: CalibrationAsker): Promise<SeenSales | undefined> {
  if (!asker.findings.isDecided(settingOf("limit"))) return undefined;
  const whole = await readSales(asker, { limit: Decimal.of(MOST_SALES) });
  return whole === undefined || !isWhole(whole) ? undefined : whole;
}

async function findByFilters(asker: CalibrationAsker, all: SeenSales | undefined): Promise<void> {
  if (all === undefined) {
    for (const key of ["term", "investment", "status", "sort"] as const)
      asker.findings.leave(settingOf(key), "the list of sales has more than one page");
  } else {
    await named(asker, all, "term", (name) => searches(asker, all, name));
    await named(asker, all, "status", (name) => filtersStatus(asker, all, name));
    await named(asker, all, "investment", (name) => filtersInvestment(asker, all, name));
    await named(asker, all, "sort", (name) => sorts(asker, all, name));
  }
}

async function named(
  asker: CalibrationAsker,
  all: SeenSales,
  key: ParameterKey,
  shows: (name: string) => Promise<ParameterEvidence | undefined>,
): Promise<void> {
  const setting = settingOf(key);
  for (const name of namesFor(asker, setting, INVESTOR_PARAMETERS[key])) {
    const seen = await shows(name);
    const isShown = async (): Promise<boolean> => (await shows(name)) !== undefined;
    if (seen !== undefined && (await isSteady(isShown, () => isAgain(asker, all))))
      return asker.findings.observe(setting, name, seen.why, seen.evidence);
  }
  asker.findings.leave(setting, "no known name changed the list of token sales as described");
}

// Returns whether the list is again as it was without the parameter.
async function isAgain(asker: CalibrationAsker, all: SeenSales): Promise<boolean> {
  const again = await readSales(asker, all.input);
  return again !== undefined && isSame(idsOf(again.sales), idsOf(all.sales));
}

function isWhole({ pagination, sales }: SeenSales): boolean {
  const { totalItems } = pagination;
  return totalItems instanceof Decimal && totalItems.equals(Decimal.of(sales.length));
}

async function findUsualLimit(asker: CalibrationAsker, { input, pagination, answer }: SeenSales): Promise<void> {
  const { limit } = pagination;
  const { findings } = asker;
  const setting = ["investor", "pageSize"];
  if (!(limit instanceof Decimal) || !limit.isInteger())
    return findings.leave(setting, "the list of sales does not say its limit", [answer.exchange]);
  const again = (await readSales(asker, input))?.pagination["limit"];
  if (!(again instanceof Decimal && again.equals(limit)))
    return findings.leave(setting, "the list of sales says now one limit and then another", [answer.exchange]);
  const why = "the list of sales says this limit when none is asked for";
  findings.observe(setting, Decimal.of(limit.approximate()), why, [answer.exchange]);
}

async function limits(asker: CalibrationAsker, all: SeenSales, name: string): Promise<ParameterEvidence | undefined> {
  if (all.sales.length < 2) return undefined;
  const one = await readSales(asker, { limit: Decimal.of(1) }, ["limit", name]);
  if (one?.sales.length !== 1) return undefined;
  return { why: "a limit of 1 gives one sale", evidence: [one.answer.exchange] };
}

async function turnsPages(asker: CalibrationAsker, all: SeenSales, name: string): Promise<ParameterEvidence | undefined> {
  if (!asker.findings.isDecided(settingOf("limit")) || all.sales.length < 2) return undefined;
  const second = await readSales(asker, { limit: Decimal.of(1) }, ["page", name], 2);
  if (second?.sales.length !== 1 || !isSame(idsOf(second.sales), idsOf(all.sales.slice(1, 2)))) return undefined;
  return { why: "page 2 with a limit of 1 gives the second sale", evidence: [second.answer.exchange] };
}

// A text that all sales contain proves nothing. The text must be in some of them only, and the answer must contain these.
async function searches(asker: CalibrationAsker, all: SeenSales, name: string): Promise<ParameterEvidence | undefined> {
  const ids = idsOf(all.sales);
  for (const { description } of all.sales) {
    if (typeof description !== "string" || description.length < 4) continue;
    const having = all.sales.filter((sale) =>
      (text(sale["description"]) ?? "").toLowerCase().includes(description.toLowerCase()),
    );
    if (having.length === all.sales.length) continue;
    const found = await readSales(asker, { ...all.input, term: description }, ["term", name]);
    if (found === undefined || found.sales.length === all.sales.length) return undefined;
    if (!isSubset(idsOf(found.sales), ids) || !isSubset(idsOf(having), idsOf(found.sales))) return undefined;
    return {
      why: "the description of one sale finds it, and not all others",
      evidence: [found.answer.exchange],
    };
  }
  return undefined;
}

async function filtersStatus(asker: CalibrationAsker, all: SeenSales, name: string): Promise<ParameterEvidence | undefined> {
  const now = timeOfHeader(all.answer.date) ?? Number.NaN;
  const fits: readonly ((sale: JsonObject) => boolean)[] = [
    (sale) => time(sale, "startDate") <= now && now < time(sale, "endDate"),
    (sale) => time(sale, "startDate") > now,
    (sale) => time(sale, "endDate") <= now,
  ];
  const evidence = [];
  for (const [at, fit] of fits.entries()) {
    const found = await readSales(asker, { ...all.input, status: Decimal.of(at + 1) }, ["status", name]);
    if (found === undefined || !isSame(idsOf(found.sales), idsOf(all.sales.filter(fit)))) return undefined;
    if (found.sales.length !== all.sales.length) evidence.push(found.answer.exchange);
  }
  if (evidence.length === 0) return undefined;
  return { why: "1, 2 and 3 give the sales that are active, upcoming and ended by their dates", evidence };
}

// Both kinds together must be all sales, and no sale may be of both kinds. If the status parameter gives the same result, nothing is decided.
async function filtersInvestment(asker: CalibrationAsker, all: SeenSales, name: string): Promise<ParameterEvidence | undefined> {
  const [equity, debt] = [
    await readSales(asker, { ...all.input, investment: Decimal.of(1) }, ["investment", name]),
    await readSales(asker, { ...all.input, investment: Decimal.of(2) }, ["investment", name]),
  ];
  if (equity === undefined || debt === undefined || equity.sales.length === 0 || debt.sales.length === 0) return undefined;
  const [ofEquity, ofDebt] = [equity, debt].map(({ sales }) => idsOf(sales)) as [readonly string[], readonly string[]];
  const isPartition = isSame([...ofEquity, ...ofDebt].toSorted(), idsOf(all.sales).toSorted());
  const tokens = ({ sales }: SeenSales): readonly string[] => sales.map(({ tokenId }) => JSON.stringify(tokenId ?? null));
  if (!isPartition || tokens(equity).some((token) => tokens(debt).includes(token))) return undefined;
  const byDate = await readSales(asker, { ...all.input, status: Decimal.of(1) });
  if (byDate !== undefined && (isSame(idsOf(byDate.sales), ofEquity) || isSame(idsOf(byDate.sales), ofDebt))) return undefined;
  const why = "1 and 2 divide the sales, each token on one side";
  return { why, evidence: [equity.answer.exchange, debt.answer.exchange] };
}

async function sorts(asker: CalibrationAsker, all: SeenSales, name: string): Promise<ParameterEvidence | undefined> {
  if (falls(returns(all.sales))) return undefined;
  const sorted = await readSales(asker, { ...all.input, sort: "return|h-l" }, ["sort", name]);
  if (sorted === undefined || !falls(returns(sorted.sales)) || sorted.sales.length !== all.sales.length) return undefined;
  return {
    why: "return|h-l lists the sales by falling expected returns",
    evidence: [sorted.answer.exchange],
  };
}

/**
 * Finds the parameter names of payout schedules, if unknown parameters are refused: the right name is not refused in the same way as a nonsense name. Two such
 * names decide nothing.
 */
async function findScheduleNames(asker: CalibrationAsker): Promise<void> {
  const path = { storeId: NOBODYS_PARAMETER, tokenId: NOBODYS_PARAMETER };
  const values = { quantity: Decimal.of(1), purchaseDate: "2024-01-01", timezone: "UTC" };
  const at = async (key: keyof typeof values, name: string): Promise<CalibrationAnswer> =>
    asker.read({
      operation: "investor.payouts.tokenSchedule",
      input: { ...path, [key]: values[key] },
      profile: withSetting(asker.findings.profile, settingOf(key), name),
    });
  for (const key of ["quantity", "purchaseDate", "timezone"] as const) {
    const setting = settingOf(key);
    const nonsense = await at(key, NOBODYS_PARAMETER);
    const known: { readonly name: string; readonly answer: CalibrationAnswer }[] = [];
    for (const name of namesFor(asker, setting, INVESTOR_PARAMETERS[key])) {
      const answer = await at(key, name);
      if (answer.kind !== "trouble" && signatureOf(answer, name) !== signatureOf(nonsense, name)) known.push({ name, answer });
      if (known.length > 1) break;
    }
    const [only, ...others] = known;
    if (nonsense.kind !== "refused" || only === undefined || others.length > 0) {
      asker.findings.leave(setting, "no known name is treated differently from a nonsense name, or several are");
      continue;
    }
    const why = "the service refuses a nonsense name, but does not refuse this one for its name";
    asker.findings.decide(setting, {
      strength: "consistent",
      found: only.name,
      why,
      evidence: [only.answer.exchange, nonsense.exchange],
    });
  }
}

// Two refusals are the same if they only differ in the parameter's name.
function signatureOf({ status, body }: CalibrationAnswer, name: string): string {
  const words = [name, NOBODYS_PARAMETER].map((word) => RegExp.escape(word));
  return `${status} ${JSON.stringify(body ?? null).replaceAll(new RegExp(`(?<![\\w-])(?:${words.join("|")})(?![\\w-])`, "g"), "")}`;
}
