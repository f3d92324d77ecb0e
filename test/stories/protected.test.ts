import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { desk } from "./desk.ts";
import { holdNext } from "./proxy.ts";
import { launch, operationsOf, type Project, IN_SHELL, reached } from "./world.ts";

const MINT = `playbook: 1
name: A mint of ten
actors: { alice: { ledger: "userId:alice" } }
defaults: { as: alice }
steps:
  - id: token
    uses: ledger.token.create
    with: { name: Gold, symbol: GLD, behaviour: { decimal: 2, transferable: true, burnable: true } }
  - { id: mint, uses: ledger.token.mint, with: { id: "\${{ steps.token.id }}", to: "\${{ actors.alice }}", value: 10 } }
`;
const READ = `playbook: 1
name: A look
mode: read-only
steps: [{ uses: ledger.token.list }]
`;

async function protectedDesk(): ReturnType<typeof desk> {
  const at = await desk({ "mint.yaml": MINT, "read.yaml": READ });
  const text = at.project.read("tokenbook.yaml");
  at.project.write("tokenbook.yaml", text.replace(/^( +)exclusive:.*$/m, "$&\n$1protected: true"));
  expect(at.project.read("tokenbook.yaml")).toContain("protected: true");
  return at;
}

const by = (project: Project, user: string): Project => project.as({ ...project.variables, USER: user });

test("a protected environment refuses a run that writes without --yes, and allows one that reads", async () => {
  const { project, service } = await protectedDesk();
  const refused = await project.run("run", "mint.yaml");
  expect(refused.code, refused.transcript).toBe(2);
  expect(refused.stderr).toContain(
    'error environment.protected\n  the environment "here" is protected, and nobody has confirmed',
  );
  expect(refused.stderr).toContain("tokenbook.yaml:");
  expect(refused.stderr).toContain("tokenbook approve approved.plan --because TEXT");
  expect(await service.commits()).toEqual([]);
  expect((await project.run("run", "read.yaml")).code).toBe(0);

  const run = await by(project, "olga").json("run", "mint.yaml", "--yes");
  expect(run.code, run.transcript).toBe(0);
  expect(run.data.reports[0]?.run).toMatchObject({ confirmed: { who: "olga", how: "yes" } });
  const shown = await project.run("runs", "show", "latest");
  expect(shown.stdout).toContain("olga consented to its writes in advance (--yes)");
});

test("a plan needs the approval of somebody else than the one who starts the run", async () => {
  const { project, service } = await protectedDesk();
  expect((await project.run("plan", "mint.yaml", "--out", "mint.plan")).code).toBe(0);
  const olga = by(project, "olga");
  const unapproved = await olga.run("run", "mint.yaml", "--plan", "mint.plan");
  expect([unapproved.code, unapproved.stderr], unapproved.transcript).toEqual([
    2,
    expect.stringContaining("nobody has approved the plan mint.plan"),
  ]);
  const unsaid = await olga.run("approve", "mint.plan");
  expect([unsaid.code, unsaid.stderr]).toEqual([2, expect.stringContaining("say why a run may do what the plan says")]);
  expect((await olga.run("approve", "mint.plan", "--because", "mine")).code).toBe(0);
  const own = await olga.run("run", "mint.yaml", "--plan", "mint.plan");
  expect([own.code, own.stderr], own.transcript).toEqual([
    2,
    expect.stringContaining("only olga, who starts the run, has approved the plan"),
  ]);

  const approved = await by(project, "pavel").run("approve", "mint.plan", "--because", "reviewed with the board");
  expect(approved.stdout, approved.transcript).toContain("pavel approved this plan: reviewed with the board");
  const other = project.read("mint.plan").replace("A mint of ten", "A mint of ten thousand");
  project.write("other.plan", other);
  expect((await olga.run("run", "mint.yaml", "--plan", "other.plan")).code).toBe(2);
  expect(await service.commits()).toEqual([]);

  const run = await olga.json("run", "mint.yaml", "--plan", "mint.plan");
  expect(run.code, run.transcript).toBe(0);
  expect(run.data.reports[0]?.run).toMatchObject({
    confirmed: { who: "olga", how: "plan", approval: { who: "pavel", because: "reviewed with the board" } },
  });
});

