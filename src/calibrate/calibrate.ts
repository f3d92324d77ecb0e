import { Failure, failureFrom } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { systemRandom } from "../base/ports.ts";
import type { InterfaceName } from "../contract/contract.ts";
import { harmlessCall, unreached } from "../engine/run/preflight.ts";
import { credentialsOf, type Target } from "../environment/target.ts";
import { hasEntities, type Service, services } from "../services/services.ts";
import { timeOfHeader } from "../base/time/http-date.ts";
import { CalibrationAsker, type CalibrationPorts } from "./asker.ts";
import { findErrors, findSuccessCodes } from "./errors.ts";
import { type CalibrationFact, type CalibrationFinding, CalibrationFindings } from "./finding.ts";
import { investor } from "./investor/calibration.ts";
import { ledger } from "./ledger/calibration.ts";
import type { CalibrationWriting, ServiceCalibration } from "./service.ts";
import { findValueDialect } from "./values.ts";

interface CalibrationOptions extends Pick<CalibrationWriting, "announce" | "onBrokenOff"> {
  /** The acting entity of writes. If left out, the key's own entity. */
  readonly as?: string | undefined;
  /** Whether the calibration may write. In a protected environment it may not. */
  readonly mayWrite: boolean;
  /** The status code of each condition if the profile has none. */
  readonly usualStatus: Readonly<Record<string, number>>;
}

/** The result of a calibration. */
export interface Calibration {
  /** The name of the environment. */
  readonly environment: string;
  /** Whether the calibration was allowed to write. */
  readonly mayWrite: boolean;
  /** The number of requests, including repeated reads. */
  readonly requests: number;
  /** A finding for each setting of the interfaces in the environment, in the order of the profile. */
  readonly findings: readonly CalibrationFinding[];
  /** Observations that no setting covers, in order. */
  readonly facts: readonly CalibrationFact[];
  /** What remains in the service. */
  readonly left: readonly string[];
}

/** How each interface is calibrated. An interface that is not listed keeps its profile. */
export const CALIBRATIONS: { readonly [Name in InterfaceName]?: ServiceCalibration } = { ledger, investor };

/** Derives the profile of a service from evidence. Throws a Failure if the service cannot be reached or gives no usable answers. */
export async function calibrate(target: Target, options: CalibrationOptions, ports: CalibrationPorts): Promise<Calibration> {
  const { mayWrite, as, announce, onBrokenOff, usualStatus } = options;
  if (mayWrite && target.protected) throw isProtected(target);
  const findings = new CalibrationFindings(target.profile);
  const asker = new CalibrationAsker(target, findings, ports);
  const reached = services.flatMap((service) => {
    const calibration = CALIBRATIONS[service.name];
    return target[service.name] === undefined || calibration === undefined ? [] : [{ service, calibration }];
  });
  for (const { service, calibration } of reached) await reachService(asker, service, calibration);
  findValueDialect(asker);
  for (const { calibration } of reached) await asker.untilLimit(() => readAll(asker, calibration));
  const left: string[] = [];
  for (const { calibration } of mayWrite ? reached : []) {
    left.push(...((await calibration.write?.(asker, { tag: newTag(), as, announce, onBrokenOff })) ?? []));
  }
  findValueDialect(asker);
  findErrors(asker, usualStatus);
  findSuccessCodes(asker);
  const isOfOther = ({ setting: [first = ""] }: CalibrationFinding): boolean =>
    services.some(({ name }) => name === first && target[name] === undefined);
  const all = findings.all(mayWrite ? "no answer showed it" : "reading does not show it; --may-write does");
  const found = all.filter((finding) => !isOfOther(finding));
  return { environment: target.environment, mayWrite, requests: asker.requests, findings: found, facts: findings.facts, left };
}

async function readAll(asker: CalibrationAsker, { read, ofNobody }: ServiceCalibration): Promise<void> {
  await read(asker);
  // Asked twice, an error shows whether the service gives it the same code each time.
  for (const question of [...ofNobody, ...ofNobody]) await asker.read(question);
}

const TAG_BYTES = 5;

// The ids of tokens may only have letters and digits.
function newTag(): string {
  return `tokenbook${Buffer.from(systemRandom.bytes(TAG_BYTES)).toString("hex")}`;
}

function isProtected(target: Target): Failure {
  return new Failure({
    code: "calibrate.protected",
    message: `the environment "${target.environment}" is protected, so a calibration does not write there`,
    why: `${target.whereIs("protected")} is true, and not all that a calibration makes can be removed again`,
    next: "leave out --may-write, or calibrate an environment for tests",
  });
}

// A single answer in JSON shows that the address and the key are right. Its form is not known yet.
async function reachService(asker: CalibrationAsker, service: Service, { first }: ServiceCalibration): Promise<void> {
  const { target } = asker;
  const credentials = hasEntities(service) ? [undefined] : [...credentialsOf(target[service.name]).keys()];
  let failure: Failure | undefined;
  for (const credential of credentials) {
    if (credential !== undefined) asker.use(service, credential);
    const { raw, asked, caller } = await asker.readFully(first);
    if (raw.kind === "ok") return lookAtClock(asker, service, raw.date);
    const { operation } = harmlessCall(service, credential);
    failure ??= failureFrom(unreached(asked, { operation, caller, target }));
  }
  if (failure !== undefined) throw failure;
}

function lookAtClock({ findings, clock }: CalibrationAsker, { name }: Service, date: string | undefined): void {
  const theirs = timeOfHeader(date);
  if (theirs === undefined) return;
  const aheadMs = clock.now() - theirs;
  const isNear = Math.abs(aheadMs) < LIMITS.doctorSkewMs;
  const says = isNear ? "agrees with this machine's" : `differs from this machine's by ${Math.round(aheadMs / 1_000)} s`;
  findings.facts.push({ about: `clock of the ${name} interface`, says });
}
