import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseJson } from "../../src/base/json/json.ts";
import { patternOf } from "../../src/expression/pattern.ts";
import { userValidator } from "../../src/schema/user.ts";
import { CREATE, ONBOARDING, onlyReading, playbookOf } from "./planned.ts";
import { proxyTo } from "./proxy.ts";
import { newProject, operationsOf, runIn, servedSandbox } from "./world.ts";

const HOUR_MS = 3_600_000;
const STRAY = {
  format: "additionalProperties",
  digest: "additionalProperties",
  verdict: "additionalProperties",
  status: "additionalProperties",
  alreadySo: "type",
  appId: "type",
};

test("a plan file is readable only by its owner, meets its schema, and its run does what it says", async () => {
  const { project, service } = await onlyReading();
  project.write("onboarding.yaml", ONBOARDING);
  const kept = await project.run("plan", "onboarding.yaml", "--out", "onboarding.plan");
  expect([kept.code, kept.stderr], kept.transcript).toEqual([0, "the plan is in onboarding.plan\n"]);
  expect(statSync(join(project.folder, "onboarding.plan")).mode & 0o777).toBe(0o600);
  const schema = JSON.parse((await project.run("schema", "plan")).stdout) as object;
  const validate = userValidator(schema, patternOf);
  const written = project.read("onboarding.plan");
  expect(validate(parseJson(written))).toEqual([]);
  // Totals and targets have a field for each interface, so each field must have the right kind even if its interface is unknown.
  for (const [field, keyword] of Object.entries(STRAY)) {
    const stray = validate(parseJson(written.replace(`"${field}"`, `"stray": [], "${field}"`)));
    expect([field, ...stray.map((each) => each.keyword)]).toEqual([field, keyword]);
  }
  const ran = await project.run("run", "onboarding.yaml", "--plan", "onboarding.plan");
  expect(ran.code, ran.transcript).toBe(0);
  expect(operationsOf(await service.commits())).toHaveLength(3);
});

test("a plan that is out of date is refused before the first write, and every step that changed is named", async () => {
  const { project, service } = await onlyReading();
  project.write("onboarding.yaml", ONBOARDING);
  expect((await project.run("plan", "onboarding.yaml", "--out", "p.plan")).code).toBe(0);
  const meanwhile = await project.run("run", "onboarding.yaml");
  expect(meanwhile.code, meanwhile.transcript).toBe(0);
  const commits = await service.commits();
  const refused = await project.run("run", "onboarding.yaml", "--plan", "p.plan");
  expect(refused.code, refused.transcript).toBe(2);
  expect(refused.stderr).toContain("error plan.outdated");
  expect(refused.stderr).toContain("onboarding.yaml: asset: in the plan: will create; now: already done");
  expect(refused.stderr).toContain("ledger.asset.get answered HTTP 404, and now 200");
  expect(refused.stderr).toContain("onboarding.yaml: mint: in the plan: cannot predict; now: skipped");
  expect(await service.commits()).toEqual(commits);
  expect((await project.json("runs")).data.runs).toHaveLength(1);

  expect((await project.run("plan", "onboarding.yaml", "--out", "p.plan")).code).toBe(0);
  const ran = await project.run("run", "onboarding.yaml", "--plan", "p.plan");
  expect(ran.code, ran.transcript).toBe(0);
});

test("a plan can be carried out only once, also if no read of it shows that", async () => {
  const { project, service } = await onlyReading();
  project.write("mint.yaml", playbookOf(CREATE));
  expect((await project.run("plan", "mint.yaml", "--out", "p.plan")).code).toBe(0);
  const made = await project.run("run", "mint.yaml", "--plan", "p.plan");
  expect(made.code, made.transcript).toBe(0);
  const commits = await service.commits();
  const again = await project.run("run", "mint.yaml", "--plan", "p.plan");
  expect([again.code, again.stderr], again.transcript).toEqual([2, expect.stringContaining("plan.carried-out")]);
  expect(again.stderr).toContain(runIn(made));
  expect(await service.commits()).toEqual(commits);

  // The clock was five hours ahead when the plan was made, so that it would hide the run.
  const soon = new Date(Date.now() + 5 * HOUR_MS).toISOString();
  project.write("later.plan", project.read("p.plan").replace(/("madeAt": ")[^"]*/, `$1${soon}`));
  const later = await project.run("run", "mint.yaml", "--plan", "later.plan");
  expect([later.code, later.stderr], later.transcript).toEqual([2, expect.stringContaining("plan.made-later")]);
  expect(await service.commits()).toEqual(commits);

  expect((await project.run("plan", "mint.yaml", "--out", "p.plan")).code).toBe(0);
  const once = await project.run("run", "mint.yaml", "--plan", "p.plan");
  expect(once.code, once.transcript).toBe(0);
});