test("an approval allows one run, and is kept if that run does not begin", async () => {
  const { project, service } = await protectedDesk();
  const [olga, pavel] = [by(project, "olga"), by(project, "pavel")];
  const run = ["run", "mint.yaml", "--plan", "mint.plan"];
  const approve = ["approve", "mint.plan", "--because", "ten"];
  const mints = async (): Promise<number> =>
    operationsOf(await service.commits()).filter((name) => name === "ledger.token.mint").length;
  expect((await olga.run("plan", "mint.yaml", "--out", "mint.plan")).code).toBe(0);
  for (const person of [pavel, by(project, "quinn")]) expect((await person.run(...approve)).code).toBe(0);

  const refusedByService = await olga.as({ ...olga.variables, LEDGER_KEY: "wrong" }).run(...run);
  expect([refusedByService.code, await mints()], refusedByService.transcript).toEqual([2, 0]);
  const first = await olga.run(...run);
  expect([first.code, await mints()], first.transcript).toEqual([0, 1]);
  for (const again of [run, [...run, "--yes"]]) {
    const ended = await olga.run(...again);
    expect([ended.code, ended.stderr], ended.transcript).toEqual([2, expect.stringContaining("or a run has used the approval")]);
  }
  expect((await pavel.run(...approve)).code).toBe(0);
  const killed = await olga.as({ ...olga.variables, TOKENBOOK_FAILPOINT: "before:run.opened" }).run(...run);
  expect([killed.code, await mints()], killed.transcript).toEqual([null, 1]);
  const keyed = [await olga.run(...run, "--key", "K8"), await olga.run(...run, "--key", "K8")];
  expect(keyed.map(({ code }) => code)).toEqual([0, 0]);
  expect((await olga.run(...run, "--key", "K9")).code).toBe(2);
  expect(await mints()).toBe(2);
});

test("an approval of several playbooks allows one run of each, beside each other too", async () => {
  const { project, service } = await protectedDesk();
  const files = Array.from({ length: 4 }, (_, at) => `mint-${at}.yaml`);
  for (const file of files) project.write(file, MINT.replace("name: Gold", `name: ${file}`));
  expect((await project.run("plan", ...files, "--out", "mints.plan")).code).toBe(0);
  expect((await by(project, "pavel").run("approve", "mints.plan", "--because", "four")).code).toBe(0);
  const run = ["run", ...files, "--plan", "mints.plan", "--jobs", "4"];
  const ended = await Promise.all([by(project, "olga").run(...run), by(project, "quinn").run(...run)]);
  const transcript = ended.map((each) => each.transcript).join("\n");
  expect(
    ended.filter(({ code }) => code === 0),
    transcript,
  ).toHaveLength(1);
  expect(operationsOf(await service.commits()).filter((name) => name === "ledger.token.mint")).toHaveLength(4);
});

test("a run begins by the approval that its record names, and by no later one", async () => {
  const { project, proxy, service } = await protectedDesk();
  const [olga, pavel] = [by(project, "olga"), by(project, "pavel")];
  expect((await olga.run("plan", "mint.yaml", "--out", "mint.plan")).code).toBe(0);
  expect((await pavel.run("approve", "mint.plan", "--because", "ten")).code).toBe(0);
  const { arrived, release } = holdNext(proxy, "GET /status", 1); // the first one compares the plan
  const early = olga.start("run", "mint.yaml", "--plan", "mint.plan");
  await reached(early, arrived);
  expect((await pavel.run("approve", "mint.plan", "--because", "ten, and no more")).code).toBe(0);
  release();
  const refused = await early.ended;
  expect([refused.code, refused.stderr], refused.transcript).toEqual([
    2,
    expect.stringContaining("the approval of the plan mint.plan by pavel was used or replaced"),
  ]);
  expect(await service.commits()).toEqual([]);
  const run = await olga.json("run", "mint.yaml", "--plan", "mint.plan");
  expect(run.code, run.transcript).toBe(0);
  expect(run.data.reports[0]?.run).toMatchObject({ confirmed: { approval: { who: "pavel", because: "ten, and no more" } } });
});

