import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { proxyTo } from "./proxy.ts";
import { type Ended, newProject, operationsOf, type Project, reached, runIn, servedSandbox, type Service } from "./world.ts";

const PLAYBOOK = `playbook: 1
name: Record once
inputs: { rooms: { type: integer, default: 1 } }
env: { SITE: main }
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - id: first
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "A\${{ run.key }}", rooms: "\${{ inputs.rooms }}", site: "\${{ env.SITE }}" } }
  - id: second
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "B\${{ run.key }}" } }
`;
const KEYED = ["run", "record.yaml", "--key", "ORDER-17"] as const;
const BOTH = ["ledger.asset.create", "ledger.asset.create"];

interface Ground {
  readonly project: Project;
  readonly service: Service;
}

async function ground(): Promise<Ground> {
  const service = await servedSandbox();
  const project = newProject();
  project.serviceAt(service.url);
  project.write("record.yaml", PLAYBOOK);
  return { project, service };
}

async function runsOf(project: Project): Promise<number> {
  return (await project.json("runs")).data.runs.length;
}

test("a repeated key shows the run that passed, and sends nothing", async () => {
  const { project, service } = await ground();
  const first = await project.run(...KEYED);
  expect(first.code, first.transcript).toBe(0);
  const again = await project.run(...KEYED);
  expect(again.code, again.transcript).toBe(0);
  expect(again.stdout, again.transcript).toContain("2 of 2 steps done before");
  expect(runIn(again)).toBe(runIn(first));
  const report = (await project.json(...KEYED)).data.reports[0]?.run;
  expect([report?.id, report?.idempotencyKey, report?.outcome]).toEqual([runIn(first), "ORDER-17", "passed"]);

  project.write("record.yaml", `${PLAYBOOK}# edited\n`);
  const edited = await project.run(...KEYED);
  expect([edited.code, edited.stderr], edited.transcript).toEqual([
    0,
    expect.stringContaining("record.yaml has changed since the run"),
  ]);
  expect(operationsOf(await service.commits())).toEqual(BOTH);
  expect(await runsOf(project)).toBe(1);

  const included = `playbook: 1
inputs: { rows: { type: file, default: rows.csv, format: csv } }
steps: [{ uses: ledger.token.list, as: { ledger: key }, if: "inputs.rows.size() > 9" }]
`;
  project.write("part.yaml", included);
  project.write("rows.csv", "id\n1\n");
  project.write("whole.yaml", "playbook: 1\nsteps: [{ uses: ./part.yaml }]\n");
  const whole = ["run", "whole.yaml", "--key", "WHOLE"];
  expect((await project.run(...whole)).stderr).not.toContain("has changed");
  project.write("rows.csv", "id\n2\n");
  expect((await project.run(...whole)).stderr).toContain("a data file of a playbook that whole.yaml includes has changed since");

  const other = await project.run("run", "record.yaml", "--key", "ORDER-18");
  expect(other.code, other.transcript).toBe(0);
  expect(await runsOf(project)).toBe(3);

  // The key of a run works wherever its id does, but only in full.
  const shown = await project.json("runs", "show", "ORDER-17");
  expect(shown.data.reports[0]?.run.id).toBe(runIn(first));
  const part = await project.run("runs", "show", "ORDER");
  expect([part.code, part.stderr], part.transcript).toEqual([2, expect.stringContaining('there is no run "ORDER"')]);
});

test("a repeated key resumes a killed run", async () => {
  const { project, service } = await ground();
  const killed = await project.as({ ...project.variables, TOKENBOOK_FAILPOINT: "after:attempt.intended@second" }).run(...KEYED);
  expect(killed.code, killed.transcript).toBe(null);
  const again = await project.run(...KEYED);
  expect(again.code, again.transcript).toBe(0);
  expect(again.stdout, again.transcript).toContain("1 of 2 steps done before");
  expect(runIn(again)).toBe(runIn(killed));
  expect(operationsOf(await service.commits())).toEqual(BOTH);
});

test.for([[...KEYED], ["resume", "latest"]])(
  "a lost last record is detected after `%s` showed the run, even if its process died early",
  async (shows) => {
    const { project, service } = await ground();
    const killed = await project.as({ ...project.variables, TOKENBOOK_FAILPOINT: "after:attempt.intended@second" }).run(...KEYED);
    const tail = join(project.folder, ".tokenbook/journal.tail");
    const earlier = readFileSync(tail);
    const passed = await project.run(...KEYED);
    expect(passed.code, passed.transcript).toBe(0);
    writeFileSync(tail, earlier);
    const shown = await project.run(...shows);
    expect(shown.code, shown.transcript).toBe(0);
    loseLastRecord(join(project.folder, ".tokenbook/journal.db"));
    for (const args of [KEYED, ["resume", runIn(killed)]]) {
      const refused = await project.run(...args);
      expect(refused.code, refused.transcript).toBe(2);
      expect(refused.stderr, refused.transcript).toContain("has lost records");
    }
    expect(operationsOf(await service.commits())).toEqual(BOTH);
  },
);

