import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cutAnswer, proxyTo } from "./proxy.ts";
import { viewing } from "./viewing.ts";
import {
  embeddedCommits,
  type Ended,
  environmentAt,
  KEYS,
  newProject,
  operationsOf,
  type Project,
  runIn,
  servedSandbox,
} from "./world.ts";

const HEAD = `playbook: 1
actors: { issuer: { ledger: "userId:alice" }, other: { ledger: "userId:bob" } }
defaults: { as: issuer }
`;

/** Creates its own token, and mints it. Only a person can settle a lost mint of it. */
const MINT = `${HEAD}name: Mint without a cap
steps:
  - id: token
    uses: ledger.token.create
    with: { name: Open, symbol: OPN, behaviour: { decimal: 2, transferable: true, burnable: true } }
  - id: mint
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "10.00" }
    wait: { timeout: 2s }
`;

/** Mints a token that is given as an input, or that a read finds. */
function mintOf(id: string, more = "", actor = "issuer"): string {
  return `${HEAD}name: Mint what there is
inputs: { token: { type: string, default: "" } }
steps:
${more}  - id: top_up
    uses: ledger.token.mint
    as: ${actor}
    with: { id: "${id}", to: "\${{ actors.issuer }}", value: "10.00" }
`;
}

const KILLED = { TOKENBOOK_FAILPOINT: "sent@mint" };

/** A run that was killed as soon as its mint was sent. */
async function killedAtMint(project: Project, ...args: string[]): Promise<string> {
  const killed = await project.as({ ...project.variables, ...KILLED }).run("run", "mint.yaml", ...args);
  expect(killed.code, killed.transcript).not.toBe(0);
  return runIn(killed);
}

