import { describe, expect, test } from "vitest";
import type { RunRecord } from "../../src/protocol/record.ts";
import { isStopped } from "../stories/proc.ts";
import { embeddedCommits, MINT_ONCE, newProject, operationsOf, type Project, reached, runIn, until } from "../stories/world.ts";
import { Database } from "../../src/sqlite/database.ts";
import { JOURNAL } from "../../src/journal/format.ts";

function projectAt(failpoint: string): { readonly armed: Project; readonly calm: Project } {
  const armed = newProject({ TOKENBOOK_FAILPOINT: failpoint });
  armed.write("mint.yaml", MINT_ONCE);
  return { armed, calm: armed.as({}) };
}

/** Returns the records that are durable, by kind and step. */
function recordsIn({ folder }: Project): readonly string[] {
  const journal = Database.open(`${folder}/.tokenbook/journal.db`, JOURNAL);
  try {
    return journal.all("SELECT kind, body FROM record ORDER BY sequence").map(({ kind, body }) => {
      const { step } = JSON.parse(String(body)) as Partial<Extract<RunRecord, { step: string }>>;
      return step === undefined ? String(kind) : `${kind}@${step}`;
    });
  } finally {
    journal.close();
  }
}

const OPENED = ["run.opened", "run.claimed"];
const TOKEN = ["attempt.intended@token", "attempt.answered@token", "receipt.read@token", "step.completed@token"];
const MINT = ["attempt.intended@mint", "attempt.answered@mint", "receipt.read@mint", "step.completed@mint"];
const AFTER = ["step.completed@after", "run.closed"];

describe("the process dies by SIGKILL at the given point, and nothing after it is durable", () => {
  test.for([
    ["before:run.opened", []],
    ["after:run.claimed", OPENED],
    ["before:attempt.intended", OPENED],
    ["after:attempt.intended", [...OPENED, TOKEN[0]]],
    ["sent", [...OPENED, TOKEN[0]]],
    ["before:attempt.answered", [...OPENED, TOKEN[0]]],
    ["after:attempt.answered", [...OPENED, ...TOKEN.slice(0, 2)]],
    ["before:step.completed", [...OPENED, ...TOKEN.slice(0, 2)]],
    ["after:receipt.read", [...OPENED, ...TOKEN, MINT[0]]],
    ["after:attempt.intended#2", [...OPENED, ...TOKEN, MINT[0]]],
    ["after:attempt.answered@mint", [...OPENED, ...TOKEN, ...MINT.slice(0, 2)]],
    ["before:run.closed", [...OPENED, ...TOKEN, ...MINT.slice(0, 2)]],
    ["after:run.closed", [...OPENED, ...TOKEN, ...MINT, ...AFTER]],
    ["boundary#4", [...OPENED, TOKEN[0]]],
  ] as const)("%s", async ([failpoint, durable]) => {
    const { armed } = projectAt(failpoint);
    const killed = await armed.run("run", "mint.yaml");
    expect(killed.transcript).toContain("→ SIGKILL");
    expect(recordsIn(armed), killed.transcript).toEqual(durable);
  });
});

test("a request that was given to the network can have reached the service", async () => {
  const { armed, calm } = projectAt("before:attempt.answered@mint");
  const killed = await armed.run("run", "mint.yaml");
  expect(operationsOf(await embeddedCommits(armed)), killed.transcript).toEqual(["ledger.token.create", "ledger.token.mint"]);
  const resumed = await calm.run("resume", runIn(killed));
  expect([0, 5], resumed.transcript).toContain(resumed.code);
  expect(operationsOf(await embeddedCommits(calm)), resumed.transcript).toEqual(["ledger.token.create", "ledger.token.mint"]);
});

test("a process that stops at a point continues after SIGCONT", async () => {
  const { armed } = projectAt("stop after:attempt.intended@mint");
  const running = armed.start("run", "mint.yaml");
  await reached(
    running,
    until(() => (isStopped(running.pid) ? true : undefined)),
  );
  expect(recordsIn(armed)).toEqual([...OPENED, ...TOKEN, MINT[0]]);
  await running.signal("SIGCONT");
  const ended = await running.ended;
  expect(ended.code, ended.transcript).toBe(0);
});

test("`tokenbook resume` can die at a point too, and a run that dies twice can resume", async () => {
  const { armed, calm } = projectAt("after:attempt.answered@token");
  const killed = await armed.run("run", "mint.yaml");
  const again = await armed.as({ TOKENBOOK_FAILPOINT: "before:attempt.intended@mint" }).run("resume");
  expect(again.transcript).toContain("→ SIGKILL");
  const resumed = await calm.run("resume");
  expect(resumed.code, `${killed.transcript}${resumed.transcript}`).toBe(0);
  expect(operationsOf(await embeddedCommits(calm))).toEqual(["ledger.token.create", "ledger.token.mint"]);
});

test.for([
  ["after:attempt.intend", "after:attempt.intended"],
  ["boundary#0", "boundary"],
  ["sometime", undefined],
] as const)("%s is refused because it names no point, and no run begins", async ([failpoint, meant]) => {
  const { armed } = projectAt(failpoint);
  const run = await armed.run("run", "mint.yaml");
  expect(run.code, run.transcript).toBe(2);
  expect(run.stderr).toContain(`TOKENBOOK_FAILPOINT is "${failpoint}", which names no point of a run`);
  expect(run.stderr).toContain(meant === undefined ? "next: unset TOKENBOOK_FAILPOINT" : `next: TOKENBOOK_FAILPOINT='${meant}'`);
});

test("a playbook cannot set a failpoint", async () => {
  const { calm } = projectAt("");
  calm.write("env.yaml", MINT_ONCE.replace("playbook: 1\n", 'playbook: 1\nenv: { TOKENBOOK_FAILPOINT: "boundary" }\n'));
  const run = await calm.run("run", "env.yaml");
  expect(run.code, run.transcript).toBe(0);
});
