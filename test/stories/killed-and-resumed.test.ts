import { describe, expect, test } from "vitest";
import { gate, proxyTo } from "./proxy.ts";
import {
  type Commit,
  delivered,
  embeddedCommits,
  expectNoneTwice,
  MINT_ONCE,
  newProject,
  operationsOf,
  type Project,
  reached,
  type Running,
  runIn,
  servedSandbox,
} from "./world.ts";

// The operations of an undisturbed run, in order.
const UNDISTURBED = [
  "ledger.asset.create",
  "ledger.token.create",
  "ledger.token.mint",
  "ledger.transfer.request",
  "ledger.transfer.approve",
  "ledger.transfer.approve",
  "ledger.vault.create",
  "ledger.vault.deposit",
  "investor.sales.buy",
];

interface Kill {
  readonly name: string;
  readonly when: (running: Running) => Promise<unknown>;
}

const afterLine = (line: number): Kill => ({
  name: `as soon as line ${line} stood there`,
  when: (running) => running.lines(line),
});
// The delay does not synchronize anything: the test must hold wherever the kill hits.
const afterDelay = (seed: number): Kill => ({
  name: `at a random moment, seed ${seed}`,
  when: async (running) => {
    await running.lines(1);
    await new Promise((resolve) => void setTimeout(resolve, delayOf(seed)));
  },
});

// A run takes about 300 ms after its first line. The seed alone decides the moment.
function delayOf(seed: number): number {
  return (Math.imul(seed, 0x9e3779b1) >>> 0) % 300;
}

// test/crash kills at every boundary of the journal. This test kills a process from outside, at any moment.
const KILLS = [...[1, 7, 14, 23].map(afterLine), ...[1, 2, 3].map(afterDelay)];

describe("property-sale.yaml is killed with kill -9", () => {
  test.for(KILLS)("no write is made twice when it is killed $name, and resumed", async ({ name, when }) => {
    const project = newProject();
    project.write("property-sale.yaml", delivered("onboarding/property-sale.yaml"));
    const running = project.start("run", "property-sale.yaml");
    await when(running);
    await running.signal("SIGKILL");
    const killed = await running.ended;

    const resumed = await project.run("resume", runIn(killed));
    const transcript = `killed ${name}: vitest run test/stories/killed-and-resumed.test.ts -t "${name}"\n${killed.transcript}\n${resumed.transcript}`;
    const commits = await embeddedCommits(project);
    expectNoneTwice(commits, transcript);
    if (resumed.code === 0) expect(operationsOf(commits), transcript).toEqual(UNDISTURBED);
    else await expectUnknown(project, { commits, code: resumed.code, transcript });
  });
});

// One write was in flight and its outcome stays unknown. Every write before it is there, and nothing was sent after it.
async function expectUnknown(
  project: Project,
  seen: { commits: readonly Commit[]; code: number | null; transcript: string },
): Promise<void> {
  const { commits, code, transcript } = seen;
  expect(code, transcript).toBe(5);
  const again = await project.json("resume");
  expect(again.code, again.transcript).toBe(5);
  const steps = (again.data.reports[0]?.steps ?? []).filter(({ kind }) => kind === "call");
  const stopped = steps.filter(({ outcome }) => outcome === "unknown");
  expect(
    stopped.map(({ attempts }) => attempts.at(-1)?.meaning),
    transcript,
  ).toEqual([null]);
  const done = steps.filter(({ outcome }) => outcome === "changed").length;
  expect([done, done + 1], transcript).toContain(commits.length);
  expect(operationsOf(commits), transcript).toEqual(UNDISTURBED.slice(0, commits.length));
  expect(await embeddedCommits(project), transcript).toEqual(commits);
}

describe("a run is killed while its mint is on its way", () => {
  test.for([
    { moment: "before the service has it", committed: 0 },
    { moment: "after the service did it", committed: 1 },
  ])("resume does not send the mint again when the kill came $moment", async ({ committed }) => {
    const world = await servedSandbox();
    const proxy = await proxyTo(world.url);
    const project = newProject();
    project.serviceAt(proxy.url);
    project.write("mint.yaml", MINT_ONCE);
    const [held, over] = [gate(), gate()];
    void proxy.next("POST /token/mint", async (passing) => {
      if (committed === 1) await passing.forward();
      held.open();
      await over.passed;
      passing.cut();
    });
    const running = project.start("run", "mint.yaml");
    await reached(running, held.passed);
    await running.signal("SIGKILL");
    const killed = await running.ended;
    over.open();

    if (committed === 1) await expectFound(project);
    else for (const attempt of ["first", "second"]) await expectStillUnknown(project, attempt);
    const mints = operationsOf(await world.commits()).filter((operation) => operation === "ledger.token.mint");
    expect(mints, killed.transcript).toHaveLength(committed);
    expect(proxy.seen.filter((name) => name === "POST /token/mint")).toHaveLength(1);
  });
});

