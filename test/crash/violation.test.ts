import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { orderText, readOrder } from "../../src/cli/crash/order.ts";
import { CrashTest, type Tried } from "../../src/cli/crash/trial.ts";
import type { Relaunch, Shell } from "../../src/cli/shell.ts";
import { Database } from "../../src/sqlite/database.ts";
import { JOURNAL } from "../../src/journal/format.ts";
import { MINT_ONCE, temporaryFolder } from "../stories/world.ts";
import { groundIn, quietShell, subjectOf } from "./ground.ts";

/** Tests one boundary of the playbook. `more` can do more harm than the kill alone. */
async function tryAt(
  point: string,
  more: (shell: Shell, again: Relaunch) => Promise<unknown> = async () => undefined,
): Promise<Tried> {
  const folder = temporaryFolder();
  const file = join(folder, "mint.yaml");
  writeFileSync(file, MINT_ONCE);
  const calm = quietShell(process.cwd());
  const shell: Shell = {
    ...calm,
    relaunch: async (again) => {
      const end = await calm.relaunch(again);
      await more(calm, again);
      return end;
    },
  };
  const subject = subjectOf(shell, file);
  const trial = new CrashTest(subject, await groundIn(join(folder, "ground"), shell));
  const undisturbed = await trial.undisturbed("undisturbed");
  return trial.crashAt({ point, step: null }, "1", undisturbed);
}

async function violationAt(...how: Parameters<typeof tryAt>): Promise<readonly string[]> {
  const { verdict, differences } = await tryAt(...how);
  expect(verdict, differences.join("\n")).toBe("different");
  return differences;
}

/** Runs the same playbook once more to its end, under another name and with its own journal. */
async function runOnceMore(shell: Shell, again: Relaunch): Promise<void> {
  const { file, ...order } = readOrder(again.input);
  const state = `${order.state}-more`;
  mkdirSync(state);
  const input = orderText({
    ...order,
    state,
    subject: { ...subjectOf(shell, file), name: { runId: "20261121T093000-onemore0", runKey: "onemore0" } },
  });
  const { TOKENBOOK_FAILPOINT: _, ...variables } = again.variables;
  expect(await shell.relaunch({ ...again, input, variables })).toMatchObject({ code: 0 });
}

test.for(["after:attempt.answered@mint", "after:attempt.intended@mint"])(
  "a crash test finds a write that took effect too often: %s",
  async (point) => {
    const differences = await violationAt(point, runOnceMore);
    expect(differences.join("\n")).toMatch(/took effect .*too often.*: ledger\.token\.create .*ONE/);
  },
);

test("a run that cannot be resumed is a violation", async () => {
  const differences = await violationAt("after:attempt.intended@mint", async (_, again) => {
    const journal = Database.open(join(readOrder(again.input).state, "journal.db"), JOURNAL);
    journal.run("UPDATE record SET body = replace(body, '10.00', '11.00')");
    journal.close();
  });
  expect(differences[0]).toMatch(/^resume refuses: the journal of run \S+ is damaged at record \d+$/);
});

test("a process that ends by itself before its point is a violation", async () => {
  const differences = await violationAt("nowhere");
  expect(differences[0]).toMatch(/^ended by itself before this point, with exit 2: error failpoint.unknown/);
});

test("a point that the run does not reach again is reported", async () => {
  const { missed, verdict } = await tryAt("after:attempt.intended@mint#2");
  expect({ missed, verdict }).toEqual({ missed: true, verdict: "same" });
});
