import { Decimal } from "../base/decimal.ts";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { validatorOf } from "../contract/validators.ts";
import type { Operation } from "./operation.ts";

/** A successful answer, understood. */
export interface Answer {
  readonly kind: "answer";
  /** What `steps.ID.response` gives: interface A's envelope taken off. */
  readonly payload: Json;
  /** Interface A's envelope without its `response`: status and pagination. */
  readonly envelope: JsonObject | undefined;
}

/** A 2xx answer that does not say what the contract promises. */
export interface Unreadable {
  readonly kind: "unreadable";
  readonly why: string;
}

/** Loads what reads the answer. A write does so before it is sent: nothing that can fail stands between its answer and the journal. */
export function readyToRead({ call }: Operation): void {
  if (call.response !== undefined) validatorOf(call.response);
}

/** Reads a 2xx body by the contract. An answer of another shape, or an envelope that says neither success nor failure, is unreadable. */
export function readAnswer(operation: Operation, body: Json | undefined): Answer | Unreadable {
  const { response } = operation.call;
  if (response === undefined) return { kind: "answer", payload: null, envelope: undefined };
  if (body === undefined) return { kind: "unreadable", why: "the answer has no JSON body" };
  const [problem] = validatorOf(response)(body);
  if (problem !== undefined) {
    return { kind: "unreadable", why: `${["answer", ...problem.path].join(".")} ${problem.message}` };
  }
  if (operation.call.interface === "ledger") return { kind: "answer", payload: body, envelope: undefined };
  return readEnvelope(body);
}

function readEnvelope(body: Json): Answer | Unreadable {
  if (!isObject(body)) return { kind: "unreadable", why: "the answer is no envelope {status, response}" };
  const { response = null, ...envelope } = body;
  const { status } = envelope;
  const succeeded = status === "SUCCESS" || (status instanceof Decimal && status.equals(Decimal.of(1)));
  return succeeded
    ? { kind: "answer", payload: response, envelope }
    : { kind: "unreadable", why: `the envelope's status is ${JSON.stringify(status ?? null)}, which is not success` };
}

/** The text of a refusal, whatever shape its body has. */
export function refusalText(
  body: Json | undefined,
  text: string,
): { readonly message: string; readonly condition: string | undefined } {
  if (!isObject(body)) return { message: text.trim().slice(0, 300) || "no message", condition: undefined };
  const said = [body["message"], body["error"], body["errors"]].find((value) => value !== undefined && value !== null);
  const message = typeof said === "string" ? said : JSON.stringify(said ?? body).slice(0, 300);
  return { message, condition: typeof body["condition"] === "string" ? body["condition"] : undefined };
}

/** Whether a refusal is the one that a playbook expects, in the words of the service description. */
export function refusalMeets(
  condition: string,
  refusal: { readonly message: string; readonly condition: string | undefined },
): boolean {
  const wanted = condition.toLowerCase();
  return refusal.condition?.toLowerCase() === wanted || refusal.message.toLowerCase().includes(wanted);
}
