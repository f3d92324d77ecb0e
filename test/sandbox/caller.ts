import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { parseJson, plainView, writeJson } from "../../src/base/json/json.ts";
import { contract, type ContractOperation, type InterfaceName } from "../../src/contract/contract.ts";
import { DEFAULT_PROFILE, type Profile } from "../../src/contract/profile.ts";
import { validatorOf } from "../../src/contract/validators.ts";
import { conditionsOf, plainWords } from "../../src/operations/refusal.ts";
import { startSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/sandbox.ts";

/** An answer. `text` has every digit, and `body` has JavaScript's numbers. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any -- tests read free-form answers
}

export interface Caller {
  readonly sandbox: Sandbox;
  /** Makes a ledger call, such as `ledger("POST /asset", { as: "userId:alice", body })`. */
  ledger(call: string, options?: CallOptions): Promise<Answer>;
  /** Makes an investor call, as the owner of the named credential. */
  investor(call: string, options?: CallOptions): Promise<Answer>;
  control(call: string, body?: unknown): Promise<Answer>;
}

export interface CallOptions {
  readonly as?: string;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a caller of a sandbox, which may run in any process. */
export function callerOf(sandbox: Sandbox, profile: Profile = DEFAULT_PROFILE): Caller {
  return {
    sandbox,
    ledger: async (call, { as, query = {}, headers = {}, ...rest } = {}) => {
      const answer = await send(`${sandbox.ledgerBaseUrl}/tokenize/${sandbox.appId}`, call, {
        ...rest,
        query: as === undefined ? query : { actAs: as, ...query },
        headers: { "X-API-KEY": sandbox.ledgerApiKey, ...headers },
      });
      return keepsContract("ledger", call, { answer, profile });
    },
    investor: async (call, { as = "BUYER_KEY", headers = {}, ...rest } = {}) => {
      const answer = await send(`${sandbox.investorBaseUrl}/api/v/1`, call, {
        ...rest,
        headers: { "x-api-key": sandbox.credentials[as] ?? as, ...headers },
      });
      return keepsContract("investor", call, { answer, profile });
    },
    control: (call, body) =>
      send(`${sandbox.ledgerBaseUrl}/_sandbox`, call, { body, headers: { "x-api-key": sandbox.ledgerApiKey } }),
  };
}

/** Starts a sandbox in this process for one test. */
export async function sandboxForTest(options: Partial<SandboxOptions> = {}): Promise<Caller> {
  const sandbox = await startSandbox({ path: ":memory:", commitDelayMs: 1, ...options });
  onTestFinished(() => sandbox.close());
  return callerOf(sandbox, options.profile);
}

/** Returns the path of a file in a folder that is deleted after the test. */
export function fileForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "sandbox.db");
}

/** Returns an entity of the default organization. */
export function user(userId: string): { orgId: string; userId: string } {
  return { orgId: "org1", userId };
}

async function send(root: string, call: string, { body, query = {}, headers = {} }: Omit<CallOptions, "as">): Promise<Answer> {
  const [method = "GET", path = ""] = call.split(" ");
  const search = new URLSearchParams(query).toString();
  const response = await fetch(`${root}${path}${search === "" ? "" : `?${search}`}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : writeJson(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: text === "" ? undefined : plainView(parseJson(text)) };
}

// Conditions with which the service can refuse any call.
const COMMON = ["invalid API key", "tokenization app not found", "route not found", "server error"];

/** Returns whether a condition is listed for the operation, or for all calls. */
export function isListed(condition: unknown, operation: ContractOperation): boolean {
  return [...conditionsOf(operation), ...COMMON].some((each) => plainWords(each) === plainWords(String(condition)));
}

// Checks each answer in every story against the written contract.
function keepsContract(name: InterfaceName, call: string, { answer, profile }: { answer: Answer; profile: Profile }): Answer {
  const [method = "", path = ""] = call.split(" ");
  const operation = Object.values(contract.operations).find(
    (each) => each.interface === name && each.method === method && matches(each.path, path),
  );
  if (answer.status < 300 && operation?.response !== undefined) {
    expect(validatorOf(operation.response)(answer.body), call).toEqual([]);
    const { async = operation.successStatus, [operation.name]: own = operation.successStatus } = profile.successStatus;
    expect([async, own], call).toContain(answer.status);
  }
  if (answer.status >= 400 && operation !== undefined) {
    const { condition } = answer.body as { readonly condition: unknown };
    expect(isListed(condition, operation), `${operation.name} lists "${String(condition)}"`).toBe(true);
  }
  return answer;
}

function matches(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);
}
