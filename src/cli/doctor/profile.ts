import { Decimal } from "../../base/numbers/decimal.ts";
import { type JsonObject, writeJson } from "../../base/json/json.ts";
import { command } from "../../base/command-line.ts";
import { ask, type Asking } from "../../engine/read/ask.ts";
import { type Operation, operationNamed } from "../../operations/operation.ts";
import type { DoctorFinding } from "../../report/doctor/shape.ts";
import { listIn, type PageWalk, type ReadPage } from "../../services/paging/paging.ts";
import { hasEntities, type Service } from "../../services/services.ts";
import { Findings } from "./finding.ts";
import { askAs, type AskingIdentity } from "./service.ts";

/** Checks with a few small reads of each interface whether the service behaves as the profile says. */
export async function lookAtProfile(asking: Asking, identities: readonly AskingIdentity[]): Promise<readonly DoctorFinding[]> {
  const findings = new Findings("profile");
  const seen = new Set<Service>();
  for (const identity of identities) {
    if (seen.has(identity.service)) continue;
    seen.add(identity.service);
    await lookAtPages(asking, identity, findings);
    await lookAtErrors(asking, identity, findings);
    await lookAtActing(asking, identity, findings);
  }
  return findings.all;
}

/** An id that nobody has. The service should answer a read of it with an error. */
const NOBODYS_ID = "tokenbookDoctorLooksForNothing";

async function lookAtErrors(asking: Asking, identity: AskingIdentity, findings: Findings): Promise<void> {
  const { name: side, doctor } = identity.service;
  const { operation, input } = doctor.one(NOBODYS_ID);
  const { status, foreign, message } = (await askAs(asking, identity, { operation: operationNamed(operation), input })).reply;
  if (status === null || status >= 500) return; // this does not show how the service refuses a request
  if (status < 400)
    return findings.warning(
      "profile.errors",
      `${side}: the service does not refuse a read of something that does not exist: ${message === "" ? `HTTP ${status}` : message}`,
      {
        why: "only the status of an error counts as a refusal: if the service refuses a write in this way, tokenbook looks for its effect, and the write may end as unknown",
        next: "ask whoever runs the service how it reports an error",
      },
    );
  if (!foreign) return findings.ok("profile.errors", `${side}: errors come in the form that the profile declares`);
  findings.warning("profile.errors", `${side}: an error came in a form that the profile does not declare: ${message}`, {
    why: "a write that is refused in this form does not count as refused: a gateway could have answered, and the write could have taken effect",
    next: `if the service wrote it, declare its form: profile.${side}.errors at ${asking.service.target.whereIs("")}`,
  });
}

/** A text that is not an entity. A service that reads the acting entity refuses it. */
const NOBODY = "tokenbookDoctorActsForNobody";

async function lookAtActing(asking: Asking, { service }: AskingIdentity, findings: Findings): Promise<void> {
  if (!hasEntities(service)) return;
  const { target } = asking.service;
  const { in: place, name } = service.identity.onBehalfOf(target.profile);
  const operation = operationNamed(service.doctor.list);
  const input: JsonObject = { [service.paging.size]: Decimal.of(1) };
  const caller = { identities: { [service.name]: NOBODY }, label: null };
  const { status } = (await ask(asking, { operation, input, caller })).reply;
  if (status === null || status >= 400) return;
  findings.warning(
    "profile.acting-entity",
    `${service.name}: the service accepts a malformed acting entity in the ${place} ${name}`,
    {
      why: "if the service does not read the acting entity there, the entity of the key makes every write, whatever the playbook says",
      next: ["find where the service reads it:", command`calibrate --env ${target.environment}`],
    },
  );
}

async function lookAtPages(asking: Asking, identity: AskingIdentity, findings: Findings): Promise<void> {
  const { name: side, paging, doctor } = identity.service;
  const operation = operationNamed(doctor.list);
  const input: JsonObject = { [paging.size]: Decimal.of(1) };
  const { answer: first, message } = (await askAs(asking, identity, { operation, input })).reply;
  if (first === undefined)
    return findings.warning("profile.unread", `${side}: whether lists come as the profile says was not seen: ${message}`);
  const items = operation.call.paging?.items ?? "";
  const rows = listIn(first.payload, items);
  if (rows.length > 1) {
    const tooMany = `${side}: asked for one item a page, the service gave ${rows.length}`;
    return findings.problem("profile.page-size", tooMany, nextFor(asking, side, paging.size));
  }
  const walk = paging.walk(items, asking.service.target.profile);
  const after = walk.take(first);
  const isOnePage = after.kind === "end" || rows.length === 0;
  const size = isOnePage ? "; it has no second page to look at" : ", and keeps to its page size";
  findings.ok(`profile.${side}`, `${side}: ${shapeWords(operation, first)}${size}`);
  if (after.kind === "broken") {
    const { message: said, why, next = "give `pages: first` in playbooks, if one page is enough" } = after.problem;
    const more = { why: why ?? "a list cannot be read to its last page", next };
    const code = after.problem.code === "paging.unknown" ? "profile.no-pagination" : `profile.${paging.parameter}`;
    return findings.warning(code, `${side}: ${said}`, more);
  }
  if (isOnePage) return;
  await lookAtSecond(asking, identity, { findings, operation, input, page: after.page, walk, first });
}

function shapeWords({ name, service }: Operation, { envelope }: ReadPage): string {
  if (service.envelope === undefined) return `${name} answers in the shape of the contract`;
  return `the envelope's status is ${writeJson(envelope?.["status"] ?? null)}, and ${name} answers in the shape of the contract`;
}

interface Second {
  readonly findings: Findings;
  readonly operation: Operation;
  readonly input: JsonObject;
  readonly page: string | number;
  readonly walk: PageWalk;
  readonly first: ReadPage;
}

async function lookAtSecond(asking: Asking, identity: AskingIdentity, second: Second): Promise<void> {
  const { findings, operation, input, page, walk, first } = second;
  const { name: side, paging } = identity.service;
  const { answer, message } = (await askAs(asking, identity, { operation, input, page })).reply;
  const code = `profile.${paging.parameter}`;
  const next = nextFor(asking, side, paging.parameter);
  if (answer === undefined) return findings.problem(code, `${side}: ${paging.second.page} is not given: ${message}`, next);
  const items = operation.call.paging?.items ?? "";
  const after = walk.take(answer);
  const [before] = listIn(first.payload, items);
  const [now] = listIn(answer.payload, items);
  if (after.kind === "broken" && after.misnamed) return findings.problem(code, `${side}: ${after.problem.message}`, next);
  if (now !== undefined && writeJson(now) === writeJson(before ?? null))
    return findings.problem(code, `${side}: ${paging.second.page} is the first page again`, next);
  findings.ok(code, `${side}: ${paging.second.follows}`);
}

function nextFor({ service: { target } }: Asking, side: string, parameter: string): { readonly next: string } {
  return { next: `name the parameter as the service calls it: profile.${side}.parameters.${parameter} at ${target.whereIs("")}` };
}
