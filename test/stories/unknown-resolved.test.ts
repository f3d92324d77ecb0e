import { expect, test } from "vitest";
import { answerInstead, cutAnswer, proxyTo } from "./proxy.ts";
import { environmentAt, KEYS, MINT_ONCE, newProject, operationsOf, servedSandbox } from "./world.ts";

test.for([
  {
    verdict: "applied",
    what: "the mint took effect, and its answer was lost",
    fault: cutAnswer,
    why: "but it could be someone else's",
  },
  {
    verdict: "absent",
    what: "the mint never took effect",
    fault: answerInstead({ status: 500, body: "{}" }),
    why: "no trace of it is visible",
  },
])("$what: a person records the outcome, and the run resumes and mints once", async ({ verdict, fault, why }) => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject({ ...KEYS, USER: "olga" });
  // If other processes act as alice too, a visible mint may be theirs.
  project.write("tokenbook.yaml", environmentAt(proxy.url).replace("exclusive: true", "exclusive: false"));
  project.write("mint.yaml", MINT_ONCE);
  void proxy.next("POST /token/mint", fault);
  const run = await project.run("run", "mint.yaml");
  expect(run.code, run.transcript).toBe(5);
  expect(run.stdout, run.transcript).toContain(why);
  // Each outcome has its own command. A shell runs it as it is printed.
  const both =
    /tokenbook resolve (\S+) --step mint --as applied --because TEXT\n *tokenbook resolve \1 --step mint --as absent --because TEXT$/m;
  const [, id = ""] = both.exec(run.stdout) ?? [];

  const listed = await project.run("resolve", id);
  expect(listed.stdout, listed.transcript).toMatch(/^mint {2}attempt 1 {2}ledger\.token\.mint {2}sent at /);
  const careless = await project.run("resolve", id, "--step", "mint", "--as", verdict);
  expect([careless.code, careless.stderr], careless.transcript).toEqual([2, expect.stringContaining("how you know")]);
  // The message keeps what the user typed. Only the user can give the reason.
  expect(careless.stderr).toContain(`tokenbook resolve ${id} --step mint --as ${verdict} --because TEXT`);
  const wrong = await project.run("resolve", id, "--step", "token", "--as", verdict, "--because", "I saw it");
  expect([wrong.code, wrong.stderr], wrong.transcript).toEqual([2, expect.stringContaining("unknown outcome: mint")]);

  const resolved = await project.run("resolve", id, "--step", "mint", "--as", verdict, "--because", "I looked");
  expect(resolved.stdout, resolved.transcript).toContain(
    `mint: attempt 1 of ledger.token.mint is ${verdict}, says olga: I looked`,
  );
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(operationsOf(await world.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
  const shown = await project.run("runs", "show", id);
  expect(shown.stdout, shown.transcript).toContain(`settled: ${verdict}, says olga: I looked`);
  const history = (/\n\n([^]*?)\nsent /.exec(shown.stdout)?.[1] ?? "")
    .split("\n")
    .map((line) => line.replace(/^\S+ +| on .*/g, ""));
  expect(history, shown.transcript).toEqual([
    expect.stringMatching(/^claimed +process \d+$/),
    "closed    unknown",
    `resolved  olga  mint: attempt 1 is ${verdict}: I looked`,
    expect.stringMatching(/^claimed +process \d+$/),
    "closed    passed",
  ]);
});
