import { Decimal } from "../../base/decimal.ts";
import { formatDuration } from "../../base/duration.ts";
import type { JsonObject } from "../../base/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { systemClock } from "../../base/ports.ts";
import { explain } from "../../engine/explain.ts";
import type { ReadingPort } from "../../engine/reading.ts";
import type { Reply } from "../../engine/service.ts";
import type { Target } from "../../environment/target.ts";
import { type Operation, operationNamed } from "../../operations/operation.ts";
import type { Finding } from "../../report/doctor/shape.ts";
import { isLoopback } from "../../serving/names.ts";
import { type Reach, reach } from "../../transport/reach.ts";
import { Findings } from "./finding.ts";

/** An identity by which the service can be asked. */
export interface Identity {
  readonly side: "ledger" | "investor";
  readonly credential: string | undefined;
}

/** What was found, and by whom the service can be asked. */
export interface ServiceSight {
  readonly findings: readonly Finding[];
  readonly identities: readonly Identity[];
}

/** Whether each interface can be reached, and whether it takes each key: one harmless read an identity. */
export async function lookAtService(target: Target, service: ReadingPort): Promise<ServiceSight> {
  const findings = new Findings("service");
  const identities: Identity[] = [];
  for (const side of ["ledger", "investor"] as const) {
    const { baseUrl } = target[side] ?? {};
    if (baseUrl === undefined) continue;
    if (!(await lookAtAddress({ side, baseUrl, where: target.whereIs(`${side}.baseUrl`) }, findings))) continue;
    for (const identity of identitiesOf(target, side)) {
      if (await lookAtIdentity(service, identity, findings)) identities.push(identity);
    }
  }
  return { findings: findings.all, identities };
}

// The sandbox has one that it refuses, for playbooks to try.
function identitiesOf({ investor, embedded }: Target, side: Identity["side"]): readonly Identity[] {
  if (side === "ledger") return [{ side, credential: undefined }];
  const names = [...(investor?.credentials.keys() ?? [])];
  return (embedded ? names.slice(0, 1) : names).map((credential) => ({ side, credential }));
}

interface Address {
  readonly side: Identity["side"];
  readonly baseUrl: string;
  readonly where: string;
}

async function lookAtAddress({ side, baseUrl, where }: Address, findings: Findings): Promise<boolean> {
  const reached = await reach(new URL(baseUrl), LIMITS.doctorMs);
  const { failed, certificateUntil } = reached;
  if (failed !== undefined) {
    findings.problem(`service.no-${failed.at}`, `${side}: ${baseUrl}: ${FAILED[failed.at]}: ${failed.why}`, {
      next: failed.at === "tls" ? `${TRUST}; or mend ${where}` : `start the service, or mend ${where}`,
    });
    return false;
  }
  findings.ok("service.reached", `${side}: ${baseUrl}: ${stagesOf(reached)}`);
  if (baseUrl.startsWith("http:") && !isLoopback(reached.address ?? "")) {
    findings.warning(
      "service.unencrypted",
      `${side}: ${baseUrl} is not encrypted: whoever is on the way can read the key, and change answers`,
      {
        next: `use https:// in ${where}`,
      },
    );
  }
  const leftMs = (certificateUntil ?? Infinity) - systemClock.now();
  if (leftMs < LIMITS.doctorCertificateMs) {
    const until = new Date(certificateUntil ?? 0).toISOString();
    findings.warning("service.certificate-ends", `${side}: the certificate of ${baseUrl} is valid until ${until}`);
  }
  return true;
}

const TRUST = "have the certificate renewed; for one of your own: export NODE_EXTRA_CA_CERTS=FILE";

const FAILED = {
  name: "its name is not found",
  connection: "nobody takes a connection",
  tls: "the connection cannot be secured",
} as const;

function stagesOf({ address, lookupMs, connectMs, tlsMs }: Reach): string {
  const stages = [
    ["found", lookupMs],
    ["connected", connectMs],
    ["secured", tlsMs],
  ] as const;
  const told = stages.flatMap(([word, ms]) => (ms === undefined ? [] : [`${word} in ${formatDuration(Math.round(ms))}`]));
  return `${told.join(", ")} (${address})`;
}

async function lookAtIdentity(service: ReadingPort, identity: Identity, findings: Findings): Promise<boolean> {
  const { side, credential } = identity;
  const name = credential === undefined ? side : `${side}: ${credential}`;
  const operation = operationNamed(side === "ledger" ? "ledger.status" : "investor.sales.list");
  const begun = systemClock.elapsed();
  const reply = await ask(service, identity, { operation, input: side === "ledger" ? {} : ONE_ITEM });
  const duration = formatDuration(Math.round(systemClock.elapsed() - begun));
  lookAtClock(reply, side, findings);
  if (reply.meaning === "acknowledged" && !reply.html) {
    findings.ok(
      "service.key-taken",
      `${name}: the service takes the key: ${operation.name} answered HTTP ${reply.status} in ${duration}`,
    );
    return true;
  }
  const told = explain(reply, { operation, caller: callerOf(identity), target: service.target });
  const setting = side === "ledger" && reply.status === 404 ? "ledger.appId" : side;
  findings.problem(told.code, `${name}: ${told.message}`, {
    ...(told.why === undefined ? {} : { why: told.why }),
    next: told.next ?? `mend ${service.target.whereIs(setting)}`,
  });
  return false;
}

// In whole seconds, and of the moment at which the answer was made.
function lookAtClock({ date }: Reply, side: Identity["side"], findings: Findings): void {
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs) || findings.all.some(({ code }) => code.startsWith("service.clock"))) return;
  const aheadMs = systemClock.now() - theirs;
  const text = formatDuration(Math.abs(Math.round(aheadMs / 1_000) * 1_000));
  if (aheadMs > -LIMITS.doctorSkewMs && aheadMs < LIMITS.doctorSkewMs + 1_000) {
    return findings.ok("service.clock", `the clocks of this machine and of the ${side} interface agree`);
  }
  findings.warning(
    "service.clock-skewed",
    `this machine's clock is ${text} ${aheadMs > 0 ? "ahead of" : "behind"} that of the ${side} interface`,
    {
      why: "times in reports will not be those of the service, and keys that end at a time may not be taken",
      next: "set the clock: timedatectl set-ntp true",
    },
  );
}

/** One item a page. */
export const ONE_ITEM: JsonObject = { limit: Decimal.of(1) };

/** Asks for a harmless read, once. */
export function ask(
  service: ReadingPort,
  identity: Identity,
  { operation, input, page }: { readonly operation: Operation; readonly input: JsonObject; readonly page?: string | number },
): Promise<Reply> {
  return service.call({ operation, input, caller: callerOf(identity), ...(page === undefined ? {} : { page }) });
}

function callerOf({ credential }: Identity): { actingEntity: undefined; credential: string | undefined; label: null } {
  return { actingEntity: undefined, credential, label: null };
}
