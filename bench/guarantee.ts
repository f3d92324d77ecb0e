// node bench/guarantee.ts [--rounds N] [--verify]: measures what the guarantee costs. The same engine runs the same steps twice in turn: once with
// its journal on disk and a read before each write, and once with its journal in memory and without these reads. With --verify, exits with 1 if the
// difference is larger than promised.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { invariant } from "../src/base/failure.ts";
import { systemClock, systemRandom } from "../src/base/ports.ts";
import { Secret } from "../src/base/secret.ts";
import { newRunName } from "../src/engine/run/run-names.ts";
import { startRun } from "../src/engine/run/start-run.ts";
import { DriftBook } from "../src/reconcile/drift-book.ts";
import { JournalStore } from "../src/journal/store.ts";
import { checkPlaybook } from "../src/playbook/check.ts";
import type { Playbook } from "../src/playbook/model.ts";
import { NO_SECRETS } from "../src/playbook/settings/open-secrets.ts";
import { Database } from "../src/sqlite/database.ts";
import { JOURNAL } from "../src/journal/format.ts";
import { Transport } from "../src/transport/exchange.ts";
import { targetAt } from "../test/engine-parts.ts";
import { median } from "./measure.ts";
import { APP, ORGANIZATION, USER } from "./scenario.ts";
import { BenchService } from "./service.ts";

const STEPS = 300;
const WRITE_MS = 1;
/** A smaller difference cannot be measured. */
const READ_MS = 0.1;

const MINT = `uses: ledger.token.mint, with: { id: RGHT1, to: "\${{ actors.issuer }}", value: 1 }`;
const READ = `uses: ledger.token.get, with: { id: RGHT1 }`;

const { values: options } = parseArgs({ options: { rounds: { type: "string" }, verify: { type: "boolean", default: false } } });
const folder = mkdtempSync(join(tmpdir(), "tokenbook-guarantee-"));
const service = await BenchService.start();
const target = {
  ...targetAt(service.origin),
  ledger: {
    baseUrl: service.origin,
    settings: { appId: APP, orgId: ORGANIZATION },
    apiKey: new Secret("LEDGER_KEY", "bench-key"),
  },
};
try {
  const writes = await extraMs(playbookOf(MINT));
  const reads = await extraMs(playbookOf(READ));
  report("a write", writes, WRITE_MS);
  report("a read", reads, READ_MS);
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}

function report(what: string, ms: number, most: number): void {
  const verdict = ms <= most ? "ok" : "over";
  process.stdout.write(`the guarantee costs ${what.padEnd(8)} ${ms.toFixed(2).padStart(6)} ms   ≤ ${most} ms   ${verdict}\n`);
  if (options.verify && ms > most) process.exitCode = 1;
}

/** Returns how much longer a step takes with the guarantee than without, in milliseconds: the median of paired rounds. */
async function extraMs(playbook: Playbook): Promise<number> {
  const bare = withoutBaseline(playbook);
  const extras: number[] = [];
  await perStep(playbook, "disk");
  for (let round = 0; round < Number(options.rounds ?? 7); round++) {
    const without = await perStep(bare, "memory");
    extras.push((await perStep(playbook, "disk")) - without);
  }
  return median(extras) ?? Number.NaN;
}

async function perStep(playbook: Playbook, journal: "disk" | "memory"): Promise<number> {
  const ports = { clock: systemClock, redact: (text: string) => text };
  const state = mkdtempSync(join(folder, "state-"));
  const store =
    journal === "disk" ? JournalStore.open(state, ports) : JournalStore.over(Database.open(":memory:", JOURNAL), ports);
  const transport = new Transport();
  const engine = {
    clock: systemClock,
    cwd: state,
    exchange: transport.exchange.bind(transport),
    secrets: NO_SECRETS,
    drifts: () => DriftBook.open(state),
    observe: () => undefined,
    stopping: new AbortController().signal,
  };
  const began = performance.now();
  const name = newRunName(systemClock.now(), systemRandom);
  const outcome = await startRun({ playbook, target, store, ports: engine }, { inputs: {}, env: {} }, name);
  const tookMs = performance.now() - began;
  invariant(outcome === "passed", "the bench's service takes everything");
  store.close();
  await transport.close();
  return tookMs / STEPS;
}

function playbookOf(step: string): Playbook {
  const steps = Array.from({ length: STEPS }, (_, at) => `  - { id: step${at}, ${step} }\n`).join("");
  const text = `playbook: 1\nactors: { issuer: { ledger: "userId:${USER}" } }\ndefaults: { as: issuer }\nsteps:\n${steps}`;
  const { playbook, diagnostics } = checkPlaybook("guarantee.yaml", text);
  invariant(playbook !== undefined, `the bench's playbook is right: ${diagnostics[0]?.message}`);
  return playbook;
}

// Every step of this playbook is a call, so no other kind of step has a baseline to remove.
function withoutBaseline(playbook: Playbook): Playbook {
  return {
    ...playbook,
    steps: playbook.steps.map((step) => {
      if (step.kind !== "call" || !step.operation.writes) return step;
      const { operation } = step;
      const { before: _before, ...probe } = operation.meaning.probe;
      return { ...step, operation: { ...operation, meaning: { ...operation.meaning, probe } } };
    }),
  };
}
