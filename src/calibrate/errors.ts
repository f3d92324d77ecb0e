import { Decimal } from "../base/numbers/decimal.ts";
import { isObject, type Json, jsonEquals, type JsonObject, writeJson } from "../base/json/json.ts";
import { type ErrorForm, type Profile, profileOf } from "../contract/profile.ts";
import { conditionsOf, plainWords } from "../operations/refusal.ts";
import { hasForm, isOwnError, isServerError } from "../operations/own-error.ts";
import { type Service, services } from "../services/services.ts";
import type { CalibrationAsker, CalibrationAnswer } from "./asker.ts";
import { type ObservedExchange, settingAt, type Strength } from "./finding.ts";

/** A refusal that names a condition of the service description. A gateway does not know these words. */
interface NamedRefusal {
  readonly answer: CalibrationAnswer;
  /** The body of the answer. */
  readonly body: JsonObject;
  /** The condition, in the words of the description. */
  readonly condition: string;
}

/** Returns the refusals so far that name a condition listed for their call. */
function namedRefusals({ answers }: CalibrationAsker): readonly NamedRefusal[] {
  return answers.flatMap((answer) => namedRefusal(answer) ?? []);
}

function namedRefusal(answer: CalibrationAnswer): NamedRefusal | undefined {
  const { kind, body, operation } = answer;
  if (kind !== "refused" || !isObject(body)) return undefined;
  const listed = conditionsOf(operation.call).filter((each) => !isServerError(each));
  const condition = Object.values(body)
    .filter((value) => typeof value === "string")
    .flatMap((text) => listed.filter((each) => namesCondition(text, each)))
    .toSorted((one, other) => other.length - one.length)[0];
  return condition === undefined ? undefined : { answer, body, condition };
}

/** Returns whether the service itself refused: the error has a declared form or names a condition of the description. */
export function isOwnRefusal(answer: CalibrationAnswer, profile: Profile): boolean {
  const { errors } = profileOf(profile, answer.operation.call.interface);
  return isOwnError(answer.operation, answer.body, errors) || namedRefusal(answer) !== undefined;
}

