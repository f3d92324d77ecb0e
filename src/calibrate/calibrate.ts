import { Failure } from "../base/failure.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { Decimal } from "../base/decimal.ts";
import { systemRandom } from "../base/ports.ts";
import { harmlessCall, unreached } from "../engine/run/preflight.ts";
import { credentialsOf, type Target } from "../environment/target.ts";
import { hasEntities, type Service, services } from "../services/services.ts";
import { Asker, type CalibrationPorts, type Question } from "./asker.ts";
import { type CalibrationFact, type CalibrationFinding, CalibrationFindings } from "./finding.ts";
import { findActor, findPendingOnly, refusesUnknown, someEntity } from "./reads/actor.ts";
import { askForNothing, findErrors, findSuccessCodes } from "./reads/errors.ts";
import { findInvestorParameters } from "./reads/investor.ts";
import { findPaging, findPrimaryKeys, readList, type SeenList } from "./reads/lists.ts";
import { findValueDialect } from "./reads/values.ts";
import { leftBehind, makeWrites, plannedWrites } from "./writes/all.ts";

/** How a service is calibrated. */
export interface CalibrationOptions {
  readonly mayWrite: boolean;
  /** The entity that acts in writes; the key's own when left out. */
  readonly as?: string | undefined;
  /** The code that each condition has where the profile says nothing. */
  readonly usualStatus: Readonly<Record<string, number>>;
  /** Announces the writes before the first one is sent. */
  readonly announce: (writes: readonly string[], left: readonly string[]) => void;
}

/** What a calibration found. */
export interface Calibration {
  readonly environment: string;
  readonly mayWrite: boolean;
  readonly requests: number;
  readonly findings: readonly CalibrationFinding[];
  readonly facts: readonly CalibrationFact[];
  /** What stays in the service. */
  readonly left: readonly string[];
}

/** Finds the profile of a service by evidence. Throws a Failure when the service cannot be reached, or gives no usable answers. */
export async function calibrate(target: Target, options: CalibrationOptions, ports: CalibrationPorts): Promise<Calibration> {
  if (options.mayWrite && target.protected) throw isProtected(target);
  const findings = new CalibrationFindings(target.profile);
  const asker = new Asker(target, findings, ports);
  for (const service of services) if (target[service.name] !== undefined) await reachService(asker, service);
  findValueDialect(asker);
  const assetType = target.ledger === undefined ? undefined : await readLedger(asker);
  if (target.investor !== undefined) await findInvestorParameters(asker);
  await askForNothing(asker, assetType);
  const left = options.mayWrite ? await write(asker, assetType, options) : [];
  findValueDialect(asker);
  findErrors(asker, options.usualStatus);
  findSuccessCodes(asker);
  const relevant = findings
    .all(options.mayWrite ? "no answer showed it" : "reading does not show it; --may-write does").filter(({ setting: [first = ""] }) => !isInterface(first) || target[first] !== undefined);
  return {
    environment: target.environment,
    mayWrite: options.mayWrite,
    requests: asker.requests,
    findings: relevant,
    facts: findings.facts,
    left,
  };
}

function isInterface(name: string): name is Service["name"] {
  return services.some((service) => service.name === name);
}

function isProtected(target: Target): Failure {
  return new Failure({
    code: "calibrate.protected",
    message: `the environment "${target.environment}" is protected, so a calibration does not write there`,
    why: `${target.whereIs("protected")} says protected: true; what a calibration makes cannot all be removed again`,
    next: "leave out --may-write, or calibrate an environment for tests",
  });
}

