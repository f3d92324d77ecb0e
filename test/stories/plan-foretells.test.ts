import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PlanDocument, PlannedVerdict } from "../../src/report/plan/shape.ts";
import type { RowOutcome } from "../../src/report/shape.ts";
import { embeddedCommits, newProject, operationsOf, ROOT } from "./world.ts";

/** The outcomes of a step that each verdict of the plan allows. */
const MAY_BECOME: Readonly<Record<PlannedVerdict, readonly RowOutcome[]>> = {
  "will-create": ["changed"],
  "will-change": ["changed"],
  "will-be-refused": ["ok"],
  "already-so": ["unchanged"],
  reads: ["ok"],
  holds: ["ok"],
  opens: ["ok", "changed", "unchanged", "rescued"],
  skipped: ["skipped"],
  "would-wait": ["ok"],
  "would-warn": ["ok"],
  "would-fail": ["failed"],
  "cannot-know": ["ok", "changed", "unchanged", "skipped", "rescued"],
};

const files = ["onboarding/property-sale.yaml", ...globSync("scenarios/*.yaml", { cwd: join(ROOT, "playbooks") }).toSorted()];

test.each(files)("a run of %s does what its plan predicts", async (file) => {
  const project = newProject();
  const playbook = join(ROOT, "playbooks", file);
  const ended = await project.run("plan", playbook, "--json", "--out", "playbook.plan");
  expect(ended.code, ended.transcript).toBe(0);
  const [plan] = (JSON.parse(ended.stdout) as PlanDocument).plans;
  const { ledgerTransactions = -1, cannotKnow = -1 }: Readonly<Record<string, number>> = { ...plan?.totals };
  expect(await embeddedCommits(project)).toEqual([]);

  const ran = await project.json("run", playbook, "--plan", "playbook.plan");
  expect(ran.code, ran.transcript).toBe(0);
  const ledger = operationsOf(await embeddedCommits(project)).filter((operation) => operation.startsWith("ledger."));
  expect(ledger.length, ended.transcript).toBeGreaterThanOrEqual(ledgerTransactions);
  if (cannotKnow === 0) expect(ledger, ended.transcript).toHaveLength(ledgerTransactions);
  const rows = new Map(ran.data.reports[0]?.steps.map((row) => [row.step, row.outcome]));
  for (const { step, verdict, kind } of plan?.steps ?? []) {
    if (kind !== "foreach") expect(MAY_BECOME[verdict], `${step}: ${verdict}`).toContain(rows.get(step));
  }
});
