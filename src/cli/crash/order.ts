import { type JsonObject, parseJson, writeJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Profile } from "../../contract/profile.ts";
import type { GivenToRun } from "../../engine/run/concurrency-groups.ts";
import type { RunName } from "../../engine/run/run-names.ts";
import type { RunningSandbox } from "../../sandbox/sandbox.ts";
import type { Subject } from "./island.ts";

/** What a child must run, and the only sandbox that it can reach. */
export interface Order extends GivenToRun {
  /** The playbook's file, as on the command line. */
  readonly file: string;
  /** The name from which the run derives its ids and marks. */
  readonly name: RunName;
  /** The address of the sandbox. */
  readonly served: RunningSandbox;
  /** The profile of the sandbox: its behaviour where the service description leaves it open. */
  readonly profile: Profile;
  /** The folder of the state. */
  readonly state: string;
  /** The schema of the state on the project's server, if the state is not in the folder. The server's address contains a password and is not passed on. */
  readonly schema?: string | undefined;
}

/** Writes an order for a pipe. */
export function orderText({
  subject,
  ...where
}: Pick<Order, "served" | "profile" | "state" | "schema"> & { subject: Subject }): string {
  const { playbook, inputs, env, name } = subject;
  return JSON.stringify({ ...where, file: playbook.file, env, name, inputs: writeJson(inputs) });
}

/** Reads an order. The numbers of its inputs are exact. */
export function readOrder(text: string): Order {
  const order = JSON.parse(text) as Omit<Order, "inputs"> & { readonly inputs: string };
  return { ...order, inputs: parseJson(order.inputs, LIMITS.recordDepth) as JsonObject };
}