function expectRefused(ended: Ended, run: string): void {
  expect(ended.code, ended.transcript).toBe(6);
  expect(ended.stderr, ended.transcript).toContain("error run.open-write");
  expect(ended.stderr, ended.transcript).toContain(run);
  expect(ended.stderr, ended.transcript).toMatch(/it is unknown whether "mint" \(ledger\.token\.mint, attempted at \d{4}-/);
  expect(ended.stderr, ended.transcript).toMatch(new RegExp(`^ *tokenbook resume ${run}$`, "m"));
  expect(ended.stderr, ended.transcript).toMatch(
    new RegExp(`^ *tokenbook resolve ${run} --step mint --as absent --because TEXT$`, "m"),
  );
}

test("a playbook that was killed in a write is not run again beside it, until somebody settles the write", async () => {
  const project = newProject({ ...KEYS, USER: "olga" });
  project.write("mint.yaml", MINT);
  const run = await killedAtMint(project);
  const before = operationsOf(await embeddedCommits(project));

  expectRefused(await project.run("run", "mint.yaml"), run);
  expectRefused(await project.run("run", "./mint.yaml"), run);
  const planned = await project.json("plan", "mint.yaml");
  expect(planned.code, planned.transcript).toBe(1);
  expect((planned.data as unknown as { plans: readonly { refused: unknown }[] }).plans[0]?.refused).toMatchObject({
    code: "run.open-write",
    message: expect.stringContaining(run),
  });
  const shown = await project.run("plan", "mint.yaml");
  expect(shown.stdout, shown.transcript).toMatch(new RegExp(`would not begin \\(exit 6\\)[^]*^ *tokenbook resume ${run}$`, "m"));
  expect(operationsOf(await embeddedCommits(project))).toEqual(before);

  // Another playbook writes to other tokens.
  project.write("other.yaml", MINT.replace("10.00", "11.00"));
  const other = await project.run("run", "other.yaml");
  expect(other.code, other.transcript).toBe(0);

  await project.run("resolve", run, "--step", "mint", "--as", "absent", "--because", "the ledger has no such mint");
  const again = await project.run("run", "mint.yaml");
  expect(again.code, again.transcript).toBe(0);
  expect(again.stderr, again.transcript).toMatch(
    new RegExp(
      `^note: this is a new run of mint\\.yaml; its last one with these inputs has not passed \\(interrupted\\)\\. .*tokenbook resume ${run}$`,
      "m",
    ),
  );
  const fourth = await project.run("run", "mint.yaml");
  expect(fourth.stderr, fourth.transcript).not.toContain("note:");
});

test("a playbook that only reads begins again without a note, however its last run ended", async () => {
  const project = newProject(KEYS);
  project.write(
    "look.yaml",
    "playbook: 1\nsteps: [{ uses: ledger.token.list, as: { ledger: 'userId:alice' }, expect: [size(response) == 99] }]\n",
  );
  const run = (): Promise<Ended> => project.run("run", "look.yaml");
  expect((await run()).code).toBe(1);
  const again = await run();
  expect([again.code, again.stderr], again.transcript).toEqual([1, ""]);
});

test("the note on a new run names the unfinished run with the same inputs", async () => {
  const project = newProject(KEYS);
  const create = 'uses: ledger.asset.create, with: { assetType: Property, data: { id: "${{ inputs.house }}-${{ run.key }}" } }';
  const stats = 'uses: ledger.asset.stats, expect: [inputs.house != "a" || env.READY == "yes"]';
  project.write(
    "house.yaml",
    `playbook: 1\nname: House\ninputs: { house: { type: string } }\nenv: { READY: "no" }\ndefaults: { as: { ledger: "userId:alice" } }\nsteps: [{ ${create} }, { ${stats} }]\n`,
  );
  const run = (house: string, ready = "no"): Promise<Ended> =>
    project.as({ ...project.variables, READY: ready }).run("run", "house.yaml", "--input", `house=${house}`);
  const failed = runIn(await run("a"));
  expect((await run("b")).stderr).toContain(
    `its last one has not passed (failed). To continue that one: tokenbook resume ${failed}`,
  );
  expect((await run("b")).stderr).toBe("");
  const again = await run("a", "yes");
  expect(again.stderr, again.transcript).toContain(
    `its last one with these inputs has not passed (failed). To continue that one: tokenbook resume ${failed}`,
  );
  expect((await run("a", "yes")).stderr).toBe("");
});

test.each([
  ["absent", "applied", ["ledger.token.create", "ledger.token.mint"]],
  ["applied", "absent", ["ledger.token.create", "ledger.token.mint", "ledger.token.mint"]],
] as const)("a wrong verdict, %s instead of %s, can be corrected until the run is resumed", async (wrong, right, done) => {
  const project = newProject({ ...KEYS, USER: "olga" });
  project.write("mint.yaml", MINT);
  const killed = await project
    .as({ ...project.variables, TOKENBOOK_FAILPOINT: "after:attempt.answered@mint" })
    .run("run", "mint.yaml");
  const run = runIn(killed);
  const say = (verdict: string): Promise<Ended> =>
    project.run("resolve", run, "--step", "mint", "--as", verdict, "--because", "seen");
  const first = await say(wrong);
  expect([first.code, first.stdout], first.transcript).toEqual([0, expect.not.stringContaining("replaces")]);
  const corrected = await say(right);
  expect(corrected.code, corrected.transcript).toBe(0);
  expect(corrected.stdout).toContain(`is ${right}, says olga`);
  expect(corrected.stdout).toContain(`\nthis replaces what olga said: it is ${wrong}: seen\n`);
  const resumed = await project.run("resume", run);
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(resumed.stdout).toContain(`attempt 1: ${right}, says olga`);
  expect(operationsOf(await embeddedCommits(project))).toEqual(done);
  const late = await say(wrong);
  expect([late.code, late.stderr], late.transcript).toEqual([2, expect.stringContaining("error resolve.nothing")]);
});

test("a run that says unknown says not to run the playbook again, with the command on a line of its own", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("mint.yaml", MINT);
  void proxy.next("POST /token/mint", (passing) => passing.cut());
  const unknown = await project.run("run", "mint.yaml");
  expect(unknown.code, unknown.transcript).toBe(5);
  expect(unknown.stdout, unknown.transcript).toContain("next: do not run this playbook again");
  expect(unknown.stdout, unknown.transcript).toMatch(new RegExp(`^ *tokenbook resume ${runIn(unknown)}$`, "m"));

  expectRefused(await project.run("run", "mint.yaml"), runIn(unknown));
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create"]);
});