async function expectFound(project: Project): Promise<void> {
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(resumed.stdout, resumed.transcript).toMatch(/^✓ changed {2}mint .*ledger\.token\.mint/m);
  expect(resumed.stdout, resumed.transcript).toContain("attempt 1: applied, as read back: minted 0 → 10");
}

async function expectStillUnknown(project: Project, attempt: string): Promise<void> {
  const resumed = await project.run("resume");
  expect(resumed.code, `${attempt} resume\n${resumed.transcript}`).toBe(5);
  expect(resumed.stdout, resumed.transcript).toMatch(/^\? unknown {2}mint .*ledger\.token\.mint/m);
  expect(resumed.stdout, resumed.transcript).toMatch(
    /was about to be sent at \d{4}-\d\d-\d\dT[\d:.]+Z, but no answer was recorded/,
  );
  expect(resumed.stdout, resumed.transcript).toContain("no trace of it is visible; it may still take effect");
}

test("resume of a passed run reports that it passed, and sends nothing", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("mint.yaml", MINT_ONCE);
  const run = await project.run("run", "mint.yaml");
  expect(run.code, run.transcript).toBe(0);
  const before = proxy.seen.length;

  const resumed = await project.run("resume", runIn(run));
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(resumed.stdout, resumed.transcript).toMatch(/3 of 3 steps done before/);
  expect(resumed.stdout, resumed.transcript).toMatch(/^✓ passed {2}Mint once/m);
  expect(proxy.seen).toHaveLength(before);

  const nothing = await project.run("resume");
  expect(nothing.code, nothing.transcript).toBe(0);
  expect(nothing.stdout, nothing.transcript).toContain("nothing to resume: every run in this state directory has passed");
  expect((await project.json("resume")).data.reports).toEqual([]);
  expect(proxy.seen).toHaveLength(before);
});

test("resume without a name skips a failed run whose repetition with the same inputs has passed", async () => {
  const project = newProject();
  const refused = `playbook: 1
name: Register, look, register
inputs: { city: { type: string, default: Porto } }
defaults: { as: { ledger: "userId:alice" } }
steps:
  - { id: first, uses: ledger.asset.create, with: { assetType: Property, data: { id: "F\${{ run.key }}", city: "\${{ inputs.city }}" } } }
  - { id: look, uses: ledger.asset.get, with: { assetType: Property, id: "\${{ steps.first.id }}" }, expect: [response.data.city == ""] }
  - { id: second, uses: ledger.asset.create, with: { assetType: Property, data: { id: "S\${{ run.key }}", city: "\${{ inputs.city }}" } } }
`;
  const fixed = refused.replace('== ""', '!= ""');
  project.write("mint.yaml", refused);
  const failed = await project.run("run", "mint.yaml");
  expect(failed.code, failed.transcript).toBe(1);
  project.write("mint.yaml", fixed);
  const other = await project.run("run", "mint.yaml", "--input", "city=Faro");
  expect(other.code, other.transcript).toBe(0);
  const again = await project.run("run", "mint.yaml");
  expect(again.code, again.transcript).toBe(0);
  const before = await embeddedCommits(project);

  const resumed = await project.run("resume");
  expect([resumed.code, resumed.stderr], resumed.transcript).toEqual([2, expect.stringContaining("error resume.done-since")]);
  expect(resumed.stderr).toContain(
    `the last run that did not pass is ${runIn(failed)} of mint.yaml, and the run ${runIn(again)} of`,
  );
  expect(await embeddedCommits(project)).toEqual(before);
  const named = await project.run("resume", runIn(failed));
  expect(named.code, named.transcript).toBe(0);
  expect(named.stderr, named.transcript).toContain(`note: the run ${runIn(again)} of that playbook has begun since`);
  expect((await project.run("resume")).stdout).toContain("nothing to resume");

  // A run with other inputs does not count as a later run.
  project.write("mint.yaml", refused);
  expect((await project.run("run", "mint.yaml", "--input", "city=Braga")).code).toBe(1);
  project.write("mint.yaml", fixed);
  expect((await project.run("run", "mint.yaml")).code).toBe(0);
  const wanted = await project.run("resume");
  expect(wanted.code, wanted.transcript).toBe(0);
});

test("a run on the embedded sandbox resumes there, also if another environment comes first", async () => {
  const project = newProject({});
  project.write(
    "tokenbook.yaml",
    `environments:
  production: { ledger: { baseUrl: "https://ledger.invalid", appId: app1, orgId: org1, apiKey: env:LEDGER_KEY } }
  sandbox: embedded
`,
  );
  project.write("mint.yaml", MINT_ONCE);
  const killed = await project
    .as({ TOKENBOOK_FAILPOINT: "before:attempt.answered@mint" })
    .run("run", "mint.yaml", "--env", "sandbox");
  expect(killed.code, killed.transcript).not.toBe(0);
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(resumed.stdout, resumed.transcript).toContain("environment sandbox");
});

test("resume without any run reports that there is none yet", async () => {
  const resumed = await newProject().run("resume");
  expect(resumed.code, resumed.transcript).toBe(2);
  expect(resumed.stderr, resumed.transcript).toContain("there is no run in this state directory yet");
});