// Simulates a journal that was restored from a moment ago.
function loseLastRecord(path: string): void {
  const journal = new DatabaseSync(path);
  journal.exec(`DELETE FROM record WHERE sequence = (SELECT last_sequence FROM run);
    UPDATE run SET outcome = NULL, last_sequence = last_sequence - 1,
      last_hash = (SELECT hash FROM record ORDER BY sequence DESC LIMIT 1);`);
  journal.close();
}

test("a key belongs to one playbook, with its inputs and variables, in one environment, and any other use is refused", async () => {
  const { project, service } = await ground();
  const first = await project.run(...KEYED);
  project.write("other.yaml", PLAYBOOK);
  project.write("tokenbook.yaml", `${project.read("tokenbook.yaml")}  sandbox: embedded\n`);
  const refused = async (says: RegExp, ...args: string[]): Promise<void> => {
    const ended = await project.run(...args, "--key", "ORDER-17");
    expect([ended.code, ended.stderr], ended.transcript).toEqual([2, expect.stringMatching(says)]);
    expect(ended.stderr, ended.transcript).toContain(`the key ORDER-17 already names the run ${runIn(first)}`);
  };
  const again = String.raw`a run with another key would make its writes in addition to those of that run \(\w+, \w+\):`;
  await refused(new RegExp(`input rooms: was 1, is 2\n[^]*${again}`), "run", "record.yaml", "--input", "rooms=2");
  await refused(/playbook: was \.\/record\.yaml, is \.\/other\.yaml\n[^]*choose another key/, "run", "other.yaml");
  await refused(/environment: was here, is sandbox/, "run", "record.yaml", "--env", "sandbox");
  const elsewhere = await project.as({ ...project.variables, SITE: "annex" }).run(...KEYED);
  expect([elsewhere.code, elsewhere.stderr], elsewhere.transcript).toEqual([
    2,
    expect.stringContaining("variable SITE: was main, is annex"),
  ]);
  expect(operationsOf(await service.commits())).toEqual(BOTH);
});

test("an invalid key, or one key for several playbooks, is refused before anything is sent", async () => {
  const { project, service } = await ground();
  project.write("other.yaml", PLAYBOOK);
  for (const key of ["", " ", "a b", "-x", "a".repeat(129), "a\nb", "ä"]) {
    const ended = await project.run("run", "record.yaml", `--key=${key}`);
    expect(ended.code, ended.transcript).toBe(2);
  }
  const several = await project.run("run", "record.yaml", "other.yaml", "--key", "ORDER-17");
  expect([several.code, several.stderr], several.transcript).toEqual([2, expect.stringContaining("run.one-key")]);
  expect(await service.commits()).toEqual([]);
});

test("a second start with a key is refused while the first runs, and shows the run after it passed", async () => {
  const { project, service } = await ground();
  const proxy = await proxyTo(service.url);
  project.serviceAt(proxy.url);
  const second: { release?: () => void } = {};
  const held = new Promise<void>((release) => (second.release = release));
  const there = proxy.next(
    "POST /asset",
    async (passing) => {
      await held;
      passing.answer(await passing.forward());
    },
    1,
  );
  const holder = project.start(...KEYED);
  await reached(holder, holder.lines(2));
  const rival = await project.run(...KEYED);
  expect([rival.code, rival.stderr], rival.transcript).toEqual([6, expect.stringContaining(`is held by process ${holder.pid}`)]);
  second.release?.();
  await there;
  const ended = await holder.ended;
  expect(ended.code, ended.transcript).toBe(0);
  expect(operationsOf(await service.commits())).toEqual(BOTH);
});

test("only one of several processes that start with the same key makes the run", async () => {
  const { project, service } = await ground();
  const ended: Ended[] = await Promise.all([1, 2, 3, 4].map(() => project.start(...KEYED).ended));
  for (const each of ended) expect([0, 6], each.transcript).toContain(each.code);
  expect(ended.filter(({ code }) => code === 0).length).toBeGreaterThan(0);
  expect(operationsOf(await service.commits())).toEqual(BOTH);
  expect(await runsOf(project)).toBe(1);
  const last = await project.run(...KEYED);
  expect(last.code, last.transcript).toBe(0);
  expect(operationsOf(await service.commits())).toEqual(BOTH);
});

test("a secret in a key is masked in outputs and exports", async () => {
  const { project } = await ground();
  const key = project.variables["LEDGER_KEY"] ?? "";
  const first = await project.run("run", "record.yaml", "--key", `order:${key}`);
  expect(first.code, first.transcript).toBe(0);
  expect(first.transcript).toContain("key: order:");
  const again = await project.run("run", "record.yaml", "--key", `order:${key}`);
  expect(runIn(again), again.transcript).toBe(runIn(first));
  const exported = await project.run("runs", "export", "latest");
  expect(exported.stdout + first.stdout + again.stdout).not.toContain(key);
});
