import { Bug } from "../../base/failure.ts";
import type { Clock } from "../../base/ports.ts";
import type { ContractOperation, InterfaceName } from "../../contract/contract.ts";
import type { Profile } from "../../contract/profile.ts";
import type { WriteFault } from "../ledger/chain.ts";
import { type Condition, ServiceRefusal, type StatusOverrides } from "../refusal.ts";
import type { Settings } from "../store/settings.ts";
import type { World } from "../store/world.ts";
import type { Speech } from "./speech.ts";

/** Status and body of an answer; without a body it is an answer without content. */
export interface WireAnswer {
  /** The HTTP status code. */
  readonly status: number;
  /** The JSON body, its numbers exact. */
  readonly body?: object;
}

/** A request as it was taken off the wire: its parameters still texts, its body the text of a JSON document. */
export interface WireRequest {
  /** The parameters of the path, by name. */
  readonly params: unknown;
  /** The parameters of the query, by name. */
  readonly query: unknown;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The text of the body; anything else means that there is none. */
  readonly body: unknown;
}

/** What both interfaces work on. */
export interface FaceParts {
  /** The resources in the file. */
  readonly world: World;
  /** Gives the time of each call. */
  readonly clock: Clock;
  /** What was fixed when the file was made. */
  readonly settings: Settings;
  /** Status codes in place of the sandbox's own, by condition. */
  readonly conditionStatus: StatusOverrides;
  /** Status codes of success in place of the contract's, by operation; `async` is for writes that are answered early. */
  readonly successStatus: Profile["successStatus"];
  /** How answers write their values. */
  readonly speech: Speech;
}

/** One of the two interfaces as it shows itself: how it takes a call, and how it says no. */
export interface Face {
  /** The title of its OpenAPI document. */
  readonly title: string;
  /** The header that carries a caller's key. */
  readonly keyHeader: string;
  /** As what it refuses who has no key. */
  readonly stranger: Condition;
  /** Where its paths begin. */
  readonly root: string;
  /** Throws the refusal, if there is one. The fault befalls a ledger write once it is taken in. */
  serve(operation: ContractOperation, asked: WireRequest, fault?: WriteFault): Promise<WireAnswer>;
  /** Returns the answer that states the refusal; without an operation, the request fits no route or fails before its call is served. */
  refuse(refusal: ServiceRefusal, operation?: ContractOperation): WireAnswer;
}

/** The interfaces that the sandbox serves. */
export interface Faces {
  /** The interface whose paths begin with `/tokenize`. */
  readonly ledger: Face;
  /** The interface whose paths begin with `/api/v/1`. */
  readonly investor: Face;
}

/** Returns the interface of an operation; `undefined` of one that the sandbox does not serve. */
export function faceOf(faces: Faces, operation: ContractOperation): Face | undefined {
  return (faces as Partial<Record<InterfaceName, Face>>)[operation.interface];
}

/** The answer of an interface to a request, a refusal among them. */
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

/** The code of success: the profile's for a write that is answered early, or for the operation, else the contract's. */
export function successStatusOf(
  { name, successStatus }: ContractOperation,
  overrides: Profile["successStatus"],
  { early }: { readonly early: boolean } = { early: false },
): number {
  return (early ? overrides["async"] : undefined) ?? overrides[name] ?? successStatus;
}

/** Returns the refusal that the caller sees for a thrown error; an unexpected one becomes a server error. */
export function asRefusal(error: unknown): ServiceRefusal {
  if (error instanceof ServiceRefusal) return error;
  if (isClientError(error)) return new ServiceRefusal("invalid parameters", error.message);
  const message = error instanceof Bug ? error.message : "the sandbox failed";
  return new ServiceRefusal("server error", message);
}

// What the HTTP layer itself refuses: a body too large, a content type that is not JSON.
function isClientError(error: unknown): error is Error {
  const { statusCode } = (error ?? {}) as { readonly statusCode?: unknown };
  return error instanceof Error && typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
}
