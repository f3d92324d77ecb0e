// Every write of the scenarios, once with its answer lost, and once lost itself: what the run then says, and what the ledger has.
import { expect, test } from "vitest";
import { operations } from "../../src/operations/operation.ts";
import type { Outgoing } from "../../src/transport/exchange.ts";
import { sandboxForTest } from "../sandbox/caller.ts";
import { delivered } from "../stories/world.ts";
import { runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";
import { LOST, type Loss, type Run, type Write, writesOf } from "./scenario-writes.ts";

interface Lost {
  /** How the write ended, and why if it did not take effect. */
  readonly ended: string;
  readonly why: string;
  readonly sendings: number;
}

/** Runs a scenario up to the end of one of its writes, whose first sending is lost. */
async function lose(run: Run, { file, step }: Write, loss: Loss): Promise<Lost> {
  const done = new AbortController();
  let [isNext, sendings, ended, why] = [false, 0, "not reached", ""];
  await run(file, {
    stopping: done.signal,
    observe: (event) => {
      if (!("step" in event) || event.step !== step) return;
      if (event.kind === "attempt.intended") [isNext, sendings] = [event.attempt === 0, sendings + 1];
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
  return { ended, why, sendings };
}

// Of a write whose answer was lost, the ledger shows the effect; but not everything can be seen.
const NOT_SEEN: Readonly<Record<string, string>> = {
  "investor.identity.updateKyc": "unknown",
  // It is seen, and the scenario expects something of the answer that was lost.
  "investor.sales.buy": "failed",
};

const NOT_SHOWN: Readonly<Record<string, string>> = { "investor.identity.updateKyc": "no reading shows it" };

// Of what never arrived nothing can be seen. What is sent again sets the same once more, and nothing after it sets it otherwise; or the
// cap leaves no room for a second one.
const SENT_AGAIN = new Set([
  "ledger.token.mint",
  "ledger.token.setOwners",
  "ledger.vault.addExistingToken",
  "ledger.vault.setCustodians",
]);

test(
  "every write loses its answer, or is lost itself: it is seen, or unknown, and never done twice",
  { timeout: 120_000 },
  async () => {
    const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
    // Each with a journal of its own: what one left unknown could be taken for what the next one does.
    const target = { ...targetOf(sandbox), readLagMs: 0 };
    const run: Run = (file, otherwise) => runnerForTest()(delivered(`scenarios/${file}`), target, otherwise);
    const writes = await writesOf(run);
    const names = [...operations.values()].filter((operation) => operation.writes).map(({ name }) => name);
    expect(new Set(writes.map(({ kind }) => kind.split(" ")[0]))).toEqual(new Set(names));

    const rows: string[] = [];
    for (const write of writes) {
      const { kind, file, step } = write;
      const answer = await lose(run, write, "its answer is lost");
      const all = await lose(run, write, "it never arrives");
      rows.push([kind.padEnd(46), answer.ended.padEnd(18), `${all.ended}${all.sendings > 1 ? ", sent again" : ""}`].join("  "));
      const told = `${file} ${step}: ${JSON.stringify({ answer, all })}`;
      expect(answer, told).toMatchObject({ ended: NOT_SEEN[kind] ?? "changed", sendings: 1 });
      expect(all, told).toMatchObject(
        SENT_AGAIN.has(kind) ? { ended: "changed", sendings: 2 } : { ended: "unknown", sendings: 1 },
      );
      if (all.ended === "unknown") expect(all.why, told).toContain(NOT_SHOWN[kind] ?? "no trace of it can be seen");
    }
    console.log([`${"write".padEnd(46)}  its answer is lost  it never arrives`, ...rows].join("\n"));
  },
);

test(
  "what shows only by comparing readings is not believed where nobody declares how old they may be",
  { timeout: 120_000 },
  async () => {
    const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
    const run: Run = (file, otherwise) => runnerForTest()(delivered(`scenarios/${file}`), targetOf(sandbox), otherwise);
    const kinds = new Set(["ledger.erc1155.setApprovalForAll", "ledger.vault.updateAssets"]);
    const writes = (await writesOf(run)).filter(({ kind }) => kinds.has(kind));
    expect(writes).toHaveLength(kinds.size);
    for (const write of writes) {
      const { ended, why, sendings } = await lose(run, write, "its answer is lost");
      expect({ ended, sendings }).toEqual({ ended: "unknown", sendings: 1 });
      expect(why).toContain("readLag");
    }
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
    because: "it cannot be seen",
    why: "the service refuses a second one",
    write: `  - { id: lost, uses: ledger.asset.create, with: { assetType: Bond, data: { id: "B\${{ run.key }}" } } }`,
  },
  {
    because: "it cannot be seen",
    why: "the cap leaves no room for a second one",
    write: `${FUNGIBLE}  - { id: lost, uses: ledger.token.mint, with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: 10 } }`,
  },
  {
    because: "it cannot be seen",
    why: "a second one sets the same, and no later step sets anything else",
    write: `${FUNGIBLE}  - { id: lost, uses: ledger.token.update, with: { id: "\${{ steps.token.id }}", description: New } }`,
  },
  {
    because: "nothing that was read proves it",
    why: "a second one sets the same, and no later step sets anything else",
    write: `  - { id: lost, as: newcomer, uses: investor.identity.updateKyc, with: { countryCode: 620 } }`,
  },
] as const;

test.for(HARMLESS)("a write that never arrives is sent again, since $why", async ({ write, why, because }) => {
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