test("an edited playbook needs consent again, and one that is unchanged does not", async () => {
  const { project, service } = await protectedDesk();
  const killed = await project
    .as({ ...project.variables, TOKENBOOK_FAILPOINT: "before:attempt.intended@mint" })
    .run("run", "mint.yaml", "--yes");
  expect(killed.code, killed.transcript).toBeNull();
  project.write("mint.yaml", MINT.replace("value: 10 ", "value: 20 "));
  const refused = await project.run("resume");
  expect([refused.code, refused.stderr], refused.transcript).toEqual([2, expect.stringContaining("environment.protected")]);
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create"]);
  // A new run would repeat what is done, so the message proposes none.
  expect(refused.stderr).not.toContain("tokenbook run ");
  const [, proposed = ""] = /tokenbook (resume \S+ --yes)$/m.exec(refused.stderr) ?? [];
  project.write("mint.yaml", MINT);
  expect((await project.run("resume")).code).toBe(0);

  const again = await project
    .as({ ...project.variables, TOKENBOOK_FAILPOINT: "before:attempt.intended@mint" })
    .run("run", "mint.yaml", "--yes");
  project.write("mint.yaml", MINT.replace("value: 10 ", "value: 20 "));
  const [, id = ""] = /tokenbook resume (\S+) --yes$/m.exec((await project.run("resume")).stderr) ?? [];
  expect(proposed, again.transcript).toMatch(/^resume \S+ --yes$/);
  expect((await project.run("resume", id, "--yes")).code).toBe(0);
  expect((await service.commits()).at(-1)?.body).toMatchObject([{ value: 20 }]);
});

test("an edited plan file allows no run, even if it is approved or put in place later", async () => {
  const { project, service, proxy } = await protectedDesk();
  const [olga, pavel] = [by(project, "olga"), by(project, "pavel")];
  const looking = MINT.replace("steps:", "steps:\n  - { id: look, uses: ledger.token.list }");
  project.write("mint.yaml", looking);
  expect((await olga.run("plan", "mint.yaml", "--out", "mint.plan")).code).toBe(0);
  const honest = project.read("mint.plan");
  const refused = async (code: string): Promise<void> => {
    const ended = await olga.run("run", "mint.yaml", "--plan", "mint.plan");
    expect([ended.code, ended.stderr], ended.transcript).toEqual([2, expect.stringContaining(code)]);
    expect(await service.commits()).toEqual([]);
  };
  for (const [is, shown] of [
    ['"uses": "ledger.token.mint"', '"uses": "ledger.token.get"'],
    ['"actor": "alice"', '"actor": "bob"'],
    ['"name": "A mint of ten"', '"name": "A look"'],
    ['"ledgerTransactions": 2', '"ledgerTransactions": 0'],
  ] as const) {
    project.write("mint.plan", honest.replace(is, shown));
    expect(project.read("mint.plan"), is).not.toBe(honest);
    expect((await pavel.run("approve", "mint.plan", "--because", "harmless")).code).toBe(0);
    await refused("plan.outdated");
  }
  // The approved file replaces the other file after tokenbook has compared the other file.
  const approved = project.read("mint.plan");
  project.write("mint.plan", honest);
  void proxy.next("GET /token/all", async (passing) => {
    project.write("mint.plan", approved);
    passing.answer(await passing.forward());
  });
  await refused("plan.not-approved");
});

