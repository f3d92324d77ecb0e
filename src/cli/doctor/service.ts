import { formatDuration } from "../../base/time/duration.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { systemClock } from "../../base/ports.ts";
import { ask, type AskedReply, type Asking } from "../../engine/read/ask.ts";
import { Interrupted } from "../../engine/run/interrupted.ts";
import { harmlessCall, isReached, unreached } from "../../engine/run/preflight.ts";
import type { Reply } from "../../engine/service/reply.ts";
import { credentialsOf, type Target } from "../../environment/target.ts";
import type { Operation } from "../../operations/operation.ts";
import type { DoctorFinding } from "../../report/doctor/shape.ts";
import { hasEntities, type Service, services } from "../../services/services.ts";
import { isLoopback } from "../../serving/names.ts";
import { connectionRemedy } from "../../base/connection-failure.ts";
import { isoTime } from "../../base/time/date.ts";
import { present } from "../../base/present.ts";
import { timeOfHeader } from "../../base/time/http-date.ts";
import { type Reach, reach } from "../../transport/reach.ts";
import { Findings } from "./finding.ts";

/** An identity with which the service accepts requests. */
export interface AskingIdentity {
  /** The interface that accepts it. */
  readonly service: Service;
  /** The name of the credential; undefined if one key acts for any entity. */
  readonly credential: string | undefined;
}

/** The findings about a service, and the identities that it accepts. */
export interface ServiceSight {
  /** The findings, in the order of the checks. */
  readonly findings: readonly DoctorFinding[];
  /** The identities that the service has accepted. */
  readonly identities: readonly AskingIdentity[];
}

/** Checks with one harmless read for each identity whether each interface can be reached, and whether it accepts the key. */
export async function lookAtService(asking: Asking): Promise<ServiceSight> {
  const { target } = asking.service;
  const findings = new Findings("service");
  const identities: AskingIdentity[] = [];
  for (const service of services) {
    const { name: side } = service;
    const { baseUrl } = target[side] ?? {};
    if (baseUrl === undefined) continue;
    if (!(await lookAtAddress(asking, side, baseUrl, findings))) continue;
    for (const identity of identitiesOf(target, service)) {
      if (await lookAtIdentity(asking, identity, findings)) identities.push(identity);
    }
  }
  return { findings: findings.all, identities };
}

// The sandbox has one more credential, which it refuses on purpose so that playbooks can try that.
function identitiesOf(target: Target, service: Service): readonly AskingIdentity[] {
  if (hasEntities(service)) return [{ service, credential: undefined }];
  const names = [...credentialsOf(target[service.name]).keys()];
  return (target.embedded ? names.slice(0, 1) : names).map((credential) => ({ service, credential }));
}

async function lookAtAddress(
  { service, signal }: Asking,
  side: Service["name"],
  baseUrl: string,
  findings: Findings,
): Promise<boolean> {
  const where = service.target.whereIs(`${side}.baseUrl`);
  const reached = await reach(new URL(baseUrl), { timeoutMs: LIMITS.doctorMs, signal });
  if (signal.aborted) throw new Interrupted(`the address of ${side}`);
  const { failed, certificateUntil } = reached;
  if (failed !== undefined) {
    findings.problem(`service.no-${failed.at}`, `${side}: ${baseUrl}: ${FAILED[failed.at]}: ${failed.why}`, {
      next: connectionRemedy(failed.tls, where),
    });
    return false;
  }
  findings.ok("service.reached", `${side}: ${baseUrl}: ${stagesOf(reached)}`);
  if (baseUrl.startsWith("http:") && !isLoopback(reached.address ?? "")) {
    findings.warning(
      "service.unencrypted",
      `${side}: ${baseUrl} is not encrypted: anyone on the network path can read the key, and change answers`,
      {
        next: `use https:// in ${where}`,
      },
    );
  }
  const leftMs = (certificateUntil ?? Infinity) - systemClock.now();
  if (leftMs < LIMITS.doctorCertificateMs) {
    const until = isoTime(certificateUntil ?? 0);
    findings.warning("service.certificate-ends", `${side}: the certificate of ${baseUrl} is valid until ${until}`);
  }
  return true;
}

const FAILED = {
  name: "its name is not found",
  connection: "nothing accepts a connection",
  tls: "the connection cannot be secured",
} as const;

function stagesOf({ address, lookupMs, connectMs, tlsMs }: Reach): string {
  const stages = [
    ["found", lookupMs],
    ["connected", connectMs],
    ["secured", tlsMs],
  ] as const;
  const parts = stages.flatMap(([word, ms]) => (ms === undefined ? [] : [`${word} in ${formatDuration(Math.round(ms))}`]));
  return `${parts.join(", ")} (${address})`;
}

async function lookAtIdentity(asking: Asking, identity: AskingIdentity, findings: Findings): Promise<boolean> {
  const { service, credential } = identity;
  const name = credential === undefined ? service.name : `${service.name}: ${credential}`;
  const { operation, input, caller } = harmlessCall(service, credential);
  const begun = systemClock.elapsed();
  const asked = await askAs(asking, identity, { operation, input });
  const duration = formatDuration(Math.round(systemClock.elapsed() - begun));
  const { reply } = asked;
  lookAtClock(reply, service.name, findings);
  if (isReached(asked)) {
    findings.ok(
      "service.key-taken",
      `${name}: the service accepts the key: ${operation.name} answered HTTP ${reply.status} in ${duration}`,
    );
    return true;
  }
  const { code, message, why, next } = unreached(asked, { operation, caller, target: asking.service.target });
  findings.problem(code, `${name}: ${message}`, present({ why, next }));
  return false;
}

// The header has whole seconds, and gives the moment at which the service made the answer.
function lookAtClock({ date }: Reply, side: string, findings: Findings): void {
  const theirs = timeOfHeader(date);
  if (theirs === undefined || findings.all.some(({ code }) => code.startsWith("service.clock"))) return;
  const aheadMs = systemClock.now() - theirs;
  const text = formatDuration(Math.abs(Math.round(aheadMs / 1_000) * 1_000));
  if (aheadMs > -LIMITS.doctorSkewMs && aheadMs < LIMITS.doctorSkewMs + 1_000) {
    return findings.ok("service.clock", `the clocks of this machine and of the ${side} interface agree`);
  }
  findings.warning(
    "service.clock-skewed",
    `this machine's clock is ${text} ${aheadMs > 0 ? "ahead of" : "behind"} that of the ${side} interface`,
    {
      why: "times in reports will differ from those of the service, and it may refuse keys that expire",
      next: "set the clock: timedatectl set-ntp true",
    },
  );
}

/** Sends a harmless read. */
export function askAs(
  asking: Asking,
  identity: AskingIdentity,
  { operation, input, page }: { readonly operation: Operation; readonly input: JsonObject; readonly page?: string | number },
): Promise<AskedReply> {
  const { caller } = harmlessCall(identity.service, identity.credential);
  return ask(asking, { operation, input, caller, ...present({ page }) });
}