test("an open write keeps a run back although its environment has another name or spelling of the address", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  const url = proxy.url.replace("127.0.0.1", "localhost");
  project.serviceAt(url);
  project.write("mint.yaml", MINT.replace("name: Open", "id: OPEN1, name: Open"));
  void proxy.next("POST /token/mint", cutAnswer);
  const text = project.read("tokenbook.yaml");
  project.write("tokenbook.yaml", text.replace("exclusive: true", "exclusive: false"));
  const run = runIn(await project.run("run", "mint.yaml"));

  project.write("mint.yaml", MINT);
  project.write("tokenbook.yaml", text.replace("  here:", "  live:"));
  expectRefused(await project.run("run", "mint.yaml"), run);

  project.write("tokenbook.yaml", text.replaceAll(url, `${url.replace("localhost", "LocalHost")}/./`));
  project.write("other.yaml", mintOf("OPEN1"));
  expectRefused(await project.run("run", "other.yaml"), run);
  project.write("mint.yaml", MINT.replace("name: Open", "id: OPEN1, name: Open"));
  const resumed = await project.run("resume", run);
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
});

test("--anyway runs beside an open write, and the run keeps who allowed it, why, and beside which run", async () => {
  const project = newProject({ ...KEYS, USER: "olga" });
  project.write("mint.yaml", MINT);
  const run = await killedAtMint(project);
  for (const half of [["--anyway"], ["--because", "x"], ["--anyway", "--because", " "]]) {
    const refused = await project.run("run", "mint.yaml", ...half);
    expect([refused.code, refused.stderr], refused.transcript).toEqual([2, expect.stringContaining("run.anyway-incomplete")]);
  }

  const anyway = await project.run("run", "mint.yaml", "--anyway", "--because", "the ledger is a sandbox");
  expect(anyway.code, anyway.transcript).toBe(0);
  const shown = await project.run("runs", "show", runIn(anyway));
  expect(shown.stdout, shown.transcript).toContain(
    `! began although ${run} left writes open, says olga: the ledger is a sandbox`,
  );
  const report = (await project.json("runs", "show", runIn(anyway))).data.reports[0];
  expect(report?.run.anyway).toEqual({ who: "olga", because: "the ledger is a sandbox", runs: [run] });
  for (const format of ["md", "html", "ndjson"]) {
    const written = await project.run("report", "latest", "--format", format);
    expect(written.stdout, written.transcript).toContain("the ledger is a sandbox");
  }

  const { get } = await viewing(project);
  const overview = await (await get("overview/")).text();
  expect(overview, "a later run takes no open write away").toMatch(new RegExp(`>\\? unknown</span>[^]*${run}`));

  // The permission is for that run alone.
  expectRefused(await project.run("run", "mint.yaml"), run);
});

