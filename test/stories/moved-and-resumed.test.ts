import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Desk, desk, losingMint } from "./desk.ts";
import { MINT_ONCE, newProject, operationsOf, runIn } from "./world.ts";

/** A run that stopped before its last step, and the text of tokenbook.yaml when the run began. */
async function stopped(): Promise<Desk & { readonly run: string; readonly text: string }> {
  const at = await desk({ "mint.yaml": MINT_ONCE.replace("totalSupply == 10", "totalSupply == 11") });
  const ended = await at.project.run("run", "mint.yaml");
  expect(ended.code, ended.transcript).toBe(1);
  at.project.write("mint.yaml", MINT_ONCE);
  return { ...at, run: runIn(ended), text: at.project.read("tokenbook.yaml") };
}

test("resume says to restore the name of a renamed environment", async () => {
  const { project, service, run, text } = await stopped();
  project.write("tokenbook.yaml", text.replace("  here:", "  live:"));
  const plain = await project.run("resume");
  expect(plain.code, plain.transcript).toBe(2);
  expect(plain.stderr, plain.transcript).toContain(`tokenbook.yaml has no environment "here", where the run ${run} acts`);
  expect(plain.stderr, plain.transcript).toContain("next: give the environment this name again in tokenbook.yaml");
  expect(plain.stderr, plain.transcript).not.toContain("--env live");
  const named = await project.run("resume", "--env", "live");
  expect([named.code, named.stderr], named.transcript).toEqual([2, expect.stringContaining("environment was here and is live")]);
  expect(named.stderr, named.transcript).toContain('if "live" had that name before, rename it back in tokenbook.yaml');
  project.write("tokenbook.yaml", text);
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
});

test("resume says to put back a playbook that is gone", async () => {
  const { project, run } = await stopped();
  renameSync(join(project.folder, "mint.yaml"), join(project.folder, "other.yaml"));
  const { code, stderr, transcript } = await project.run("resume");
  expect([code, stderr], transcript).toEqual([2, expect.stringContaining('there is no file or folder "mint.yaml"')]);
  expect(stderr, transcript).toContain(
    `next: put mint.yaml back, or go to the folder in which the run began:\n  tokenbook resume ${run}`,
  );
});

test("resume names the line of an address that has changed, and not the command that has just failed", async () => {
  const { project, run, text } = await stopped();
  project.write("tokenbook.yaml", text.replace("127.0.0.1", "localhost"));
  const moved = await project.run("resume", run, "--env", "here");
  expect(moved.code, moved.transcript).toBe(2);
  expect(moved.stderr, moved.transcript).toMatch(/ledger was http:\/\/127\.0\.0\.1:\d+ and is http:\/\/localhost:\d+/);
  expect(moved.stderr, moved.transcript).toContain(
    "next: restore the earlier value at tokenbook.yaml:4 (environments.here.ledger.baseUrl)",
  );
});

test("resume says to restore an environment that has become the sandbox", async () => {
  const { project, run } = await stopped();
  project.write("tokenbook.yaml", "environments:\n  here: embedded\n");
  const moved = await project.run("resume");
  expect([moved.code, moved.stderr], moved.transcript).toEqual([2, expect.stringContaining("resume.target-changed")]);
  expect(moved.stderr, moved.transcript).toContain(
    `next: set "here" in tokenbook.yaml back to that address, then continue the run:\n  tokenbook resume ${run}`,
  );
});

test("resume says how to add the sandbox to a tokenbook.yaml that was written after the run", async () => {
  const project = newProject({});
  project.write("mint.yaml", MINT_ONCE.replace("totalSupply == 10", "totalSupply == 11"));
  const run = runIn(await project.run("run", "mint.yaml"));
  project.serviceAt("http://127.0.0.1:1");
  const refused = await project.run("resume");
  expect(refused.code, refused.transcript).toBe(2);
  expect(refused.stderr, refused.transcript).toContain(
    `add the line "sandbox: embedded" to environments in tokenbook.yaml, then continue the run:\n  tokenbook resume ${run}`,
  );
  project.write("tokenbook.yaml", "environments:\n  sandbox: embedded\n");
  project.write("mint.yaml", MINT_ONCE);
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
});

test("resume in another environment proposes the environment of the run", async () => {
  const { project, run, text } = await stopped();
  project.write("tokenbook.yaml", `${text}  sandbox: embedded\n`);
  const elsewhere = await project.run("resume", "--env", "sandbox");
  expect(elsewhere.code, elsewhere.transcript).toBe(2);
  expect(elsewhere.stderr, elsewhere.transcript).toMatch(new RegExp(`next: tokenbook resume ${run} --env here$`, "m"));
});

test("resume uses the folder in which the run began, not a playbook of the same name elsewhere", async () => {
  const at = await desk({});
  const write = (id: string): string => `playbook: 1
actors: { clerk: { ledger: "userId:alice" } }
defaults: { as: clerk }
steps:
  - { id: first, uses: ledger.asset.stats, expect: [response.totalCount >= NUMBER] }
  - { id: record, uses: ledger.asset.create, with: { assetType: Property, data: { id: ${id} } } }
`;
  const [ours, theirs] = [at.project.within("a"), at.project.within("b")];
  at.project.write("a/run.yaml", write("Ours").replace("NUMBER", "1000"));
  at.project.write("b/run.yaml", write("Theirs").replace("NUMBER", "0"));
  const stoppedThere = await ours.run("run", "run.yaml");
  expect(stoppedThere.code, stoppedThere.transcript).toBe(1);
  const run = runIn(stoppedThere);
  for (const [project, folder, way] of [
    [theirs, "b", "../a"],
    [at.project, ".", "a"],
  ] as const) {
    const refused = await project.run("resume");
    expect(refused.code, refused.transcript).toBe(2);
    expect(refused.stderr, refused.transcript).toContain(
      `the run ${run} began in the folder a of this project, and this is ${folder}\n`,
    );
    expect(refused.stderr, refused.transcript).toContain(`next: cd ${way} && tokenbook resume ${run}`);
  }
  expect(await at.service.commits()).toEqual([]);
  at.project.write("a/run.yaml", write("Ours").replace("NUMBER", "0"));
  const resumed = await ours.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect((await at.service.commits()).map(({ body }) => body)).toMatchObject([{ data: { id: "Ours" } }]);
});

test("resume looks for a lost write although the profile has moved the acting entity since", async () => {
  const { project, proxy, service } = await desk({ "mint.yaml": MINT_ONCE });
  const run = runIn(await losingMint({ project, proxy }));
  project.write(
    "tokenbook.yaml",
    `${project.read("tokenbook.yaml")}    profile: { ledger: { onBehalfOf: { in: header, name: X-Act-As } } }\n`,
  );
  const resumed = await project.run("resume", run);
  expect(resumed.stdout, resumed.transcript).toContain("attempt 1: applied, as read back");
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
});
