import { NO_SECRETS } from "../../../src/playbook/settings/open-secrets.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/base/json/json.ts";
import type { Reply } from "../../../src/engine/service/reply.ts";
import { type Call, ServiceClient } from "../../../src/engine/service/service.ts";
import { inputParameters } from "../../../src/operations/input.ts";
import { type Operation, operations } from "../../../src/operations/operation.ts";
import { answersOf, brokenTexts, mutationsOf } from "./mutations.ts";
import { clockWithoutWaiting, targetAt } from "../../engine-parts.ts";
import { type Given, NOT_STOPPING, runnerForTest, serve, transportForTest } from "./server.ts";

function ask(service: ServiceClient, call: Call): Promise<Reply> {
  return call.operation.writes
    ? service.send(call, service.request(call), { fence: () => undefined, signal: NOT_STOPPING })
    : service.call(call, NOT_STOPPING);
}

const SEED = 20_261_121;
const MUTATIONS_PER_OPERATION = 60;

// Returns the seed of an operation. Each operation has its own seed, so that a new operation does not change the answers of the others.
function seedOf({ name }: Operation): number {
  return Buffer.from(name).reduce((hash, byte) => (hash * 31 + byte) % 2_147_483_647, SEED);
}

function pathInput(operation: Operation): JsonObject {
  const inPath = inputParameters(operation).filter((parameter) => parameter.in === "path");
  return Object.fromEntries(inPath.map(({ name, schema }) => [name, (schema.examples?.[0] ?? "1") as Json]));
}

const withAnswers = [...operations.values()].filter(({ call }) => call.response !== undefined);
const caller = { identities: { ledger: "userId:alice", investor: "BUYER_KEY" }, label: "alice" };

test.for(withAnswers.map((operation) => [operation.name, operation] as const))(
  "an answer to %s is used if it fits the contract; otherwise the message shows the place and the expected value",
  async ([, operation]) => {
    let next: Given = { body: "" };
    const { url } = await serve(() => next);
    const transport = transportForTest();
    const service = new ServiceClient(targetAt(url), {
      exchange: transport.exchange.bind(transport),
      clock: clockWithoutWaiting(),
      secrets: NO_SECRETS,
    });
    const seed = seedOf(operation);
    const sure = fc.sample(answersOf(operation.call), { seed, numRuns: 5 });
    const broken = brokenTexts(sure[0]);
    const mutated = fc.sample(mutationsOf(operation.call), { seed, numRuns: MUTATIONS_PER_OPERATION });
    const whole = sure.map((answer) => ({ text: JSON.stringify(answer), says: undefined }));
    for (const { text, says } of [...whole, ...broken, ...mutated]) {
      next = { status: operation.call.successStatus, body: text };
      const reply = await ask(service, { operation, input: pathInput(operation), caller });
      const given = `seed ${seed}, answer ${text.slice(0, 2_000)}, reply ${JSON.stringify(reply).slice(0, 500)}`;
      if (says === undefined) {
        expect(reply, given).toMatchObject({ meaning: "acknowledged", answer: { kind: "answer" }, message: "" });
      } else {
        expect(reply, given).toMatchObject({ meaning: "ambiguous", answer: undefined });
        expect(reply.message, given).toMatch(says);
      }
    }
    expect(mutated.filter(({ says }) => says !== undefined).length, `seed ${seed}`).toBeGreaterThan(10);
    expect(mutated.filter(({ says }) => says === undefined).length, `seed ${seed}`).toBeGreaterThan(3);
  },
);

test("an error with a status of success is neither an answer nor a refusal, and its words are shown", async () => {
  const { url } = await serve(() => ({
    body: '{"status": "Error", "message": "the books are closed", "condition": "invalid parameters"}',
  }));
  const transport = transportForTest();
  const service = new ServiceClient(targetAt(url), {
    exchange: transport.exchange.bind(transport),
    clock: clockWithoutWaiting(),
    secrets: NO_SECRETS,
  });
  for (const name of ["ledger.token.get", "ledger.token.list", "ledger.token.mint"]) {
    const operation = operations.get(name) ?? expect.fail();
    const reply = await ask(service, { operation, input: {}, caller });
    expect(reply, name).toMatchObject({
      meaning: "ambiguous",
      answer: undefined,
      message:
        "HTTP 200, but its body is an error that does not count as a refusal, because the status is one of success: the books are closed",
    });
  }
});

