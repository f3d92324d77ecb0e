import { command } from "../base/command-line.ts";
import { Failure } from "../base/failure.ts";
import type { Json } from "../base/json/json.ts";
import { field, recordsIn, text } from "../base/json/parts.ts";
import type { Clock } from "../base/ports.ts";
import { redactor } from "../base/secret.ts";
import { keyOf, secretsOf, type Target } from "../environment/target.ts";
import type { MakeExchange } from "../transport/exchange.ts";
import { withMaskedAnswers } from "../transport/masked-answers.ts";
import { Asker, bodyText, type Carry } from "./ask.ts";
import type { ExploredService } from "./explore.ts";

/** Opens the ledger of a target for exploring, and reads the asset types of its app. Throws a Failure if the ledger does not answer. */
export async function openService(
  target: Target,
  { exchange, clock }: { readonly exchange: MakeExchange; readonly clock: Clock },
): Promise<Omit<ExploredService, "isOwn">> {
  const { profile } = target;
  if (target.ledger === undefined) {
    throw new Failure({
      code: "explore.no-ledger",
      message: `the environment "${target.environment}" has no ledger interface, which is the one that is explored`,
      next: `add it to ${target.whereIs("ledger")}`,
    });
  }
  const { appId = "", orgId = "" } = target.ledger.settings ?? {};
  const carry = carryTo(target, withMaskedAnswers(exchange, redactor(secretsOf(target))));
  const actingEntity = "userId:explorer";
  const said = await new Asker(carry, { profile, clock }).ask({ uses: "ledger.asset.stats", input: {}, actingEntity });
  if (said.kind === "done") return { carry, profile, appId, orgId, assetTypes: typesIn(said.payload) };
  throw new Failure({
    code: "explore.no-service",
    message: `the ledger of the environment "${target.environment}" does not answer: ${said.kind === "refused" ? said.condition : said.kind === "unread" ? "" : said.why}`,
    why: "the explorer begins with a read of the asset types, and nothing was written",
    next: command`doctor --env ${target.environment}`,
  });
}

function carryTo(target: Target, exchange: MakeExchange): Carry {
  return async ({ call, service, writes }, request) => {
    const side = target[call.interface];
    const key = side === undefined ? undefined : keyOf(side, undefined);
    if (side === undefined || key === undefined) return { lost: `the environment has no ${call.interface} interface` };
    const { origin, pathname } = new URL(side.baseUrl);
    const root = service.root.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(side.settings?.[name] ?? ""));
    const exchanged = await exchange({
      origin,
      method: request.method,
      path: `${pathname === "/" ? "" : pathname}${root}${request.path}`,
      headers: { ...request.headers, [service.keyHeader]: key, accept: "application/json" },
      body: bodyText(request),
      fresh: writes,
      fence: undefined,
      timeoutMs: target.timeoutMs,
      signal: undefined,
    });
    return exchanged.kind === "answered" ? exchanged : { lost: exchanged.why };
  };
}

function typesIn(stats: Json): readonly string[] {
  return recordsIn(field(stats, "countByType")).flatMap(({ assetType }) => text(assetType) ?? []);
}
