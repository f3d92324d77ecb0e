import { expect, test } from "vitest";
import { desk, inJournal, writing } from "./desk.ts";
import { type Ended, operationsOf, type Project, type Running, until } from "./world.ts";

const mint = (concurrency: string): string => `playbook: 1
name: Record one
inputs: { desk: { type: string, default: first } }
env: { REGION: eu }
concurrency: ${concurrency}
steps:
  - id: asset
    as: { ledger: "userId:alice" }
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "P\${{ run.key }}" } }
`;
const GROUP = "desk-${{ inputs.desk }}-${{ env.REGION }}";
const REFUSE = mint(`{ group: "${GROUP}" }`);
const WAIT = mint(`{ group: "${GROUP}", overlap: wait, timeout: 10m }`);

function expectRefused({ code, stderr, transcript }: Ended, group: string, holder: Running): void {
  expect(code, transcript).toBe(6);
  expect(stderr, transcript).toMatch(
    new RegExp(
      `another run is in the group "${group}", which the run \\d{8}T\\d{6}-[a-z0-9]{8} holds \\(process ${holder.pid} on this host, since \\d{4}-[^)]+Z\\)`,
    ),
  );
}

function holdsIn(project: Project): readonly unknown[] {
  return inJournal(project, (database) =>
    database
      .prepare("SELECT name FROM lease WHERE kind = 'group' ORDER BY name")
      .all()
      .map(({ name }) => name),
  );
}

test("only one run of a group acts, and a second run is refused with the name of the holder", async () => {
  const at = await desk({ "one.yaml": REFUSE, "other.yaml": REFUSE.replace("alice", "bob") });
  const { running, goOn } = await writing(at, "one.yaml");
  const seen = at.proxy.seen.length;
  expectRefused(await at.project.run("run", "other.yaml"), "desk-first-eu", running);
  const both = await at.project.run("run", "one.yaml", "other.yaml");
  expectRefused(both, "desk-first-eu", running);
  for (const file of ["one.yaml", "other.yaml"])
    expect(both.stderr, both.transcript).toContain(`[${file}] error concurrency.held\n`);
  expect(both.stderr, both.transcript).toContain("then try this run again");
  expect(at.proxy.seen).toHaveLength(seen);
  expect((await at.project.json("runs")).data.runs).toHaveLength(1);
  const elsewhere = await at.project.run("run", "other.yaml", "--input", "desk=second");
  expect(elsewhere.code, elsewhere.transcript).toBe(0);

  expect(holdsIn(at.project)).toEqual(["desk-first-eu"]);
  goOn();
  const ended = await running.ended;
  expect(ended.code, ended.transcript).toBe(0);
  expect(holdsIn(at.project)).toEqual([]);
  expect((await at.project.run("run", "other.yaml")).code).toBe(0);
});

test("a run that failed, was interrupted or waits for a person holds no group", async () => {
  const at = await desk({
    "fails.yaml": `${REFUSE}    expect: [1 == 2]\n`,
    "pending.yaml": `${REFUSE}  - uses: ledger.asset.get\n    with: { assetType: Property, id: "\${{ steps.asset.id }}" }\n    until: response.owners.size() > 7\n    timeout: 1ms\n    on_timeout: pending\n`,
    "one.yaml": REFUSE,
  });
  expect((await at.project.run("run", "fails.yaml")).code).toBe(1);
  expect(holdsIn(at.project)).toEqual([]);
  expect((await at.project.run("run", "pending.yaml")).code).toBe(4);
  expect(holdsIn(at.project)).toEqual([]);
  const { running, goOn } = await writing(at, "one.yaml");
  await running.signal("SIGINT");
  goOn();
  expect((await running.ended).code).toBe(130);
  expect(holdsIn(at.project)).toEqual([]);
});

