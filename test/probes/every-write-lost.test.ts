// Loses every write of the scenarios twice: once only its answer, and once the write itself. Checks what the run says and what the ledger has.
import { describe, expect, test } from "vitest";
import { operations } from "../../src/operations/operation.ts";
import type { Outgoing } from "../../src/transport/exchange.ts";
import { sandboxForTest } from "../sandbox/caller.ts";
import { delivered } from "../stories/world.ts";
import { runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";
import { LOST, type Loss, type Run, type Write, writesOf } from "./scenario-writes.ts";

interface Lost {
  /** The end of the write, and the reason if it did not take effect. */
  readonly ended: string;
  readonly why: string;
  readonly attempts: number;
}

/** Runs a scenario up to the end of one of its writes, and loses the first attempt of that write. */
async function lose(run: Run, { file, step }: Write, loss: Loss): Promise<Lost> {
  const done = new AbortController();
  let [isNext, attempts, ended, why] = [false, 0, "not reached", ""];
  await run(file, {
    stopping: done.signal,
    observe: (event) => {
      if (!("step" in event) || event.step !== step) return;
      if (event.kind === "attempt.intended") [isNext, attempts] = [event.attempt === 0, attempts + 1];
      if (event.kind !== "step.completed" && event.kind !== "step.stopped") return;
      ended = event.outcome;
      if (event.kind === "step.stopped") why = event.problem.why ?? "";
      done.abort();
    },
    exchange: async (outgoing: Outgoing, send) => {
      if (!isNext || !outgoing.fresh) return send(outgoing);
      isNext = false;
      if (loss === "its answer is lost") await send(outgoing);
      return LOST;
    },
  });
  return { ended, why, attempts };
}

interface Expected {
  readonly ended: string;
  readonly attempts: number;
  readonly why?: string;
}

const SEEN: Expected = { ended: "changed", attempts: 1 };
const NO_TRACE: Expected = { ended: "unknown", attempts: 1, why: "no trace of it is visible" };
// The ledger does not show who set the value, and a later step sets another value.
const MAY_UNDO: Expected = { ended: "unknown", attempts: 1, why: "it may still arrive after a later step" };
const NOT_SHOWN: Expected = { ended: "unknown", attempts: 1, why: "no reading shows it" };
// The effect is visible, but the scenario expects something of the answer, which was lost.
const SEEN_BUT_NOT_AS_EXPECTED: Expected = { ended: "failed", attempts: 1 };
// A second attempt only sets the same value again, and no later step sets another one; or the cap leaves no room for a second mint.
const SENT_AGAIN: Expected = { ended: "changed", attempts: 2 };

/** The expected end for each kind of write: if its answer is lost, and if the write never arrives. */
const EXPECTED: Readonly<Record<string, readonly [answerLost: Expected, neverArrived: Expected]>> = {
  "investor.identity.updateKyc": [NOT_SHOWN, NOT_SHOWN],
  "investor.sales.buy": [SEEN_BUT_NOT_AS_EXPECTED, NO_TRACE],
  "ledger.approval.accept": [SEEN, NO_TRACE],
  "ledger.approval.cancel": [SEEN, NO_TRACE],
  "ledger.approval.create": [SEEN, NO_TRACE],
  "ledger.approval.reject": [SEEN, NO_TRACE],
  "ledger.asset.create": [SEEN, NO_TRACE],
  "ledger.asset.delete": [SEEN, NO_TRACE],
  "ledger.asset.put": [SEEN, NO_TRACE],
  "ledger.asset.setOwners": [SEEN, NO_TRACE],
  "ledger.asset.update": [SEEN, NO_TRACE],
  "ledger.erc1155.safeBatchTransferFrom of units": [SEEN, NO_TRACE],
  "ledger.erc1155.safeTransferFrom": [SEEN, NO_TRACE],
  "ledger.erc1155.safeTransferFrom of units": [SEEN, NO_TRACE],
  "ledger.erc1155.setApprovalForAll": [MAY_UNDO, NO_TRACE],
  "ledger.token.burn": [SEEN, NO_TRACE],
  "ledger.token.burn of units": [SEEN, NO_TRACE],
  "ledger.token.create": [SEEN, NO_TRACE],
  "ledger.token.mint": [SEEN, SENT_AGAIN],
  "ledger.token.mint of units": [SEEN, NO_TRACE],
  "ledger.token.setApproval": [SEEN, NO_TRACE],
  "ledger.token.setOwners": [SEEN, SENT_AGAIN],
  "ledger.token.setPermissions": [SEEN, NO_TRACE],
  "ledger.token.update": [SEEN, NO_TRACE],
  "ledger.transfer.approve": [SEEN, NO_TRACE],
  "ledger.transfer.reject": [SEEN, NO_TRACE],
  "ledger.transfer.request": [SEEN, NO_TRACE],
  "ledger.vault.addExistingToken": [SEEN, SENT_AGAIN],
  "ledger.vault.addToken": [SEEN, NO_TRACE],
  "ledger.vault.create": [SEEN, NO_TRACE],
  "ledger.vault.deposit": [SEEN, NO_TRACE],
  "ledger.vault.setCustodians": [SEEN, SENT_AGAIN],
  "ledger.vault.update": [SEEN, SENT_AGAIN],
  "ledger.vault.updateAssets": [MAY_UNDO, NO_TRACE],
  "ledger.vault.withdraw": [SEEN, NO_TRACE],
};

/**
 * Runs scenarios against a ledger of this test. Each run has its own journal: the run could otherwise take an effect for a write that an
 * earlier run left unknown.
 */
async function scenarios(readLagMs?: number): Promise<Run> {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  const target = { ...targetOf(sandbox), readLagMs };
  return (file, otherwise) => runnerForTest()(delivered(`scenarios/${file}`), target, otherwise);
}

let found: Promise<readonly Write[]> | undefined;

/** Returns the writes of the scenarios. The first test that asks finds them. */
async function allWrites(run: Run): Promise<readonly Write[]> {
  found ??= writesOf(run);
  return found;
}

async function writeOf(kind: string, run: Run): Promise<Write> {
  const write = (await allWrites(run)).find((each) => each.kind === kind);
  if (write === undefined) throw new Error(`no scenario makes the write ${kind}`);
  return write;
}

test("the scenarios make every kind of write, and the table lists each kind", async () => {
  const writes = await allWrites(await scenarios(0));
  const names = [...operations.values()].filter((operation) => operation.writes).map(({ name }) => name);
  expect(new Set(writes.map(({ kind }) => kind.split(" ")[0]))).toEqual(new Set(names));
  expect(writes.map(({ kind }) => kind)).toEqual(Object.keys(EXPECTED));
});

describe.for(Object.entries(EXPECTED))("%s", ([kind, [answerLost, neverArrived]]) => {
  test("its answer is lost", async () => {
    const run = await scenarios(0);
    expect(await lose(run, await writeOf(kind, run), "its answer is lost")).toMatchObject(asExpected(answerLost));
  });

  test("it never arrives", async () => {
    const run = await scenarios(0);
    expect(await lose(run, await writeOf(kind, run), "it never arrives")).toMatchObject(asExpected(neverArrived));
  });
});

function asExpected({ why, ...expected }: Expected): object {
  return why === undefined ? expected : { ...expected, why: expect.stringContaining(why) as unknown };
}

test.for(["ledger.erc1155.setApprovalForAll", "ledger.vault.updateAssets"])(
  "%s is proven only by two readings, so it is unknown without a declared `readLag`",
  async (kind) => {
    const run = await scenarios();
    const lost = await lose(run, await writeOf(kind, run), "its answer is lost");
    expect(lost).toMatchObject({ ended: "unknown", attempts: 1, why: expect.stringContaining("readLag") as unknown });
  },
);

const ACTORS = `playbook: 1
actors:
  issuer: { ledger: "userId:alice" }
  newcomer: { investor: NEWCOMER_KEY }
defaults: { as: issuer }
steps:
`;
const TOKEN = `  - id: token
    uses: ledger.token.create
    with: { name: Token, classification: CLASSES, behaviour: { decimal: 0, maxMintQuantity: 15 } }
`;
const FUNGIBLE = TOKEN.replace("CLASSES", "{ type: fungible, unit: whole, valueType: intrinsic, supply: capped-variable }");

const HARMLESS = [
  {
    because: "no trace of it is visible",
    why: "the service refuses a second one",
    write: `  - { id: lost, uses: ledger.asset.create, with: { assetType: Bond, data: { id: "B\${{ run.key }}" } } }`,
  },
  {
    because: "no trace of it is visible",
    why: "the cap leaves no room for a second one",
    write: `${FUNGIBLE}  - { id: lost, uses: ledger.token.mint, with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: 10 } }`,
  },
  {
    because: "no trace of it is visible",
    why: "a second one sets the same, and no later step sets anything else",
    write: `${FUNGIBLE}  - { id: lost, uses: ledger.token.update, with: { id: "\${{ steps.token.id }}", description: New } }`,
  },
  {
    because: "nothing that was read proves it",
    why: "a second one sets the same, and no later step sets anything else",
    write: `  - { id: lost, as: newcomer, uses: investor.identity.updateKyc, with: { countryCode: 620 } }`,
  },
] as const;

test.for(HARMLESS)("a write that never arrives is sent again, because $why", async ({ write, why, because }) => {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  const settled: unknown[] = [];
  for (const loss of ["it never arrives", "its answer is lost"] as const) {
    const playbook = `${ACTORS}${write}\n`;
    const run: Run = (text, otherwise) =>
      runnerForTest()(text, targetOf(sandbox), {
        ...otherwise,
        observe: (event) => {
          if (event.kind === "attempt.settled") settled.push([event.verdict, event.evidence]);
          otherwise?.observe?.(event);
        },
      });
    const lost = await lose(run, { file: playbook, step: "lost", kind: "" }, loss);
    expect(lost, JSON.stringify(lost)).toMatchObject({ ended: "changed" });
  }
  expect(settled[0]).toEqual(["superseded", { because: `${because}, and ${why}` }]);
});