test("an approval does not cover an edit of the playbook, even if a run of the plan has begun", async () => {
  const { project, service } = await protectedDesk();
  const olga = by(project, "olga");
  const run = ["run", "mint.yaml", "--key", "K7", "--plan", "mint.plan"];
  expect((await olga.run("plan", "mint.yaml", "--out", "mint.plan")).code).toBe(0);
  expect((await by(project, "pavel").run("approve", "mint.plan", "--because", "ten")).code).toBe(0);
  const killed = await olga.as({ ...olga.variables, TOKENBOOK_FAILPOINT: "before:attempt.intended@mint" }).run(...run);
  expect(killed.code, killed.transcript).toBeNull();
  project.write("mint.yaml", MINT.replace("value: 10 ", "value: 2000 "));
  const edited = await olga.run(...run);
  expect([edited.code, edited.stderr], edited.transcript).toEqual([2, expect.stringContaining("plan.other-playbook")]);
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create"]);
  project.write("mint.yaml", MINT);
  const passed = await olga.run(...run);
  expect(passed.code, passed.transcript).toBe(0);
  expect((await service.commits()).at(-1)?.body).toMatchObject([{ value: 10 }]);
});

test("a message that asks for an approved plan has commands with everything that the user typed", async () => {
  const { project, service } = await protectedDesk();
  const typed = MINT.replace("steps:", "inputs: { amount: { type: decimal, default: 1 } }\nsteps:").replace(
    "value: 10 ",
    'value: "${{ inputs.amount }}" ',
  );
  project.write("mint.yaml", typed);
  const refused = await project.run("run", "mint.yaml", "--input", "amount=7.50", "--key", "K7");
  const commands = [...refused.stderr.matchAll(/tokenbook ((?:plan|run) .*)$/gm)].map(([, words = ""]) => words.split(" "));
  expect(commands, refused.transcript).toHaveLength(2);
  const [plan = [], run = []] = commands;
  expect((await by(project, "olga").run(...plan)).code).toBe(0);
  expect((await by(project, "pavel").run("approve", "approved.plan", "--because", "reviewed")).code).toBe(0);
  const passed = await by(project, "olga").run(...run);
  expect(passed.code, passed.transcript).toBe(0);
  expect((await service.commits()).at(-1)?.body).toMatchObject([{ value: 7.5 }]);
});

test("approve refuses the placeholder TEXT as a reason", async () => {
  const { project } = await protectedDesk();
  await project.run("plan", "mint.yaml", "--out", "mint.plan");
  const pasted = await project.run("approve", "mint.plan", "--because", "TEXT");
  expect([pasted.code, pasted.stderr], pasted.transcript).toEqual([
    2,
    expect.stringContaining("write your own words in place of TEXT"),
  ]);
});

test("scheduled runs write there with --yes only", async () => {
  const { project } = await protectedDesk();
  const refused = await project.run("schedule", "--once", "mint.yaml");
  expect(refused.code, refused.transcript).toBe(2);
  expect(refused.transcript).toContain("is protected");
  const fired = await project.run("schedule", "--once", "--yes", "mint.yaml");
  expect(fired.code, fired.transcript).toBe(0);
});

test.for([
  ["here", 0],
  ["yes", 2],
] as const)("on a terminal the plan is shown, and the answer %s ends with %d", async ([answer, code]) => {
  const { project } = await protectedDesk();
  const line = `${IN_SHELL} run mint.yaml`;
  const ended = await launch(["-o", "pipefail", "-c", `echo ${answer} | script -qec ${JSON.stringify(line)} typescript`], {
    cwd: project.folder,
    program: "bash",
    variables: project.variables,
  }).ended;
  const seen = readFileSync(`${project.folder}/typescript`, "utf8");
  expect(seen, ended.transcript).toContain("The environment here is protected. Type its name to write there:");
  expect(seen).toContain("will create");
  expect(ended.code, ended.transcript).toBe(code);
});
