import { Decimal } from "../../base/numbers/decimal.ts";
import { keyEntityOf } from "../../environment/target.ts";
import { type CalibrationAsker, inTrouble, type CalibrationAnswer } from "../asker.ts";
import { ACTING, LEDGER_PARAMETERS, PENDING_ONLY } from "./names.ts";
import { withSetting } from "../finding.ts";
import { isSteady, NOBODYS_ID, NOBODYS_PARAMETER, namesFor } from "../spellings.ts";
import type { SeenList } from "./lists.ts";

const MALFORMED = "tokenbook";
const PLACE = ["ledger", "onBehalfOf"];

/** Returns whether the ledger refuses unknown query parameters; `undefined` if this cannot be seen. */
export async function refusesUnknown(asker: CalibrationAsker, { question }: SeenList): Promise<boolean | undefined> {
  const profile = withSetting(asker.findings.profile, ["ledger", "parameters", "pageSize"], NOBODYS_PARAMETER);
  const answer = await asker.read({ ...question, input: { ...question.input, pageSize: Decimal.of(1) }, profile });
  return answer.kind === "trouble" ? undefined : answer.kind === "refused";
}

/**
 * Finds where the acting entity is sent: a place in which a well-formed entity is accepted and a malformed one is refused. A parameter that is merely unknown
 * would be refused with any value, or with none.
 */
export async function findActor(asker: CalibrationAsker, { question }: SeenList, entity: string): Promise<void> {
  const { findings } = asker;
  const at = async (place: "query" | "header", name: string, actor: string): Promise<CalibrationAnswer> => {
    const profile = withSetting(findings.profile, PLACE, { in: place, name });
    return asker.read({ ...question, profile, actor });
  };
  const present = findings.profile.ledger.onBehalfOf;
  const places = [
    present,
    ...(["query", "header"] as const).flatMap((place) => ACTING[place].map((name) => ({ in: place, name }))),
  ];
  const control = await at("header", `X-${NOBODYS_PARAMETER}`, MALFORMED);
  if (control.kind === "trouble") throw inTrouble(control);
  for (const { in: place, name } of places) {
    const malformed = await at(place, name, MALFORMED);
    if (malformed.kind !== "refused") continue;
    const formed = await at(place, name, entity);
    if (formed.kind !== "ok") continue;
    const differs = async (): Promise<boolean> =>
      (await at(place, name, MALFORMED)).kind === "refused" && (await at(place, name, entity)).kind === "ok";
    if (!(await isSteady(differs, async () => (await asker.read(question)).kind === "ok"))) continue;
    const why = `the ${place} ${name} is accepted with ${entity}, and refused with a text that names no entity`;
    const evidence = [formed.exchange, malformed.exchange];
    findings.observe([...PLACE, "in"], place, why, evidence);
    return findings.observe([...PLACE, "name"], name, why, evidence);
  }
  for (const part of ["in", "name"])
    findings.leave([...PLACE, part], "no known place refuses a malformed entity and accepts a well-formed one");
}

/**
 * Finds the flag for pending requests, if unknown parameters are refused: the only known name that accepts true and false, but no other text. Two such names
 * decide nothing.
 */
export async function findPendingOnly(asker: CalibrationAsker, isStrict: boolean): Promise<void> {
  const { findings } = asker;
  if (!isStrict)
    return findings.leave(PENDING_ONLY, "unknown parameters are ignored, and no list of requests showed a decided one");
  const at = async (name: string, value: string | boolean): Promise<CalibrationAnswer> =>
    asker.read({
      operation: "ledger.transfer.byAsset",
      input: { assetId: NOBODYS_ID, pendingOnly: value },
      profile: withSetting(findings.profile, PENDING_ONLY, name),
    });
  const taken: { readonly name: string; readonly answers: readonly CalibrationAnswer[] }[] = [];
  for (const name of namesFor(asker, PENDING_ONLY, LEDGER_PARAMETERS.pendingOnly)) {
    const no = await at(name, false);
    if (no.kind !== "ok") continue;
    const [yes, neither] = [await at(name, true), await at(name, MALFORMED)];
    if (yes.kind === "ok" && neither.kind === "refused") taken.push({ name, answers: [no, neither] });
  }
  const [only, ...others] = taken;
  const evidence = taken.flatMap(({ answers }) => answers.map(({ exchange }) => exchange));
  if (only === undefined || others.length > 0)
    return findings.leave(
      PENDING_ONLY,
      only === undefined ? "no known name is accepted" : "several names are accepted",
      evidence,
    );
  const why = `of the names that are not refused, ${only.name} alone takes true and false and nothing else`;
  findings.decide(PENDING_ONLY, { strength: "consistent", found: only.name, why, evidence });
}

/** Returns an entity as a text: the key's own, or one that the ledger shows, or a made-up one. */
export function someEntity(asker: CalibrationAsker, lists: readonly SeenList[]): string {
  const keyEntity = keyEntityOf(asker.target.ledger);
  if (keyEntity !== undefined) return keyEntity;
  for (const row of lists.flatMap(({ rows }) => rows)) {
    const { createdBy } = row as { readonly createdBy?: Readonly<Record<string, unknown>> };
    const [attribute, value] = Object.entries(createdBy ?? {}).find(([name]) => name !== "orgId") ?? [];
    if (attribute !== undefined && typeof value === "string") return `${attribute}:${value}`;
  }
  return "userId:tokenbook";
}