// The description does not say how a service reports a refusal. For a read, any text and any JSON counts as a refusal, except an answer of a
// proxy or an answer that breaks off. For a write, only two answers count: the form of the interface that the profile declares, and a
// condition that the description lists for the call.
const NOES: readonly (readonly [body: string, readable: boolean, ownTo?: RegExp])[] = [
  ['{"status": "Error", "message": "no", "condition": "mint quantity exceeded"}', true, /^ledger/],
  ['{"status": 0, "message": "no"}', true, /^investor/],
  ['{"status": "Failed", "message": "no", "response": null}', true, /^investor/],
  ['{"message": "invalid caller"}', true, /^ledger\.token\.mint$/],
  ['{"error": "no", "condition": "invalid caller"}', true, /^ledger\.token\.mint$/],
  ['{"message": "Invalid caller"}', true],
  ['{"message": "server error"}', true],
  ['{"status": "error", "message": "no", "condition": "no"}', true],
  ['{"status": "Error", "message": "no"}', true],
  ['{"status": 403, "message": "Forbidden", "error": "Forbidden"}', true],
  ["", true],
  ["no", true],
  ["null", true],
  ["7", true],
  ['"no"', true],
  ["[]", true],
  ['["no", {"code": 7}]', true],
  ["{}", true],
  ['{"message": null, "error": {"code": 1e300}, "errors": []}', true],
  ['{"message": ["no"], "condition": 7}', true],
  ['{"status": 0, "message": "", "condition": "asset not found"}', true],
  [`{"message": "${"no ".repeat(10_000)}"}`, true],
  ['{"message": "no', false],
  ['[{"message": "no"}', false],
  ["<html><h1>502 Bad Gateway</h1></html>", false],
  ["[".repeat(100_000), false],
];

const MEANINGS: readonly (readonly [number, string])[] = [
  [400, "refused"],
  [401, "refused"],
  [403, "refused"],
  [404, "refused"],
  [409, "refused"],
  [422, "refused"],
  [402, "ambiguous"],
  [408, "ambiguous"],
  [302, "ambiguous"],
  [500, "ambiguous"],
  [503, "ambiguous"],
  [429, "refused-later"],
];

test.for(["ledger.token.mint", "ledger.asset.get", "investor.sales.buy", "investor.sales.list"])(
  "the status code decides whether %s is refused, and the message shows the words of the answer",
  async (name) => {
    const operation = operations.get(name) ?? expect.fail();
    let next: Given = { body: "" };
    const { url } = await serve(() => next);
    const transport = transportForTest();
    const service = new ServiceClient(targetAt(url), {
      exchange: transport.exchange.bind(transport),
      clock: clockWithoutWaiting(),
      secrets: NO_SECRETS,
    });
    for (const [status, meaning] of MEANINGS) {
      for (const [body, readable, ownTo] of NOES) {
        next = { status, body, headers: { "content-type": body.startsWith("<") ? "text/html" : "application/json" } };
        const reply = await ask(service, { operation, input: pathInput(operation), caller });
        const given = `${status} ${body.slice(0, 200)}: ${JSON.stringify(reply).slice(0, 500)}`;
        expect(reply, given).toMatchObject({
          status,
          answer: undefined,
          meaning: (operation.writes ? ownTo?.test(name) === true : readable) ? meaning : "ambiguous",
        });
        expect(reply.message, given).toMatch(new RegExp(`^HTTP ${status}: .`));
        expect(reply.message.length, given).toBeLessThan(1_100);
      }
    }
  },
);

test.for(["ledger.token.mint", "ledger.asset.get", "investor.sales.buy", "investor.sales.list"])(
  "an answer to %s that is not UTF-8, or that repeats a name, is neither a success nor a refusal",
  async (name) => {
    const operation = operations.get(name) ?? expect.fail();
    const good = '{"success":true,"response":{},"message":"minted Jos\u00e9","transactionId":"t","id":"A","note":"x"}';
    const garbled = Buffer.from(good, "latin1");
    const twice = good.replace('"note"', '"id"');
    let next: Given = { body: "" };
    const { url } = await serve(() => next);
    const transport = transportForTest();
    const service = new ServiceClient(targetAt(url), {
      exchange: transport.exchange.bind(transport),
      clock: clockWithoutWaiting(),
      secrets: NO_SECRETS,
    });
    for (const body of [garbled, twice])
      for (const status of operation.writes ? [200, 201, 400, 404] : [200]) {
        next = { status, body };
        const reply = await ask(service, { operation, input: pathInput(operation), caller });
        expect(reply, `${status} ${String(body)}`).toMatchObject({ status, answer: undefined, meaning: "ambiguous" });
      }
  },
);

test("a read with a status of partial content, or of a later answer, is incomplete", async () => {
  for (const [text, body] of [
    ["read: ledger.account.list, with: { tokenId: T }, key: row.tokenId", '[{"id":"A","tokenId":"T","balance":1}]'],
    ["read: ledger.token.get, with: { id: T }, key: row.id", '{"id":"T"}'],
  ] as const)
    for (const [status, outcome] of [
      [200, "passed"],
      [201, "passed"],
      [202, "failed"],
      [206, "failed"],
    ] as const) {
      const { url, came } = await serve(() => ({ status, body }));
      const ran = await runnerForTest()(
        `playbook: 1\nmode: read-only\nreconcile: [{ id: all, left: { rows: "['T']", key: row }, right: { ${text} } }]\n`,
        targetAt(url),
      );
      expect(ran.outcome, `${status} ${text}`).toBe(outcome);
      if (outcome === "passed") continue;
      expect(ran.stopped?.comparison?.gaps).toMatchObject([
        { message: expect.stringContaining(`HTTP ${status}, so the answer is not complete`) },
      ]);
      expect(came).toHaveLength(1);
    }
});