// Compares the whole text, or its beginning up to a mark, as in "asset not found: there is no …".
function namesCondition(text: string, condition: string): boolean {
  const [words, wanted] = [plainWords(text), plainWords(condition)];
  return words === wanted || (words.startsWith(wanted) && /^[:;,.(–—-]/.test(words.slice(wanted.length).trimStart()));
}

/** Derives the form of errors, and the status code of each condition, from all refusals so far. */
export function findErrors(asker: CalibrationAsker, usualStatus: Readonly<Record<string, number>>): void {
  const named = namedRefusals(asker);
  for (const service of services) {
    if (asker.target[service.name] === undefined) continue;
    findForms(
      asker,
      service,
      named.filter(({ answer }) => answer.operation.service === service),
    );
  }
  findCodes(asker, named, usualStatus);
  findRefusals(asker, named);
}

function findForms({ findings }: CalibrationAsker, { name }: Service, named: readonly NamedRefusal[]): void {
  const setting = [name, "errors"];
  const { errors: present } = profileOf(findings.profile, name);
  const evidence = onePerForm(named);
  if (named.length === 0)
    return findings.leave(setting, "no error names a condition of the description, so a gateway may have written each");
  if (named.every(({ body }) => present.some((form) => hasForm(body, form)))) {
    const why = "every error that names a condition of the description has a declared form";
    return findings.observe(setting, asJson(present), why, evidence);
  }
  const groups = [...Map.groupBy(named, ({ body }) => envelopeOf(body)).values()];
  const forms = groups.map(formOf);
  if (forms.some((form) => form === undefined) || new Set(named.map(({ condition }) => condition)).size < 2) {
    return findings.leave(setting, "the errors have no field that a gateway would not write as well", evidence);
  }
  const why = "these fields are in every error that names a condition of the description";
  findings.observe(setting, asJson(forms.filter((form) => form !== undefined)), why, evidence);
}

// Interface A marks a failure with 0 or a word. Other values of `status` may repeat the HTTP status.
function envelopeOf({ status }: JsonObject): string {
  return status instanceof Decimal && status.isZero() ? "0" : typeof status === "string" && !/^\d+$/.test(status) ? status : "";
}

/** Fields that gateways also use in their errors. */
const COMMON_FIELDS: ReadonlySet<string> = new Set(
  [
    "message error errors status statuscode code timestamp path requestid request_id title detail type instance reason description msg",
    "success ok messages result details fault faultstring exception trace traceid trace_id correlationid correlation_id",
    "httpcode httpmessage moreinformation",
  ].flatMap((names) => names.split(" ")),
);

/** The type of a problem (RFC 9457) that only repeats its status. */
const NO_TYPE = "about:blank";

// A field that has the same value in errors about different things, with different status codes, identifies the service.
function formOf(named: readonly NamedRefusal[]): ErrorForm | undefined {
  const [first, ...others] = named;
  if (first === undefined) return undefined;
  const isVaried =
    new Set(named.map(({ condition }) => condition)).size > 1 && new Set(named.map(({ answer }) => answer.status)).size > 1;
  const names = Object.keys(first.body).filter((field) => named.every(({ body }) => isSaid(body[field])));
  const form = names.map((field) => {
    const value = first.body[field] ?? null;
    const isSame = others.every(({ body }) => writeJson(body[field]) === writeJson(value));
    const isMark = isSame && (isVaried || (field === "status" && envelopeOf(first.body) !== ""));
    return [field, isMark ? constantOf(value) : true] as const;
  });
  const marks = form.filter(([field, value]) => (value === true ? !COMMON_FIELDS.has(field.toLowerCase()) : value !== NO_TYPE));
  return form.length > 1 && marks.length > 0 ? Object.fromEntries(form) : undefined;
}

function constantOf(value: Json): string | number | true {
  if (typeof value === "string") return value;
  return value instanceof Decimal && value.isInteger() ? value.approximate() : true;
}

function isSaid(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== "";
}

function asJson(forms: readonly ErrorForm[]): Json {
  return forms.map((form) =>
    Object.fromEntries(
      Object.entries(form).map(([field, value]) => [field, typeof value === "number" ? Decimal.of(value) : value]),
    ),
  );
}

function findCodes(
  { findings }: CalibrationAsker,
  named: readonly NamedRefusal[],
  usualStatus: Readonly<Record<string, number>>,
): void {
  const byCondition = Map.groupBy(named, ({ condition }) => condition);
  for (const [condition, seen] of byCondition) {
    const setting = ["conditionStatus", condition];
    const [status, ...others] = new Set(seen.map(({ answer }) => answer.status));
    const evidence = seen.slice(0, 2).map(({ answer }) => answer.exchange);
    if (typeof status !== "number" || others.length > 0) {
      findings.leave(setting, `"${condition}" came with several codes`, evidence);
      continue;
    }
    const present = settingAt(findings.profile, setting);
    if (present === undefined && usualStatus[condition] === status) continue;
    const why = `an error that says "${condition}" has this code`;
    findings.observe(setting, Decimal.of(status), why, evidence);
  }
  if (byCondition.size === 0) return findings.leave(["conditionStatus"], "no error names a condition of the description");
  const found = settingAt(findings.profile, ["conditionStatus"]) ?? {};
  const why = `${byCondition.size} conditions were seen; each other one keeps its code`;
  findings.observe(["conditionStatus"], found, why, []);
}

function findRefusals({ findings }: CalibrationAsker, named: readonly NamedRefusal[]): void {
  const setting = ["refusals"];
  const present = findings.profile.refusals;
  const own = named.filter(({ answer, body }) => {
    const forms = profileOf(findings.profile, answer.operation.call.interface).errors;
    return forms.some((form) => hasForm(body, form));
  });
  const others = own.filter(({ answer }) => answer.status !== null && !present.includes(answer.status));
  if (own.length === 0) return findings.leave(setting, "no error is surely the service's own");
  const codes = [...new Set([...present, ...others.map(({ answer }) => answer.status ?? 0)])].toSorted(
    (one, other) => one - other,
  );
  const found = others.length === 0 ? present : codes;
  const strength: Exclude<Strength, "undecided"> =
    others.some(({ answer }) => answer.operation.writes) || others.length === 0 ? "observed" : "consistent";
  const why = "the service's own errors that refuse a call have these codes, or codes that were here before";
  findings.decide(setting, {
    strength,
    found: found.map((code) => Decimal.of(code)),
    why,
    evidence: onePerForm(others.length === 0 ? own : others),
  });
}

function onePerForm(named: readonly NamedRefusal[]): readonly ObservedExchange[] {
  const byCode = Map.groupBy(named, ({ answer }) => answer.status);
  return [...byCode.values()].slice(0, 3).flatMap(([first]) => (first === undefined ? [] : [first.answer.exchange]));
}

/** Finds the status codes of success that differ from the description, from all answers so far. */
export function findSuccessCodes({ findings, answers }: CalibrationAsker): void {
  const successes = answers.filter(({ kind, status }) => kind === "ok" && status !== 204);
  const byName = Map.groupBy(successes, ({ operation }) => (operation.async ? "async" : operation.name));
  for (const [name, seen] of byName) {
    const setting = ["successStatus", name];
    const declared = settingAt(findings.profile, setting);
    const other = seen.filter(
      ({ operation: { call }, status }) => !jsonEquals(declared ?? Decimal.of(call.successStatus), codeOf(status)),
    );
    const [first, ...more] = new Map(other.map((each) => [each.status, each])).values();
    if (first === undefined) continue;
    const evidence = [first, ...more].map(({ exchange }) => exchange);
    if (more.length > 0 || other.length < seen.length) {
      findings.leave(setting, `${name} succeeds with several codes`, evidence);
      continue;
    }
    const why = name === "async" ? "writes that are answered at once have this code" : `${name} succeeds with this code`;
    findings.observe(setting, codeOf(first.status), why, evidence);
  }
  const found = settingAt(findings.profile, ["successStatus"]) ?? {};
  const why = `the codes of ${new Set(successes.map(({ operation }) => operation.name)).size} operations were seen`;
  findings.observe(["successStatus"], found, why, []);
}

function codeOf(status: number | null): Json {
  return status === null ? null : Decimal.of(status);
}