test("an answer that changed is reported place by place", async () => {
  const { project, service } = await onlyReading();
  project.write("mint.yaml", playbookOf(`  - uses: ledger.asset.stats\n    id: stats\n${CREATE}`));
  expect((await project.run("plan", "mint.yaml", "--out", "p.plan")).code).toBe(0);
  const made = await project.run("run", "mint.yaml");
  expect(made.code, made.transcript).toBe(0);
  const commits = await service.commits();
  const refused = await project.run("run", "mint.yaml", "--plan", "p.plan");
  expect(refused.code, refused.transcript).toBe(2);
  expect(refused.stderr).toContain("mint.yaml: stats: the plan was made from other values");
  expect(refused.stderr).toContain("the answer of ledger.asset.stats has changed");
  expect(refused.stderr).toMatch(/totalCount: \d+ → \d+/);
  expect(await service.commits()).toEqual(commits);
});

test("a plan of another playbook, with other inputs, or for another place is refused", async () => {
  const { project, service } = await onlyReading();
  project.write("onboarding.yaml", ONBOARDING);
  expect((await project.run("plan", "onboarding.yaml", "--out", "p.plan")).code).toBe(0);
  const refused = async (code: string, ...args: string[]): Promise<void> => {
    const ended = await project.run("run", "--plan", "p.plan", ...args);
    expect(ended.code, ended.transcript).toBe(2);
    expect(ended.stderr).toContain(`error ${code}`);
  };
  await refused("plan.other-inputs", "onboarding.yaml", "--input", "property=Attic");
  project.write("other.yaml", playbookOf(CREATE));
  await refused("plan.other-playbook", "other.yaml");
  project.write("onboarding.yaml", ONBOARDING.replace("city: Lisbon", "city: Porto"));
  await refused("plan.other-playbook", "onboarding.yaml");
  project.write("onboarding.yaml", ONBOARDING);
  project.write("tokenbook.yaml", project.read("tokenbook.yaml").replace("  here:", "  there:"));
  await refused("plan.other-target", "onboarding.yaml");
  const made = project.read("p.plan");
  for (const madeAt of ["never", "2026-99-99T00:00:00.000Z", "2026-04-02"]) {
    project.write("p.plan", made.replace(/"madeAt": ?"[^"]+"/, `"madeAt": "${madeAt}"`));
    await refused("plan.unreadable", "onboarding.yaml");
  }
  project.write("p.plan", "{}");
  await refused("plan.unreadable", "onboarding.yaml");
  project.write("p.plan", "no plan");
  await refused("plan.unreadable", "onboarding.yaml");
  expect(await service.commits()).toEqual([]);
});

// A plan cannot bind what depends on a future answer. Only the values that it would be bound to can be compared.
test("a plan is refused with another variable or other data, also where the plan could not know how they are used", async () => {
  const { project, service } = await onlyReading();
  const part = playbookOf("  - { id: skip, if: size(inputs.rows) == 0, uses: ledger.status }\n");
  project.write(
    "part.yaml",
    part.replace("steps:", "env: { SHADE: dark }\ninputs: { rows: { type: file, default: rows.csv } }\nsteps:"),
  );
  project.write("rows.csv", "to\nalice\n");
  const behind = "  - id: part\n    if: steps.asset.receipt.status == env.STATUS\n    uses: ./part.yaml\n";
  project.write("book.yaml", playbookOf(`${CREATE}${behind}`).replace("steps:", "env: { STATUS: COMMITTED }\nsteps:"));
  expect((await project.run("plan", "book.yaml", "--out", "p.plan")).code).toBe(0);
  const refused = async (of: string): Promise<void> => {
    const ended = await project.run("run", "--plan", "p.plan", "book.yaml");
    expect(ended.code, ended.transcript).toBe(2);
    expect(ended.stderr).toContain(`error plan.other-inputs`);
    expect(ended.stderr).toContain(`another value of ${of}\n`);
  };
  project.write(".env", "STATUS=REJECTED\n");
  await refused("env.STATUS");
  project.write(".env", "SHADE=light\n");
  await refused("part.yaml: env.SHADE");
  project.write(".env", "");
  project.write("rows.csv", "to\nbob\n");
  await refused("part.yaml: rows");
  expect(await service.commits()).toEqual([]);
  project.write("rows.csv", "to\nalice\n");
  const ran = await project.run("run", "--plan", "p.plan", "book.yaml");
  expect(ran.code, ran.transcript).toBe(0);
});

test("a plan shows no key that the service repeats", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("echo.yaml", playbookOf("  - { id: echo, uses: ledger.token.get, with: { id: x } }\n"));
  const repeat = (): void => {
    const body = JSON.stringify({ message: "no token for sandbox-ledger-key" });
    void proxy.next("GET /token", (passing) => passing.answer({ status: 404, body }));
  };
  repeat();
  const ended = await project.run("plan", "echo.yaml", "--out", "echo.plan");
  repeat();
  const json = await project.run("plan", "echo.yaml", "--json");
  expect(ended.code, ended.transcript).toBe(1);
  for (const text of [ended.stdout, json.stdout, project.read("echo.plan")]) {
    expect(text).toContain("no token for ${{ secrets.");
    expect(text).not.toContain("sandbox-ledger-key");
  }
});
