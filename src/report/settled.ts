import { isObject, type Json, type JsonObject, writeJson, textOrJson } from "../base/json/json.ts";
import { textAt } from "./attempt.ts";
import type { AttemptReport } from "./shape.ts";

/** Describes in one sentence how other evidence than its answer settled an attempt. */
export function settledText(settled: NonNullable<AttemptReport["settled"]>, operation = ""): string {
  const { verdict, evidence } = settled;
  const [who, because] = [textAt(evidence, "who"), textAt(evidence, "because")];
  if (who !== null) return `${verdict}, says ${who}: ${because ?? "no reason given"}`;
  return because === null ? `${verdict}, as read back: ${evidenceWords(evidence, operation)}` : `${verdict}, since ${because}`;
}

/** Describes the evidence: `minted 0 → 90, transaction 3f2a…`. */
function evidenceWords(evidence: Json, operation: string): string {
  if (!isObject(evidence)) return writeJson(evidence);
  const words = Object.entries(evidence).flatMap(([name, value]) => {
    const label = name === "total" ? totalWord(operation) : wordsIn(name);
    return value === null ? [] : [`${label} ${valueWords(value, operation)}`];
  });
  return words.join(", ");
}

// Returns what the total of a probe adds up.
function totalWord(operation: string): string {
  if (/mint/i.test(operation)) return "minted";
  if (/burn/i.test(operation)) return "burnt";
  return operation === "" ? "total" : "balance";
}

/** Writes `transactionTime` as `transaction time`. */
function wordsIn(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function valueWords(value: Json, operation: string): string {
  if (Array.isArray(value)) return value.map((each: Json) => valueWords(each, operation)).join("; ");
  if (!isObject(value)) return textOrJson(value);
  return isChange(value) ? `${known(value["before"])} → ${known(value["now"])}` : evidenceWords(value, operation);
}

function isChange(value: JsonObject): boolean {
  return "now" in value && Object.keys(value).every((name) => name === "before" || name === "now");
}

function known(value: Json | undefined): string {
  if (value === undefined || value === null) return "unknown";
  return textOrJson(value);
}
