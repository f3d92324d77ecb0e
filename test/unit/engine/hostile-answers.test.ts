import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/base/json.ts";
import { Service } from "../../../src/engine/service.ts";
import { inputParameters } from "../../../src/operations/input.ts";
import { type Operation, operations } from "../../../src/operations/operation.ts";
import { answersOf, brokenTexts, mutationsOf } from "./mutations.ts";
import { clockWithoutWaiting, type Given, serve, targetAt, transportForTest } from "./server.ts";

const SEED = 20_261_121;
const MUTATIONS_PER_OPERATION = 60;

// Each operation by its own seed, so that one more operation changes no other.
function seedOf({ name }: Operation): number {
  return Buffer.from(name).reduce((hash, byte) => (hash * 31 + byte) % 2_147_483_647, SEED);
}

function pathInput(operation: Operation): JsonObject {
  const inPath = inputParameters(operation).filter((parameter) => parameter.in === "path");
  return Object.fromEntries(inPath.map(({ name, schema }) => [name, (schema.examples?.[0] ?? "1") as Json]));
}

const withAnswers = [...operations.values()].filter(({ call }) => call.response !== undefined);
const caller = { actingEntity: "userId:alice", credential: "BUYER_KEY", label: "alice" };

test.for(withAnswers.map((operation) => [operation.name, operation] as const))(
  "whatever %s is answered is used as the contract has it, or refused with the place and what belongs there",
  async ([, operation]) => {
    let next: Given = { body: "" };
    const { url } = await serve(() => next);
    const transport = transportForTest();
    const service = new Service(targetAt(url), { exchange: transport.exchange.bind(transport), clock: clockWithoutWaiting() });
    const seed = seedOf(operation);
    const sure = fc.sample(answersOf(operation.call), { seed, numRuns: 5 });
    const broken = brokenTexts(sure[0]);
    const mutated = fc.sample(mutationsOf(operation.call), { seed, numRuns: MUTATIONS_PER_OPERATION });
    const whole = sure.map((answer) => ({ text: JSON.stringify(answer), says: undefined }));
    for (const { text, says } of [...whole, ...broken, ...mutated]) {
      next = { status: operation.call.successStatus, body: text };
      const reply = await service.call({ operation, input: pathInput(operation), caller });
      const told = `seed ${seed}, answer ${text.slice(0, 2_000)}, reply ${JSON.stringify(reply).slice(0, 500)}`;
      if (says === undefined) {
        expect(reply, told).toMatchObject({ meaning: "acknowledged", answer: { kind: "answer" }, message: "" });
      } else {
        expect(reply, told).toMatchObject({ meaning: "ambiguous", answer: undefined });
        expect(reply.message, told).toMatch(says);
      }
    }
    expect(mutated.filter(({ says }) => says !== undefined).length, `seed ${seed}`).toBeGreaterThan(10);
    expect(mutated.filter(({ says }) => says === undefined).length, `seed ${seed}`).toBeGreaterThan(3);
  },
);
