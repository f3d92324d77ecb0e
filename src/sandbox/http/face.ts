import { Bug } from "../../base/failure.ts";
import type { Clock } from "../../base/ports.ts";
import type { ContractOperation, InterfaceName } from "../../contract/contract.ts";
import type { Profile } from "../../contract/profile.ts";
import type { WriteFault } from "../ledger/chain.ts";
import { type Condition, ServiceRefusal, type StatusOverrides } from "../refusal.ts";
import type { Settings } from "../store/settings.ts";
import type { World } from "../store/world.ts";
import type { Speech } from "./speech.ts";

/** The status and body of an answer. Without a body, the answer has no content. */
export interface WireAnswer {
  /** The HTTP status code. */
  readonly status: number;
  /** The JSON body with exact numbers. */
  readonly body?: object;
}

/** A request as received: its parameters are still texts, and its body is the text of a JSON document. */
export interface WireRequest {
  /** The parameters of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** The parameters of the query, by name. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The text of the body. Anything else means that there is none. */
  readonly body: unknown;
}

/** What both interfaces need. */
export interface FaceParts {
  /** The resources in the file. */
  readonly world: World;
  /** The clock for the time of each call. */
  readonly clock: Clock;
  /** The settings that were fixed when the file was created. */
  readonly settings: Settings;
  /** Status codes that replace the sandbox's own, by condition. */
  readonly conditionStatus: StatusOverrides;
  /** Status codes of success that replace the contract's, by operation. `async` applies to writes that are answered early. */
  readonly successStatus: Profile["successStatus"];
  /** How answers write their values. */
  readonly speech: Speech;
}

/** One of the two interfaces: how it handles a call, and how it refuses one. */
export interface Face {
  /** The title of its OpenAPI document. */
  readonly title: string;
  /** The header that carries a caller's key. */
  readonly keyHeader: string;
  /** The condition for a caller without a key. */
  readonly stranger: Condition;
  /** The beginning of its paths. */
  readonly root: string;
  /** Handles a call. Throws a refusal. The fault affects a ledger write after it was accepted. */
  serve(operation: ContractOperation, asked: WireRequest, fault?: WriteFault): Promise<WireAnswer>;
  /** Returns the answer for a refusal. Without an operation, the request matched no route or failed before its call was handled. */
  refuse(refusal: ServiceRefusal, operation?: ContractOperation): WireAnswer;
}

/** How the sandbox serves each interface of the contract. */
export type Faces = Readonly<Record<InterfaceName, Face>>;

/** Returns the answer of an interface to a request, even if it refuses. */
export async function answerOf(
  face: Face,
  operation: ContractOperation,
  asked: WireRequest,
  fault?: WriteFault,
): Promise<WireAnswer> {
  try {
    return await face.serve(operation, asked, fault);
  } catch (error) {
    return face.refuse(asRefusal(error), operation);
  }
}

/** Returns the status code of success: the profile's for a write that is answered early, or for the operation, or else the contract's. */
export function successStatusOf(
  { name, successStatus }: ContractOperation,
  overrides: Profile["successStatus"],
  { early }: { readonly early: boolean } = { early: false },
): number {
  return (early ? overrides["async"] : undefined) ?? overrides[name] ?? successStatus;
}

/** Returns the refusal that the caller sees for an error. An unexpected error becomes a server error. */
export function asRefusal(error: unknown): ServiceRefusal {
  if (error instanceof ServiceRefusal) return error;
  if (isClientError(error)) return new ServiceRefusal("invalid parameters", error.message);
  const message = error instanceof Bug ? error.message : "the sandbox failed";
  return new ServiceRefusal("server error", message);
}

// The HTTP layer itself refuses a body that is too large, and a content type other than JSON.
function isClientError(error: unknown): error is Error {
  const { statusCode } = (error ?? {}) as { readonly statusCode?: unknown };
  return error instanceof Error && typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
}
