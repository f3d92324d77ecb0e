// tokenbook as a runner of the cases, in this process.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../src/base/failure.ts";
import { systemRandom } from "../src/base/ports.ts";
import { newRunName } from "../src/engine/run/run-names.ts";
import { startRun } from "../src/engine/run/start-run.ts";
import { checkDocument } from "../src/interchange/check.ts";
import { JournalStore } from "../src/journal/store.ts";
import { openSecrets } from "../src/playbook/settings/open-secrets.ts";
import { resolveInputs } from "../src/playbook/inputs/given-inputs.ts";
import { DriftBook } from "../src/reconcile/drift-book.ts";
import { Transport } from "../src/transport/exchange.ts";
import { clockWithoutWaiting, targetAt } from "../test/engine-parts.ts";
import type { CaseEnd } from "./case.ts";

/** Runs a document. */
export async function runWithTokenbook(
  document: string,
  url: string,
): Promise<{ readonly end: CaseEnd; readonly why?: string | undefined }> {
  const { playbook, diagnostics } = checkDocument("case.arazzo.yaml", document);
  const error = diagnostics.find(({ severity }) => severity === "error");
  if (playbook === undefined) return { end: "refused", why: error?.message };
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  const clock = clockWithoutWaiting();
  const store = JournalStore.open(folder, { clock, redact: (text) => text });
  const transport = new Transport();
  const ports = {
    clock,
    cwd: folder,
    exchange: transport.exchange.bind(transport),
    secrets: openSecrets([playbook], { variables: {}, files: { read: () => undefined } }),
    drifts: () => DriftBook.open(folder),
    observe: () => undefined,
    stopping: new AbortController().signal,
  };
  try {
    const given = { inputs: resolveInputs(playbook, {}), env: {} };
    const name = newRunName(clock.now(), systemRandom);
    const outcome = await startRun({ playbook, target: targetAt(url), store, ports }, given, name);
    return { end: outcome === "passed" ? "passed" : "failed" };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return { end: "refused", why: thrown.message };
  } finally {
    await transport.close();
    store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
