import { expect, test } from "vitest";
import { isObject, type JsonObject, parseJson, writeJson } from "../../../src/base/json/json.ts";
import { DEFAULT_PROFILE, profileWith } from "../../../src/contract/profile.ts";
import { validatorOf } from "../../../src/contract/validators.ts";
import { batchSchema, inputSchema } from "../../../src/operations/input.ts";
import { type Operation, operationNamed, operations } from "../../../src/operations/operation.ts";
import { buildRequest, type CallContext } from "../../../src/operations/request.ts";

const context: CallContext = { profile: DEFAULT_PROFILE, actingEntity: undefined };
const written = [...operations.values()].filter(({ call }) => call.exampleBody !== undefined);

function example({ call }: Operation): JsonObject | readonly JsonObject[] {
  return parseJson(writeJson(call.exampleBody)) as JsonObject | readonly JsonObject[];
}

function itemsOf(operation: Operation): readonly JsonObject[] {
  const body = example(operation);
  const { wraps } = operation.meaning;
  if (!isObject(body)) return body;
  return wraps === undefined ? [body] : (body[wraps] as readonly JsonObject[]);
}

function sharedOf(operation: Operation): JsonObject {
  const body = example(operation);
  const { wraps } = operation.meaning;
  return wraps !== undefined && isObject(body) ? Object.fromEntries(Object.entries(body).filter(([name]) => name !== wraps)) : {};
}

function request(
  name: string,
  input: string,
  given: Partial<CallContext> = {},
): { sent: string; body: string | undefined; headers: object } {
  const { method, path, headers, body } = buildRequest(operationNamed(name), parseJson(input) as JsonObject, {
    ...context,
    ...given,
  });
  return { sent: `${method} ${path}`, body: body === undefined ? undefined : writeJson(body), headers };
}

test("every operation with a body has an example body", () => {
  const without = [...operations.values()].filter(({ call }) => call.body !== undefined && call.exampleBody === undefined);
  expect(without.map(({ name }) => name)).toEqual([]);
});

test.for(written.map((operation) => [operation.name, operation] as const))(
  "%s accepts the example of its contract, and sends it",
  ([, operation]) => {
    for (const item of itemsOf(operation)) {
      const input = { ...sharedOf(operation), ...item };
      expect(validatorOf(inputSchema(operation))(input)).toEqual([]);
      const { wraps } = operation.meaning;
      const one = wraps === undefined ? (operation.batches ? [item] : item) : { ...sharedOf(operation), [wraps]: [item] };
      expect(buildRequest(operation, input, context).body).toEqual(one);
    }
  },
);

test.for(written.filter(({ batches }) => batches).map((operation) => [operation.name, operation] as const))(
  "%s sends a batch as one body",
  ([, operation]) => {
    const input = { ...sharedOf(operation), items: itemsOf(operation) };
    expect(validatorOf(batchSchema(operation))(input)).toEqual([]);
    expect(buildRequest(operation, input, context).body).toEqual(example(operation));
  },
);

test("one item becomes a list if the body is a list, and keeps its digits", () => {
  expect(request("ledger.token.mint", '{"id":"T1","to":{"userId":"a"},"value":12345678901234567890.50}')).toEqual({
    sent: "POST /token/mint",
    body: '[{"id":"T1","to":{"userId":"a"},"value":12345678901234567890.50}]',
    headers: {},
  });
});

test("the shared fields of a body are beside its list", () => {
  expect(request("ledger.approval.accept", '{"approvalType":"invoice","id":"R1","comment":"ok"}')).toMatchObject({
    sent: "POST /approval/accept?async=true",
    body: '{"approvalType":"invoice","approvals":[{"id":"R1","comment":"ok"}]}',
  });
});

test("parameters are encoded, and put where the contract has them", () => {
  expect(request("ledger.asset.get", '{"assetType":"a b","id":"x/y&z=1?#é","depth":null}').sent).toBe(
    "GET /asset?assetType=a+b&id=x%2Fy%26z%3D1%3F%23%C3%A9",
  );
  expect(request("investor.sales.get", '{"tokenSaleId":"../../admin?x"}').sent).toBe("GET /token-sales/..%2F..%2Fadmin%3Fx");
  expect(
    request("investor.payouts.saleSchedule", '{"storeId":"s","tokenId":"$&","tokenSaleId":"{tokenId}","quantity":1.50}').sent,
  ).toBe("GET /payouts/s/token/%24%26/sale/%7BtokenId%7D/schedule?quantity=1.50");
});

test("an id in a path cannot be empty or only dots", () => {
  const inPath = [...operations.values()].flatMap((operation) =>
    operation.call.parameters.filter((each) => each.in === "path").map(({ name }) => ({ operation, name })),
  );
  expect(inPath.length).toBeGreaterThan(4);
  for (const { operation, name } of inPath) {
    const fits = (id: string): boolean =>
      !validatorOf(inputSchema(operation))({ [name]: id }).some(({ keyword }) => keyword === "pattern");
    expect(["", ".", "..", "a.b", "..a"].map(fits), `${operation.name} ${name}`).toEqual([false, false, false, true, true]);
  }
});

test("parameters have the names of the profile", () => {
  const profile = profileWith({
    ledger: { parameters: { pageSize: "size", bookmark: "next" } },
    investor: { parameters: { page: "p", limit: "n" } },
  });
  expect(request("ledger.asset.list", '{"assetType":"P","pageSize":10}', { profile, page: "b==" }).sent).toBe(
    "GET /asset/all?assetType=P&size=10&next=b%3D%3D",
  );
  expect(request("investor.sales.list", '{"limit":5}', { profile, page: 2 }).sent).toBe("GET /token-sales?n=5&p=2");
});

test("a request to the ledger names the acting entity where the profile has it", () => {
  const actingEntity = "userId:alice";
  expect(request("ledger.status", "{}", { actingEntity })).toMatchObject({
    sent: "GET /status?actAs=userId%3Aalice",
    headers: {},
  });
  const profile = profileWith({ ledger: { onBehalfOf: { in: "header", name: "X-Act-As" } } });
  expect(request("ledger.status", "{}", { actingEntity, profile })).toMatchObject({
    sent: "GET /status",
    headers: { "X-Act-As": actingEntity },
  });
  expect(request("investor.portfolio.tokens", "{}", { actingEntity })).toMatchObject({
    sent: "GET /investments/user/tokens",
    headers: {},
  });
});

test("a write asks for an answer before its commit, if its operation can", () => {
  for (const operation of operations.values()) {
    const { path } = buildRequest(operation, {}, context);
    expect(path.includes("async=true"), operation.name).toBe(operation.async);
  }
});
