import { expect, test } from "vitest";
import { asking, desk, inJournal, writing } from "./desk.ts";
import { approvalPlaybook } from "../playbooks.ts";
import { gate } from "./proxy.ts";
import { approveAsBob, type Ended, operationsOf, type Project, runIn } from "./world.ts";

const recordAs = (who: string): string => `playbook: 1
name: Record one
steps:
  - id: asset
    uses: ledger.asset.create
    as: { ledger: "userId:${who}" }
    with: { assetType: Property, data: { id: "P\${{ run.key }}" } }
`;
const READ = `playbook: 1
name: Look
mode: read-only
steps:
  - { uses: ledger.asset.list, as: { ledger: "userId:alice" }, with: { assetType: Property } }
`;

test("a second process that acts as the same entity waits for the first; another entity and a reader do not", async () => {
  const at = await desk({ "alice.yaml": recordAs("alice"), "bob.yaml": recordAs("bob"), "look.yaml": READ });
  const { running, goOn } = await writing(at, "alice.yaml");
  const second = at.project.start("run", "alice.yaml");
  const [line] = await second.lines(1);
  expect(line).toMatch(
    new RegExp(
      `^… waiting until \\S+Z for userId:alice at ${at.proxy.url} \\(app1\\), which the run \\S+ holds \\(process ${running.pid} on this host, since \\S+Z\\)$`,
    ),
  );
  for (const other of ["bob.yaml", "look.yaml"]) {
    const ended = await at.project.run("run", other);
    expect(ended.code, ended.transcript).toBe(0);
  }
  goOn();
  for (const { ended } of [running, second]) expect((await ended).code, (await ended).transcript).toBe(0);
  expect((await at.project.run("runs", "leases")).stdout).toBe("nothing is held\n");
});

test("runs of one process may act as the same entity at the same time", async () => {
  const at = await desk({ "all/a.yaml": recordAs("alice"), "all/b.yaml": recordAs("alice") });
  const second = gate();
  void at.proxy.next("POST /asset", async (passing) => {
    await second.passed;
    passing.answer(await passing.forward());
  });
  void at.proxy.next("POST /asset", async (passing) => {
    second.open();
    passing.answer(await passing.forward());
  });
  const ended = await at.project.run("run", "all", "--jobs", "2");
  expect(ended.code, ended.transcript).toBe(0);
});

test("if the environment is not marked exclusive, no process waits for another", async () => {
  const at = await desk({ "alice.yaml": recordAs("alice") });
  at.project.write("tokenbook.yaml", at.project.read("tokenbook.yaml").replace("exclusive: true", "exclusive: false"));
  const { running, goOn } = await writing(at, "alice.yaml");
  const second = await at.project.run("run", "alice.yaml");
  expect(second.code, second.transcript).toBe(0);
  goOn();
  expect((await running.ended).code).toBe(0);
});

const HAND_OVER = approvalPlaybook("    timeout: 1h").replace(
  /outputs:[^]*/,
  `  - id: after
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "Q\${{ run.key }}" } }
`,
);
const BEFORE = ["ledger.asset.create", "ledger.transfer.request"];

test("a run of another host is released by a person, and resumed elsewhere; its holder wakes up and sends nothing", async () => {
  const at = await desk({ "hand-over.yaml": HAND_OVER, "alice.yaml": recordAs("alice") });
  const { project, service } = at;
  const { running: holder, goOn } = await asking(at, "hand-over.yaml");
  const run = runIn({ stdout: (await holder.lines(1)).join("\n"), transcript: "" });
  expectRefused(
    await project.run("runs", "release", run, "--because", "it hangs"),
    6,
    /which is alive\n.*\n +next: stop it: kill \d+/,
  );
  await holder.signal("SIGSTOP");
  moveAway(project);

  const by = `process ${holder.pid} on elsewhere`;
  const freed = `tokenbook runs release ${run} --because TEXT`;
  expectRefused(await project.run("resume"), 6, new RegExp(`the run ${run} is held by ${by}\n[^]*${freed}`));
  const other = await project.run("run", "alice.yaml");
  expectRefused(
    other,
    6,
    new RegExp(`another process acts as userId:alice at .* which the run ${run} holds \\(${by}, [^]*${freed}`),
  );
  const listed = await project.run("runs");
  expect(listed.stdout, listed.transcript).toMatch(new RegExp(`^${run}  .*  running  .*  held by ${by} since \\S+Z$`, "m"));
  const leases = await project.run("runs", "leases");
  expect(leases.stdout, leases.transcript).toMatch(
    new RegExp(`^${run}  itself  ${by}, since \\S+\n${run}  userId:alice at .*  ${by}, `),
  );
  expectRefused(await project.run("runs", "release", run), 2, /say how you know that its process is gone for good/);
  expect(operationsOf(await service.commits())).toEqual(BEFORE);

  const released = await project.run("runs", "release", run, "--because", "the machine was switched off");
  expect(released.code, released.transcript).toBe(0);
  expect(released.stdout, released.transcript).toContain(`${run} is no longer held by ${by}, says `);
  expectRefused(
    await project.run("runs", "release", run, "--because", "again"),
    2,
    new RegExp(`no process holds the run ${run}`),
  );
  const { history } = (await project.json("runs", "show", run)).data.reports[0]?.run ?? expect.fail();
  expect(history.map(({ what, text }) => [what, text])).toEqual([
    ["claimed", null],
    ["released", expect.stringContaining("is gone: the machine was switched off")],
  ]);
  await approveAsBob(service);
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  const after = [...BEFORE, "ledger.transfer.approve", "ledger.asset.create"];
  expect(operationsOf(await service.commits())).toEqual(after);

  goOn();
  await holder.signal("SIGCONT");
  const woken = await holder.ended;
  expectRefused(woken, 6, new RegExp(`no longer holds the run ${run}: it was taken over, or released by somebody`));
  expect(operationsOf(await service.commits())).toEqual(after);
});

test("a process that is killed during a write leaves its entity marked, and no other process waits for it", async () => {
  const at = await desk({ "alice.yaml": recordAs("alice") });
  const { running, goOn } = await writing(at, "alice.yaml");
  const run = runIn({ stdout: (await running.lines(1)).join("\n"), transcript: "" });
  await running.signal("SIGKILL");
  await running.ended;
  goOn();
  const refused = await at.project.run("run", "alice.yaml");
  expectRefused(refused, 6, new RegExp(`the run ${run}, an earlier run of this playbook, left a write open`));
  const next = await at.project.run("run", "alice.yaml", "--anyway", "--because", "it records another property");
  expect(next.code, next.transcript).toBe(0);
  const left = await at.project.run("runs", "leases");
  expect(left.stdout, left.transcript).toMatch(
    new RegExp(`^${run}  userId:alice at .*  left a write open; another run has acted as this entity since\n$`),
  );
  const resolved = await at.project.run("resolve", run, "--step", "asset", "--as", "applied", "--because", "seen");
  expect(resolved.code, resolved.transcript).toBe(0);
  expect((await at.project.run("runs", "leases")).stdout).toBe("nothing is held\n");
});

// Makes every lease holder look like a process on another machine, whose lock cannot be seen here.
function moveAway(project: Project): void {
  const holder = `json_set(json_remove(holder, '$.lock'), '$.host', 'elsewhere', '$.bootId', 'another')`;
  inJournal(project, (database) => database.exec(`UPDATE lease SET holder = ${holder}`));
}

function expectRefused({ code, stderr, transcript }: Ended, exit: number, says: RegExp): void {
  expect(code, transcript).toBe(exit);
  expect(stderr, transcript).toMatch(says);
}
