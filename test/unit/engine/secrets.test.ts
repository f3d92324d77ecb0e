import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inputSent } from "../../../src/engine/write/intended-input.ts";
import { sendAgain } from "../../../src/engine/write/send.ts";
import { bindWrite } from "../../../src/engine/service/bind-call.ts";
import { RunContext } from "../../../src/engine/run/run-context.ts";
import type { Place } from "../../../src/engine/run/plan-steps.ts";
import { DriftBook } from "../../../src/reconcile/drift-book.ts";
import { JournalStore } from "../../../src/journal/store.ts";
import type { WriteStep } from "../../../src/playbook/model.ts";
import { openSecrets, type Secrets } from "../../../src/playbook/settings/open-secrets.ts";
import { stepIn } from "../../../src/protocol/state.ts";
import { correct } from "../playbook/helper.ts";
import { opened } from "../protocol/facts.ts";
import { clockWithoutWaiting, targetAt } from "../../engine-parts.ts";
import { transportForTest } from "./server.ts";

const playbook = correct(`playbook: 1
secrets: { PIN: env:PIN }
steps:
  - id: kept
    uses: ledger.asset.create
    as: { ledger: key }
    with: { assetType: Property, data: { id: P1, pin: "it is \${{ secrets.PIN }}" } }
`);
const [step] = playbook.steps as readonly WriteStep[];

function secretsWith(pin: string): Secrets {
  return openSecrets([playbook], { variables: { PIN: pin }, files: { read: () => undefined } });
}

interface Holding {
  readonly folder: string;
  readonly place: Place;
}

interface Running {
  readonly context: RunContext;
  readonly letGo: () => Promise<void>;
}

async function inRun({ folder }: Holding, pin: string, how: "begin" | "claim"): Promise<Running> {
  const secrets = secretsWith(pin);
  const clock = clockWithoutWaiting();
  const store = JournalStore.open(folder, { clock, redact: secrets.redact });
  onTestFinished(() => store.close());
  const held = how === "begin" ? await store.begin(opened) : await store.claim("run1");
  const transport = transportForTest();
  const context = new RunContext(playbook, targetAt("http://127.0.0.1:9"), held, {
    clock,
    cwd: folder,
    secrets,
    exchange: transport.exchange.bind(transport),
    drifts: () => DriftBook.open(folder),
    observe: () => {},
    stopping: new AbortController().signal,
  });
  return { context, letGo: () => store.release(held.journal, "failed", 0) };
}

function newHolding(): Holding {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-secrets-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, place: { step: step ?? expect.fail(), address: "kept", frame: "", rounds: [], within: [] } };
}

/** Records the intent of the step's write, as the engine does before it sends, and returns the input that would be sent. */
async function intend(context: RunContext, place: Place): Promise<unknown> {
  const bound = bindWrite(context, place, step ?? expect.fail());
  if ("problem" in bound || step === undefined) return expect.fail();
  const request = context.service.request({ operation: step.operation, ...bound });
  const { method, path } = request;
  const digest = context.digestOf(request);
  const about = { step: "kept", attempt: 0, operation: step.operation.name, actor: null, input: bound.input };
  await context.write({ kind: "attempt.intended", ...about, request: { method, path, digest } });
  return bound.input;
}

function sentAgain(context: RunContext, place: Place): ReturnType<typeof inputSent> {
  const [state] = stepIn(context.state, "kept").attempts;
  const caller = { identities: {}, label: null };
  return inputSent(context, { place, step: step ?? expect.fail(), state: state ?? expect.fail(), caller });
}

test("the journal has a mask in place of a secret, and a repeated write has the secret", async () => {
  const held = newHolding();
  const { context } = await inRun(held, "canary-7781", "begin");
  const input = await intend(context, held.place);
  const kept = stepIn(context.state, "kept").attempts[0]?.intended.input;
  expect(kept).toMatchObject({ data: { pin: "it is ${{ secrets.PIN }}" } });
  expect(input).toMatchObject({ data: { pin: "it is canary-7781" } });
  expect(sentAgain(context, held.place)).toEqual({ input });
});

test("a write is not sent again if its secret has another value by then", async () => {
  const held = newHolding();
  const before = await inRun(held, "canary-7781", "begin");
  await intend(before.context, held.place);
  await before.letGo();
  const { context } = await inRun(held, "canary-9999", "claim");
  expect(sentAgain(context, held.place)).toMatchObject({ problem: { code: "write.not-the-same" } });
  expect(JSON.stringify(sentAgain(context, held.place))).not.toContain("canary");
});

test("a write that cannot be sent again, because its secret has changed, stays unknown while an earlier attempt may still arrive", async () => {
  const held = newHolding();
  const before = await inRun(held, "canary-7781", "begin");
  await intend(before.context, held.place);
  await before.context.write({ kind: "attempt.settled", step: "kept", attempt: 0, verdict: "superseded", evidence: {} });
  await before.letGo();
  const { context } = await inRun(held, "canary-9999", "claim");
  const [state] = stepIn(context.state, "kept").attempts;
  const caller = { identities: {}, label: null };
  await sendAgain(context, { place: held.place, step: step ?? expect.fail(), state: state ?? expect.fail(), caller });
  expect(stepIn(context.state, "kept").stopped).toMatchObject({ outcome: "unknown", problem: { code: "write.not-the-same" } });
});

test("the digest of a request with a secret differs from run to run", async () => {
  const first = newHolding();
  const { context } = await inRun(first, "canary-7781", "begin");
  await intend(context, first.place);
  const { operation } = step ?? expect.fail();
  const request = context.service.request({
    operation,
    input: { assetType: "Property", data: { id: "P1", pin: "it is canary-7781" } },
    caller: { identities: {}, label: null },
  });
  const here = context.digestOf(request);
  expect(here).toBe(context.digestOf(request));
  expect(here).toMatch(/^[0-9a-f]{64}$/);
  Object.assign(context.state, { opened: { ...opened, runId: "run2" } });
  expect(context.digestOf(request)).not.toBe(here);
  const plain = { ...request, body: { id: "P1" } };
  const again = context.digestOf(plain);
  Object.assign(context.state, { opened });
  expect(context.digestOf(plain)).toBe(again);
});