test("a write is not made beside an open one of the same entity on the same token, whatever playbook makes it", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("mint.yaml", MINT);
  void proxy.next("POST /token/mint", (passing) => passing.cut());
  const unknown = await project.run("run", "mint.yaml");
  const run = runIn(unknown);
  const [token = ""] = /"id":"(token\w{8,})"/.exec((await project.run("runs", "export", run)).stdout)?.slice(1) ?? [];
  project.write("same.yaml", mintOf(token));
  project.write("given.yaml", mintOf("${{ inputs.token }}"));
  const find = `  - id: found\n    uses: ledger.token.get\n    with: { id: "${token}" }\n`;
  project.write("found.yaml", mintOf("${{ steps.found.response.id }}", find));
  project.write("other.yaml", mintOf("SomeOtherToken"));
  project.write("other-actor.yaml", mintOf(token, "", "other"));

  const same = await project.run("run", "same.yaml");
  expectRefused(same, run);
  expect(same.stderr, same.transcript).toContain(
    `"top_up" of this playbook writes also as userId:alice, to the same token ${token}`,
  );
  expectRefused(await project.run("run", "given.yaml", "--input", `token=${token}`), run);
  const found = await project.run("run", "found.yaml");
  expectRefused(found, run);
  expect(found.stderr, found.transcript).toContain("whether it writes to the same object is known only during the run");
  // tokenbook sends these writes, and the service refuses them, because the token does not exist and bob may not mint the other one.
  for (const file of ["other.yaml", "other-actor.yaml"]) {
    const sent = await project.run("run", file);
    expect(sent.code, sent.transcript).toBe(1);
  }
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create"]);
});

test("a write that a run has given up keeps others back while that run continues with another round", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  const rounds = `${HEAD}name: Mint beside
steps:
  - id: both
    foreach: { what: [mint, look], key: what, parallel: 2 }
    block:
      - id: mint
        if: what == "mint"
        uses: ledger.token.mint
        with: { id: T1, to: "\${{ actors.issuer }}", value: "10.00" }
        wait: { timeout: 2s }
      - { id: look, if: what == "look", uses: ledger.asset.stats }
`;
  project.write("both.yaml", rounds);
  void proxy.next("POST /token/mint", (passing) => passing.cut());
  const gate = Promise.withResolvers<void>();
  void proxy.next("GET /asset/stats", async (passing) => {
    await gate.promise;
    passing.answer(await passing.forward());
  });
  const first = project.start("run", "both.yaml");
  const recorded = async (): Promise<string> => (await project.run("runs", "export", "latest")).stdout;
  await expect.poll(recorded, { interval: 500 }).toContain('"step.stopped"');
  const second = await project.run("run", "both.yaml");
  const isRunning = !(await recorded()).includes('"run.closed"');
  gate.resolve();
  const ended = await first.ended;
  expect(isRunning, ended.transcript).toBe(true);
  expect(ended.code, ended.transcript).toBe(5);
  expect([second.code, second.stderr], second.transcript).toEqual([6, expect.stringContaining("error run.open-write")]);
  expect(second.stderr, second.transcript).toContain(runIn(ended));
});

test("an open write whose token is a secret keeps back writes to any token", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject({ ...KEYS, TOKEN: "secretToken12345" });
  project.serviceAt(proxy.url);
  const named = mintOf("${{ secrets.TOKEN }}").replace("inputs:", 'secrets: { TOKEN: "env:TOKEN" }\ninputs:');
  project.write("secret.yaml", named.replace("id: top_up", "id: mint"));
  project.write("same.yaml", mintOf("secretToken12345"));
  void proxy.next("POST /token/mint", (passing) => passing.cut());
  const unknown = await project.run("run", "secret.yaml");
  expect(unknown.code, unknown.transcript).toBe(5);
  const same = await project.run("run", "same.yaml");
  expectRefused(same, runIn(unknown));
  expect(same.stderr, same.transcript).toContain("whether it writes to the same object is known only during the run");
  expect(operationsOf(await service.commits())).toEqual([]);
});

test("a playbook with an open write is kept back in an environment of another name at the same address", async () => {
  const service = await servedSandbox();
  const project = newProject();
  const here = environmentAt(service.url);
  project.write("tokenbook.yaml", `${here}${here.slice(here.indexOf("\n") + 1).replace("  here:", "  there:")}`);
  project.write("mint.yaml", MINT);
  const run = await killedAtMint(project, "--env", "here");
  expectRefused(await project.run("run", "mint.yaml", "--env", "there"), run);
  project.write("other.yaml", MINT.replace("10.00", "11.00"));
  const other = await project.run("run", "other.yaml", "--env", "there");
  expect(other.code, other.transcript).toBe(0);
});

