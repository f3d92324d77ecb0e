import { resolve, type ContractOperation } from "../../contract/contract.ts";
import type { InvestorProfile } from "../../contract/profile.ts";
import type { Database } from "../../sqlite/database.ts";
import { newTransactionId } from "../ids.ts";
import type { Enveloped, InvestorCall } from "../investor/call.ts";
import { INVESTOR_READS, INVESTOR_WRITES } from "../investor/operations.ts";
import { found, ServiceRefusal, statusOf } from "../refusal.ts";
import { logCommit, type CommittedWrite } from "../store/commits.ts";
import type { Investor } from "../store/investor-resources.ts";
import type { World } from "../store/world.ts";
import type { Dialect } from "../dialect.ts";
import { errorBody } from "./error-body.ts";
import { type FaceParts, successStatusOf, type WireAnswer, type WireRequest, type Face } from "./face.ts";
import { readBody, readParameters } from "./parameters.ts";
import { spoken } from "./speech.ts";

/** What the investor interface needs. */
interface InvestorParts extends FaceParts {
  readonly database: Database;
  readonly profile: InvestorProfile;
}

/** Interface A. A write is one transaction of the store, which is committed before the write is answered. */
export class InvestorFace implements Face {
  readonly title = "Investor interface";
  readonly root = "/api/v/1";
  readonly keyHeader = "x-api-key";
  readonly stranger = "Unauthorized User";
  readonly #parts: InvestorParts;

  constructor(parts: InvestorParts) {
    this.#parts = parts;
  }

  /** Handles a call and returns its answer. Throws a ServiceRefusal if the service refuses it. */
  async serve(operation: ContractOperation, asked: WireRequest): Promise<WireAnswer> {
    const { speech, successStatus } = this.#parts;
    const body = { status: wordFor(operation, speech.dialect).success, ...this.#perform(operation, asked) };
    const answer = spoken(operation.response, body, speech) ?? body;
    return { status: successStatusOf(operation, successStatus), body: answer };
  }

  /** Returns the answer for a refusal. The operation decides whether the envelope's status is a text or a number. */
  refuse(refusal: ServiceRefusal, operation?: ContractOperation): WireAnswer {
    const { message, condition } = refusal;
    const status = statusOf(condition, this.#parts.conditionStatus);
    const failed =
      operation === undefined || condition === "Unauthorized User" ? 0 : wordFor(operation, this.#parts.speech.dialect).failed;
    const { errors } = this.#parts.profile;
    const fitting = errors.filter((form) => form["status"] === failed);
    const body = {
      status: failed,
      ...errorBody(fitting.length > 0 ? fitting : errors, { message, condition }, this.#parts.speech.dialect),
    };
    return { status, body };
  }

  #readCall(operation: ContractOperation, asked: WireRequest): InvestorCall<unknown> {
    const { world, clock, settings, profile } = this.#parts;
    const apiKey = String(asked.headers["x-api-key"] ?? "");
    const investor = theInvestor(world, apiKey);
    const { params: path, query } = asked;
    const { unknownParameters } = this.#parts.speech.dialect;
    const params = readParameters(operation, { path, query, names: { ...profile.parameters }, common: [], unknownParameters });
    const body = readBody(operation, asked.body);
    return { world, profile, settings, investor, apiKey, now: clock.now(), params, body, transactionId: newTransactionId() };
  }

  #perform(operation: ContractOperation, asked: WireRequest): Enveloped {
    const call = this.#readCall(operation, asked);
    const read = INVESTOR_READS[operation.name];
    if (read !== undefined) return read(call);
    const write = found(INVESTOR_WRITES[operation.name], "not implemented", `the sandbox does not implement ${operation.name}`);
    const { database, world } = this.#parts;
    return database.transaction(() => {
      const enveloped = write({ ...call, investor: theInvestor(world, call.apiKey) });
      logCommit(database, asCommitted(operation, call));
      return enveloped;
    });
  }
}

function theInvestor(world: World, apiKey: string): Investor {
  const investor = world.get("investor", apiKey);
  return found(investor?.revoked === true ? undefined : investor, "Unauthorized User", "Unauthorized User");
}

function asCommitted({ name: operation }: ContractOperation, call: InvestorCall<unknown>): CommittedWrite {
  const { investor, now: at, transactionId, body } = call;
  return { at, transactionId, interface: "investor", operation, actor: { userId: investor.userId }, body };
}

// According to the contract, the envelope's status is a text on some endpoints and a number on others.
function wordFor(
  { response }: ContractOperation,
  { envelope }: Dialect,
): { readonly success: string | number; readonly failed: string | number } {
  const types = [resolve(response ?? {}).properties?.["status"]?.type ?? "number"].flat();
  const isText = envelope === "described" ? types.includes("string") : envelope === "text";
  return isText ? { success: "SUCCESS", failed: "Failed" } : { success: 1, failed: 0 };
}