test("a waiting run names the holder of its group, acts when the holder ends, and can be interrupted", async () => {
  const at = await desk({ "one.yaml": REFUSE, "patient.yaml": WAIT.replace("Record one", "Record patiently") });
  const { running, goOn } = await writing(at, "one.yaml");
  const waiting = at.project.start("run", "patient.yaml");
  const interrupted = at.project.start("run", "patient.yaml");
  for (const each of [waiting, interrupted]) {
    const [line] = await each.lines(1);
    expect(line).toMatch(
      new RegExp(`^… waiting until \\S+Z for the group "desk-first-eu", which the run .* holds \\(process ${running.pid} `),
    );
  }
  await interrupted.signal("SIGINT");
  const gone = await interrupted.ended;
  expect(gone.code, gone.transcript).toBe(130);
  expect(gone.stderr, gone.transcript).toContain("interrupted while waiting for the group");
  goOn();
  const [first, second] = [await running.ended, await waiting.ended];
  expect(first.code, first.transcript).toBe(0);
  expect(second.code, second.transcript).toBe(0);
  expect(operationsOf(await at.service.commits())).toEqual(["ledger.asset.create", "ledger.asset.create"]);
  expect(holdsIn(at.project)).toEqual([]);
});

test("a run reports that its wait for a group is over, and playbooks of one command take turns", async () => {
  const brief = WAIT.replace("10m", "1ms");
  const at = await desk({ "one.yaml": REFUSE, "brief.yaml": brief, "all/a.yaml": WAIT, "all/b.yaml": WAIT, "all/c.yaml": WAIT });
  const { running, goOn } = await writing(at, "one.yaml");
  const late = await at.project.run("run", "brief.yaml");
  expect(late.code, late.transcript).toBe(6);
  expect(late.stderr, late.transcript).toContain("after 1 ms another run is in the group");
  goOn();
  await running.ended;
  const together = await at.project.run("run", "all", "--jobs", "3");
  expect(together.code, together.transcript).toBe(0);
  expect(await at.service.commits()).toHaveLength(4);
  expect(holdsIn(at.project)).toEqual([]);
});

test("the group of a killed process is free, and its run resumes in it", async () => {
  const at = await desk({ "one.yaml": REFUSE, "other.yaml": REFUSE.replace("playbook: 1", "playbook: 1\nid: other") });
  const { running, goOn } = await writing(at, "one.yaml");
  await running.signal("SIGSTOP");
  expectRefused(await at.project.run("run", "other.yaml"), "desk-first-eu", running);
  await running.signal("SIGKILL");
  await running.ended;
  goOn();
  await until(() => (at.proxy.exchanges.length > 1 ? true : undefined));
  expect(holdsIn(at.project)).toEqual(["desk-first-eu"]);
  const next = await at.project.run("run", "other.yaml");
  expect(next.code, next.transcript).toBe(0);
  expect(holdsIn(at.project)).toEqual([]);
  // Its write had arrived, as the ledger shows.
  const resumed = await at.project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(holdsIn(at.project)).toEqual([]);
});

test("the groups of included playbooks are taken with the run's own, before its first request", async () => {
  const outer = `playbook: 1
inputs: { where: { type: string, default: north } }
concurrency: { group: outer }
steps:
  - id: asset
    as: { ledger: "userId:alice" }
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "O\${{ run.key }}" } }
  - uses: ./middle.yaml
    with: { area: "\${{ inputs.where }}-east" }
`;
  const middle = `playbook: 1
inputs: { area: { type: string } }
steps:
  - uses: ./one.yaml
    with: { desk: "\${{ inputs.area }}" }
`;
  const at = await desk({ "outer.yaml": outer, "middle.yaml": middle, "one.yaml": REFUSE });
  const { running, goOn } = await writing(at, "outer.yaml");
  expect(holdsIn(at.project)).toEqual(["desk-north-east-eu", "outer"]);
  const seen = at.proxy.seen.length;
  expectRefused(await at.project.run("run", "one.yaml", "--input", "desk=north-east"), "desk-north-east-eu", running);
  expectRefused(await at.project.run("run", "outer.yaml", "--input", "where=south"), "outer", running);
  expect(at.proxy.seen).toHaveLength(seen);
  goOn();
  const ended = await running.ended;
  expect(ended.code, ended.transcript).toBe(0);
});

test("a group without a name is reported before anything is sent", async () => {
  const at = await desk({ "one.yaml": mint('{ group: "${{ inputs.desk }}" }') });
  const ended = await at.project.run("run", "one.yaml", "--input", "desk= ");
  expect(ended.code, ended.transcript).toBe(2);
  expect(ended.stderr, ended.transcript).toContain("one.yaml:5 (concurrency): the group has no name: it is empty");
  expect(at.proxy.seen).toEqual([]);
});