test("a playbook that was moved, or is reached through a link, is the same one: it is not run again beside its open write", async () => {
  const project = newProject();
  project.write("mint.yaml", MINT.replace("steps:", `inputs: { order: { type: string, default: "17" } }\nsteps:`));
  const run = await killedAtMint(project);
  symlinkSync("mint.yaml", join(project.folder, "linked.yaml"));
  expectRefused(await project.run("run", "linked.yaml"), run);
  symlinkSync(project.folder, `${project.folder}-linked`);
  const asTheShellNamesIt = await project.run("run", `${project.folder}-linked/mint.yaml`, "--input", "order=18");
  expectRefused(asTheShellNamesIt, run);
  expect(asTheShellNamesIt.stderr).toContain("an earlier run of this playbook, left");
  mkdirSync(join(project.folder, "moved"));
  renameSync(join(project.folder, "mint.yaml"), join(project.folder, "moved/mint.yaml"));
  const moved = await project.run("run", "moved/mint.yaml");
  expectRefused(moved, run);
  expect(moved.stderr, moved.transcript).toContain(`the run ${run}, an earlier run of this playbook, which was mint.yaml then,`);
  const generated = project.read("moved/mint.yaml").replace(/^name: .*/m, "name: Made at 12:17");
  project.write("mint-1217.yaml", `# made at 12:17\n${generated}`);
  expectRefused(await project.run("run", "mint-1217.yaml"), run);
  const otherOrder = await project.run("run", "moved/mint.yaml", "--input", "order=18");
  expect(otherOrder.code, otherOrder.transcript).toBe(0);
});

test("two processes that start at once beside an open write are both refused", async () => {
  const project = newProject();
  project.write("mint.yaml", MINT);
  const run = await killedAtMint(project);
  const both = [project.start("run", "mint.yaml"), project.start("run", "mint.yaml")];
  for (const each of both) expectRefused(await each.ended, run);
});

test("a schedule is kept back by what a run by hand left open, and by its own run until somebody releases that", async () => {
  const project = newProject({ ...KEYS, USER: "olga" });
  project.write("mint.yaml", MINT);
  const byHand = await killedAtMint(project);
  const blocked = await project.run("schedule", "--once", "mint.yaml");
  expect(blocked.code, blocked.transcript).toBe(5);
  const history = await project.run("schedule", "history");
  expect(history.stdout, history.transcript).toContain(
    `the run ${byHand} of this playbook is not finished, and left the write "mint" open`,
  );
  await project.run("resolve", byHand, "--step", "mint", "--as", "absent", "--because", "the ledger has no such mint");

  const killed = await project.as({ ...project.variables, ...KILLED }).run("schedule", "--once", "mint.yaml");
  expect(killed.code, killed.transcript).not.toBe(0);
  const own = (await project.json("runs")).data.runs[0]?.id ?? "";
  expect(own).not.toBe(byHand);
  expect((await project.run("schedule", "--once", "mint.yaml")).code).toBe(5);
  // The command lets the schedule continue, and nothing else.
  const released = await project.run("schedule", "release", "mint.yaml", "--because", "it was a sandbox");
  expect(released.code, released.transcript).toBe(0);
  expectRefused(await project.run("run", "mint.yaml"), own);
  const again = await project.run("schedule", "--once", "mint.yaml");
  expect(again.code, again.transcript).toBe(0);
  const report = (await project.json("runs", "show", "latest")).data.reports[0];
  expect(report?.run.anyway).toEqual({
    who: "tokenbook schedule release",
    because: "released by olga: it was a sandbox",
    runs: [own],
  });
});
