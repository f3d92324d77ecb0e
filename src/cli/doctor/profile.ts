import { Decimal } from "../../base/decimal.ts";
import { isObject, type Json, type JsonObject, writeJson } from "../../base/json.ts";
import type { Asking } from "../../engine/asking.ts";
import { operationNamed } from "../../operations/operation.ts";
import type { Finding } from "../../report/doctor/shape.ts";
import { Findings } from "./finding.ts";
import { askAs, type Identity, ONE_ITEM } from "./service.ts";

/** Whether the service speaks as the profile says, as far as two small reads of each interface tell. */
export async function lookAtProfile(asking: Asking, identities: readonly Identity[]): Promise<readonly Finding[]> {
  const findings = new Findings("profile");
  const ledger = identities.find(({ side }) => side === "ledger");
  const investor = identities.find(({ side }) => side === "investor");
  if (ledger !== undefined) {
    await lookAtBookmarks(asking, ledger, findings);
    await lookAtErrors(asking, ledger, findings);
  }
  if (investor !== undefined) {
    await lookAtPages(asking, investor, findings);
    await lookAtErrors(asking, investor, findings);
  }
  return findings.all;
}

/** What nobody has: whoever is asked for it answers with an error. */
const NOBODYS_ID = "tokenbookDoctorLooksForNothing";

async function lookAtErrors(asking: Asking, identity: Identity, findings: Findings): Promise<void> {
  const { side } = identity;
  const operation = operationNamed(side === "ledger" ? "ledger.token.get" : "investor.sales.get");
  const input: JsonObject = side === "ledger" ? { id: NOBODYS_ID } : { tokenSaleId: NOBODYS_ID };
  const { status, foreign, message } = (await askAs(asking, identity, { operation, input })).reply;
  if (status === null || status < 400 || status >= 500) return; // no refusal was seen
  if (!foreign) return findings.ok("profile.errors", `${side}: errors come in the form that the profile declares`);
  findings.warning("profile.errors", `${side}: an error came in a form that the profile does not declare: ${message}`, {
    why: "a write that is refused in this form is not taken for refused: a gateway could have answered, and the write could have taken effect",
    next: `if the service wrote it, declare its form: profile.${side}.errors at ${asking.service.target.whereIs("")}`,
  });
}

const ONE_RECORD: JsonObject = { pageSize: Decimal.of(1) };

async function lookAtBookmarks(asking: Asking, identity: Identity, findings: Findings): Promise<void> {
  const operation = operationNamed("ledger.token.list");
  const { answer, message } = (await askAs(asking, identity, { operation, input: ONE_RECORD })).reply;
  if (answer === undefined) {
    return findings.warning("profile.unread", `ledger: whether lists come as the profile says was not seen: ${message}`);
  }
  const records = listIn(answer.payload, "records");
  if (records.length > 1)
    return findings.problem("profile.page-size", tooMany("ledger", records.length), nextFor(asking, "ledger", "pageSize"));
  findings.ok("profile.ledger", `ledger: ${operation.name} answers in the shape of the contract, and keeps to its page size`);
  const bookmark = isObject(answer.payload) ? answer.payload["bookmark"] : undefined;
  if (records.length === 0 || typeof bookmark !== "string" || bookmark === "") return;
  const { reply: second } = await askAs(asking, identity, { operation, input: ONE_RECORD, page: bookmark });
  const next = nextFor(asking, "ledger", "bookmark");
  if (second.answer === undefined)
    return findings.problem("profile.bookmark", `ledger: the page behind a bookmark is not given: ${second.message}`, next);
  const again = listIn(second.answer.payload, "records");
  if (again.length > 0 && writeJson(again[0] ?? null) === writeJson(records[0] ?? null))
    return findings.problem("profile.bookmark", "ledger: the page behind a bookmark is the first page again", next);
  findings.ok("profile.bookmark", "ledger: a bookmark leads to the next page");
}

async function lookAtPages(asking: Asking, identity: Identity, findings: Findings): Promise<void> {
  const operation = operationNamed("investor.sales.list");
  const { answer, message } = (await askAs(asking, identity, { operation, input: ONE_ITEM })).reply;
  if (answer === undefined) {
    return findings.warning("profile.unread", `investor: whether lists come as the profile says was not seen: ${message}`);
  }
  const sales = listIn(answer.payload, operation.call.paging?.items ?? "");
  if (sales.length > 1)
    return findings.problem("profile.page-size", tooMany("investor", sales.length), nextFor(asking, "investor", "limit"));
  const status = writeJson(answer.envelope?.["status"] ?? null);
  findings.ok("profile.investor", `investor: the envelope's status is ${status}, and ${operation.name} keeps to its page size`);
  const pages = paginationOf(answer.payload, answer.envelope)?.["totalPages"];
  if (!(pages instanceof Decimal)) {
    return findings.warning("profile.no-pagination", "investor: the answer has no pagination.totalPages", {
      why: "without it a list cannot be read to its last page",
      next: "give `pages: first` in playbooks, if one page is enough",
    });
  }
  if (pages.approximate() < 2) return;
  const { reply: second } = await askAs(asking, identity, { operation, input: ONE_ITEM, page: 2 });
  const next = nextFor(asking, "investor", "page");
  if (second.answer === undefined)
    return findings.problem("profile.page", `investor: the second page is not given: ${second.message}`, next);
  const page = paginationOf(second.answer.payload, second.answer.envelope)?.["page"];
  if (page instanceof Decimal && !page.equals(Decimal.of(2)))
    return findings.problem("profile.page", `investor: asked for page 2, the service gave page ${page}`, next);
  findings.ok("profile.page", "investor: the second page is the second");
}

function tooMany(side: Identity["side"], number: number): string {
  return `${side}: asked for one item a page, the service gave ${number}`;
}

function nextFor({ service: { target } }: Asking, side: Identity["side"], parameter: string): { readonly next: string } {
  return { next: `name the parameter as the service calls it: profile.${side}.parameters.${parameter} at ${target.whereIs("")}` };
}

function listIn(payload: Json, name: string): readonly Json[] {
  const list = isObject(payload) ? payload[name] : undefined;
  return Array.isArray(list) ? list : [];
}

function paginationOf(payload: Json, envelope: JsonObject | undefined): JsonObject | undefined {
  const inside = isObject(payload) ? payload["pagination"] : undefined;
  const found = isObject(inside) ? inside : envelope?.["pagination"];
  return isObject(found) ? found : undefined;
}