// One answer in JSON shows that the address and the key are right. What it looks like is not known yet.
async function reachService(asker: Asker, service: Service): Promise<void> {
  const { target } = asker;
  const credentials = hasEntities(service) ? [undefined] : [...credentialsOf(target[service.name]).keys()];
  let failure: Failure | undefined;
  for (const credential of credentials) {
    if (credential !== undefined) asker.use(service, credential);
    const question: Question = { operation: hasEntities(service) ? service.harmless.operation : service.doctor.list };
    const { raw, asked, caller } = await asker.readFully(question);
    lookAtClock(asker, service, raw.date);
    if (raw.kind === "ok") return;
    const { operation } = harmlessCall(service, credential);
    const { code, message, why, next } = unreached(asked, { operation, caller, target });
    failure ??= new Failure({ code, message, ...(why === undefined ? {} : { why }), ...(next === undefined ? {} : { next }) });
  }
  if (failure !== undefined) throw failure;
}

function lookAtClock({ findings, clock }: Asker, { name }: Service, date: string | undefined): void {
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs)) return;
  const aheadMs = clock.now() - theirs;
  const says =
    Math.abs(aheadMs) < 5_000 ? "agrees with this machine's" : `differs from this machine's by ${Math.round(aheadMs / 1_000)} s`;
  findings.facts.push({ about: `clock of the ${name} interface`, says });
}

// Returns a type of assets by which more can be asked.
async function readLedger(asker: Asker): Promise<string | undefined> {
  const { findings } = asker;
  const types = await assetTypes(asker);
  const questions: readonly SeenList["question"][] = [
    { operation: "ledger.asset.list", input: {} },
    ...types.slice(0, 3).map((assetType) => ({ operation: "ledger.asset.list", input: { assetType } })),
    { operation: "ledger.token.list", input: {} },
    { operation: "ledger.transfer.mine", input: {} },
  ];
  const lists: SeenList[] = [];
  for (const question of questions) {
    const list = await readList(asker, question);
    if (list !== undefined) lists.push(list);
  }
  findValueDialect(asker);
  await findPaging(asker, lists);
  findPrimaryKeys(asker, lists);
  const [first] = lists;
  if (first !== undefined) {
    const isStrict = await refusesUnknown(asker, first);
    const says = isStrict === undefined ? "it cannot be seen" : isStrict ? "they are refused" : "they are ignored";
    findings.facts.push({ about: "unknown parameters", says });
    findOrder(asker, lists);
    await findActor(asker, first, someEntity(asker, lists));
    if (isStrict !== undefined) await findPendingOnly(asker, isStrict);
  }
  return types[0];
}

// Types that have assets come first.
async function assetTypes(asker: Asker): Promise<readonly string[]> {
  const stats = asker.payload(await asker.read({ operation: "ledger.asset.stats" }));
  const counted = isObject(stats) && Array.isArray(stats["countByType"]) ? (stats["countByType"] as readonly JsonObject[]) : [];
  const countOf = ({ count }: JsonObject): number => (count instanceof Decimal ? count.approximate() : 0);
  return counted
    .filter(({ assetType }) => typeof assetType === "string")
    .toSorted((one, other) => countOf(other) - countOf(one))
    .map(({ assetType }) => String(assetType));
}

function findOrder({ findings }: Asker, lists: readonly SeenList[]): void {
  for (const { question, rows } of lists) {
    const times = rows.filter(isObject).map(({ createdAt }) => createdAt);
    if (times.length < 3 || times.some((time) => typeof time !== "string")) continue;
    const isSorted = times.every((time, at) => at === 0 || String(times[at - 1]) <= String(time));
    findings.facts.push({ about: `order of ${question.operation}`, says: isSorted ? "by creation" : "not by creation" });
    return;
  }
}

const TAG_BYTES = 5;

async function write(asker: Asker, assetType: string | undefined, options: CalibrationOptions): Promise<readonly string[]> {
  if (assetType === undefined) {
    asker.findings.facts.push({ about: "writes", says: "the service names no asset type, so nothing was written" });
    return [];
  }
  const tag = `tokenbook${Buffer.from(systemRandom.bytes(TAG_BYTES)).toString("hex")}`;
  options.announce(plannedWrites(tag, assetType), leftBehind(tag));
  const notRemoved = await makeWrites(asker, { tag, assetType, as: options.as });
  return [...notRemoved, ...leftBehind(tag)];
}
