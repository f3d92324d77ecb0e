import { Decimal, NUMERAL_PATTERN } from "../base/numbers/decimal.ts";
import { isObject, type Json } from "../base/json/json.ts";
import { resolve } from "../contract/contract.ts";
import type { JsonSchema } from "../contract/schema-types.ts";
import type { CalibrationAsker, CalibrationAnswer } from "./asker.ts";
import type { ObservedExchange } from "./finding.ts";

const NUMERAL = new RegExp(NUMERAL_PATTERN);

/** How often values of one kind were written in each way, and the first evidence of it. */
interface WayCounts {
  plain: number;
  text: number;
  evidence?: ObservedExchange;
}

/** Finds out how the answers so far write numbers and booleans, where the contract defines the type. */
export function findValueDialect({ findings, answers }: CalibrationAsker): void {
  const [numbers, booleans]: [WayCounts, WayCounts] = [
    { plain: 0, text: 0 },
    { plain: 0, text: 0 },
  ];
  for (const answer of answers) {
    const { response } = answer.operation.call;
    if (answer.kind === "ok" && response !== undefined && answer.body !== undefined)
      tally(response, answer.body, { answer, numbers, booleans });
  }
  conclude("numbers", "number", numbers);
  conclude("booleans", "boolean", booleans);

  function conclude(setting: "numbers" | "booleans", plainly: string, { plain, text, evidence }: WayCounts): void {
    const seen = evidence === undefined ? [] : [evidence];
    if (plain > 0 && text > 0) findings.contradict([setting], `answers write ${setting} in both ways`, seen);
    else if (plain + text === 0) findings.leave([setting], `no answer had ${setting} in it`);
    else
      findings.observe([setting], plain > 0 ? plainly : "text", `all ${plain + text} ${setting} in answers are written so`, seen);
  }
}

interface ValueTally {
  readonly answer: CalibrationAnswer;
  readonly numbers: WayCounts;
  readonly booleans: WayCounts;
}

// If the contract also allows a text for a field, the field shows nothing.
function tally(schema: JsonSchema, value: Json, counts: ValueTally): void {
  const { type = [], properties = {}, items } = resolve(schema);
  if (Array.isArray(value)) {
    if (items !== undefined) for (const item of value as readonly Json[]) tally(items, item, counts);
    return;
  }
  if (isObject(value)) {
    for (const [name, field] of Object.entries(value)) {
      if (Object.hasOwn(properties, name)) tally(properties[name] ?? {}, field, counts);
    }
    return;
  }
  const types = [type].flat();
  if (types.includes("string")) return;
  const isNumber = types.includes("number") || types.includes("integer");
  const isNumeral = typeof value === "string" && NUMERAL.test(value);
  if (isNumber && (value instanceof Decimal || isNumeral)) note(counts.numbers, isNumeral, counts.answer);
  const isWord = value === "true" || value === "false";
  if (types.includes("boolean") && (typeof value === "boolean" || isWord)) note(counts.booleans, isWord, counts.answer);
}

function note(written: WayCounts, isText: boolean, { exchange }: CalibrationAnswer): void {
  written[isText ? "text" : "plain"] += 1;
  written.evidence ??= exchange;
}
