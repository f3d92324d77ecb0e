// What a debugger shows of a run, and that it does not change the run. The adapter runs in this process; the service is a sandbox over TCP.
import { expect, test } from "vitest";
import { cutAnswer, proxyTo } from "../stories/proxy.ts";
import { MINT_ONCE, operationsOf, tokenWith } from "../stories/world.ts";
import { Debugging, served } from "./debugging.ts";

function lineOf(text: string, words: string): number {
  return text.slice(0, text.indexOf(words)).split("\n").length;
}

const MINT = lineOf(MINT_ONCE, "- id: mint");
const MINTED = ["ledger.token.create", "ledger.token.mint"];

test("the debugger stops before a write with its input and after it with its answer, and changes neither", async () => {
  const { project, service } = await served({ "mint.yaml": MINT_ONCE });
  const session = Debugging.here(project);
  // A breakpoint inside a step moves to the step's first line. A breakpoint outside all steps says why it stops nothing.
  const [placed, none] = await session.begin({ playbook: session.path("mint.yaml") }, { "mint.yaml": [MINT + 2, 2] });
  expect(placed).toMatchObject({ verified: true, line: MINT });
  expect(none).toMatchObject({ verified: false, message: "there is no step on this line: a run stops at steps and checks" });
  expect(await session.stopped()).toMatchObject({
    reason: "breakpoint",
    description: "before mint",
    frames: [
      { name: "mint  ledger.token.mint  (before)", line: MINT, path: session.path("mint.yaml") },
      { name: "Mint once", line: 1 },
    ],
  });
  const before = await session.values();
  // Numbers keep all the digits with which they were written.
  expect(before["Input"]).toMatchObject({ value: "10.00", to: { userId: '"alice"' } });
  expect(before).not.toHaveProperty("Answer");
  expect(before["Steps"]).toMatchObject({ token: { outcome: '"changed"', receipt: { status: '"COMMITTED"' } } });
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create"]);
  await session.go();
  expect(await session.stopped()).toMatchObject({ reason: "breakpoint", description: "after mint" });
  expect(operationsOf(await service.commits())).toEqual(MINTED);
  const after = await session.values();
  expect(after["Input"]).toEqual(before["Input"]);
  expect(after["Answer"]).toMatchObject({ attempt: "1", answer: { meaning: '"acknowledged"', status: "200" } });
  await session.go();
  const { exitCode, printed } = await session.ended();
  expect(exitCode, printed).toBe(0);
  // The run has the same name as on the command line.
  expect(printed).toContain("▶ Mint once  (mint.yaml)  environment here");
  expect(printed).toContain("✓ passed  Mint once: 3 steps: 2 changed, 1 ok");
  expect(operationsOf(await service.commits())).toEqual(MINTED);
  expect(await session.disconnect()).toBe(0);
});

test("the debugger shows the reads of the probe after a lost answer", async () => {
  const { project, service } = await served({ "mint.yaml": MINT_ONCE });
  const proxy = await proxyTo(service.url);
  project.serviceAt(proxy.url);
  void proxy.next("POST /token/mint", cutAnswer);
  const session = Debugging.here(project);
  await session.begin({ playbook: "mint.yaml", stopAtLine: MINT });
  expect(await session.stopped()).toMatchObject({ reason: "entry", description: "before mint" });
  await session.go("next");
  expect(await session.stopped()).toMatchObject({ reason: "step", description: "after mint" });
  expect((await session.values())["Answer"]).toMatchObject({ answer: { meaning: '"ambiguous"', status: "null" } });
  await session.go("next");
  expect(await session.stopped()).toMatchObject({ reason: "step", description: "after mint" });
  expect((await session.values())["Answer"]).toMatchObject({ probe: { verdict: '"applied"' } });
  await session.go("next");
  expect(await session.stopped()).toMatchObject({ description: "before after" });
  await session.go();
  expect(await session.ended()).toMatchObject({ exitCode: 0 });
  expect(operationsOf(await service.commits())).toEqual(MINTED);
});

const PART = `playbook: 1
name: Mint a part
inputs: { token: { type: string }, much: { type: decimal } }
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - id: mint
    uses: ledger.token.mint
    with: { id: "\${{ inputs.token }}", to: "\${{ actors.issuer }}", value: "\${{ inputs.much }}" }
`;

const NESTED = `playbook: 1
name: Mint in parts
inputs: { parts: { type: list, items: { type: decimal } } }
env: { REGION: ~ }
secrets: { signing: env:SIGNING }
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - { id: token, uses: ledger.token.create, with: ${tokenWith("Parts")} }
  - id: parts
    foreach: { part: "\${{ inputs.parts }}", key: string(part), parallel: 2 }
    block:
      - id: mint
        uses: ./part.yaml
        with: { token: Parts, much: "\${{ part }}" }
  - id: never
    if: inputs.parts.size() == 9
    uses: ledger.status
  - { id: supply, uses: ledger.token.get, with: { id: Parts }, expect: [response.totalSupply == 3.75] }
`;

const PARTS = { "nested.yaml": NESTED, "part.yaml": PART };
const INPUTS = { parts: "[1.50, 2.25]" };

test("the call stack has loops, blocks and included playbooks, each with its own values, and masks secrets", async () => {
  const { project, service } = await served(PARTS);
  const session = Debugging.here(project);
  const line = lineOf(PART, "- id: mint");
  await session.begin(
    { playbook: "nested.yaml", inputs: INPUTS },
    { "part.yaml": [line], "nested.yaml": [lineOf(NESTED, "- id: never")] },
  );
  const first = await session.stopped();
  // Two rounds run in parallel, so either may be first.
  const [key, other] = first.description?.includes("1.50") === true ? ["1.50", "2.25"] : ["2.25", "1.50"];
  expect(first.description).toBe(`before mint[${key}]/mint`);
  expect(first.frames).toMatchObject([
    { name: "mint  ledger.token.mint  (before)", line, path: session.path("part.yaml") },
    { name: `mint[${key}]  ./part.yaml`, line: lineOf(NESTED, "- id: mint"), path: session.path("nested.yaml") },
    { name: `parts[${key}]  block`, line: lineOf(NESTED, "- id: parts") },
    { name: "Mint in parts", line: 1 },
  ]);
  expect(await session.values(1)).toMatchObject({ Inputs: { token: '"Parts"', much: key } });
  const outer = await session.values(2);
  expect(outer).toMatchObject({
    Inputs: { parts: { "[0]": "1.50", "[1]": "2.25" } },
    Rounds: { part: key },
    Environment: { env: { REGION: '"c4nary-region"' }, secrets: { signing: '"${{ secrets.signing }}"' } },
  });
  expect(JSON.stringify([await session.values(1), outer, await session.values(3)])).not.toContain("c4nary-signing");
  // The debugger also holds the other round of the parallel loop, and shows it next.
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create"]);
  const seen: (string | undefined)[] = [];
  for (let stops = 0; stops < 3; stops++) {
    await session.go();
    seen.push((await session.stopped()).description);
  }
  expect(new Set(seen)).toEqual(new Set([`after mint[${key}]/mint`, `after mint[${other}]/mint`, `before mint[${other}]/mint`]));
  await session.go();
  const { exitCode, printed } = await session.ended();
  expect(exitCode, printed).toBe(0);
  expect(printed).not.toContain("c4nary-signing");
});

test("`next` steps over a block, `stepIn` enters it, `stepOut` leaves it, and `pause` stops at the next moment", async () => {
  const { project } = await served(PARTS);
  const session = Debugging.here(project);
  await session.begin({ playbook: "nested.yaml", inputs: { parts: "[1.50]" }, stopOnEntry: true });
  const stops: (string | undefined)[] = [];
  for (const how of ["next", "next", "stepIn", "stepIn", "stepOut", undefined] as const) {
    const { reason, description } = await session.stopped();
    stops.push(`${reason} ${description}`);
    if (how !== undefined) await session.go(how);
  }
  expect(stops).toEqual([
    "entry before token",
    "step after token",
    "step before parts[1.50]",
    "step before mint[1.50]",
    "step before mint[1.50]/mint",
    "step before supply",
  ]);
  await session.send("pause", { threadId: 1 });
  await session.go();
  expect(await session.stopped()).toMatchObject({ reason: "pause", description: "after supply" });
  expect((await session.values())["Answer"]).toMatchObject({ outcome: '"failed"' });
  expect(await session.disconnect()).toBe(130);
});

test("the debugger cannot edit, repeat or skip a step, and refuses a wrong launch with a reason", async () => {
  const { project, service } = await served({ "mint.yaml": MINT_ONCE, "notes.yaml": "a: 1\n" });
  const session = Debugging.here(project);
  const initialized = await session.send("initialize", { adapterID: "tokenbook" });
  expect(
    Object.entries(initialized.body ?? {}).filter(([name, value]) => value === true && /set|goto|back|restart/i.test(name)),
  ).toEqual([]);
  for (const command of [
    "setVariable",
    "setExpression",
    "restartFrame",
    "goto",
    "gotoTargets",
    "stepBack",
    "reverseContinue",
    "restart",
    "evaluate",
    "attach",
    "constructor",
  ])
    await expect(session.send(command, {}), command).rejects.toThrow(/repeats, skips and changes nothing/);
  const launches: readonly (readonly [object, RegExp])[] = [
    [{}, /either a playbook or a run/],
    [{ playbook: "mint.yaml", resume: "latest" }, /either a playbook or a run/],
    [{ playbook: "mint.yaml", inputs: { much: 10.5 } }, /written as a text, so that its digits stay/],
    [{ playbook: "mint.yaml", stopAtLine: 1 }, /no step on this line/],
    [{ playbook: "notes.yaml", stopAtLine: 1 }, /notes\.yaml is no playbook/],
    [{ playbook: "none.yaml", stopAtLine: 1 }, /none\.yaml/],
  ];
  for (const [given, why] of launches) await expect(session.send("launch", given as never)).rejects.toThrow(why);
  await session.send("launch", { playbook: "none.yaml" } as never);
  await session.send("configurationDone");
  const { exitCode, printed } = await session.ended();
  expect([exitCode, printed]).toEqual([2, expect.stringContaining("none.yaml")]);
  expect(await service.commits()).toEqual([]);
});

test("the debugger stops at a failed step with the reason, interrupts the run when its session ends, and can resume it", async () => {
  const wrong = MINT_ONCE.replace("response.totalSupply == 10", "response.totalSupply == 11");
  const { project, service } = await served({ "mint.yaml": wrong });
  const failing = Debugging.here(project);
  await failing.begin({ playbook: "mint.yaml" }, {}, ["failures"]);
  const { reason, description, text } = await failing.stopped();
  expect([reason, description]).toEqual(["exception", "after after"]);
  expect(text).toContain("response.totalSupply == 11");
  expect((await failing.values())["Answer"]).toMatchObject({ outcome: '"failed"' });
  await failing.go();
  expect(await failing.ended()).toMatchObject({ exitCode: 1 });

  project.write("mint.yaml", MINT_ONCE);
  const resumed = Debugging.here(project);
  await resumed.begin({ resume: "latest" }, { "mint.yaml": [MINT, MINT_ONCE.split("\n").length - 4] });
  expect(await resumed.stopped()).toMatchObject({ description: "before after" });
  const left = resumed.disconnect();
  expect(await resumed.ended()).toMatchObject({ exitCode: 130 });
  expect(await left).toBe(130);

  const last = Debugging.here(project);
  await last.begin({ resume: "latest", noDebug: true }, { "mint.yaml": [MINT] });
  expect(await last.ended()).toMatchObject({ exitCode: 0 });
  expect(operationsOf(await service.commits())).toEqual(MINTED);
  // A test explorer receives an event for each step, also for steps done earlier.
  const steps = last.events.filter(({ event }) => event === "tokenbook.step").map(({ body }) => body as object);
  expect(steps.slice(-2)).toMatchObject([
    { state: "started", address: "after", step: "after" },
    { state: "ended", address: "after", outcome: "ok" },
  ]);
});

test("a debugger needs consent for a protected environment, as any run does", async () => {
  const { project, service } = await served({ "mint.yaml": MINT_ONCE });
  project.write("tokenbook.yaml", `${project.read("tokenbook.yaml")}    protected: true\n`);
  const refused = Debugging.here(project);
  await refused.begin({ playbook: "mint.yaml" });
  expect(await refused.ended()).toMatchObject({ exitCode: 2, printed: expect.stringContaining("is protected") as string });
  expect(await service.commits()).toEqual([]);
  const consented = Debugging.here(project);
  await consented.begin({ playbook: "mint.yaml", yes: true });
  expect(await consented.ended()).toMatchObject({ exitCode: 0 });
});

test("without a chosen environment, only the embedded sandbox is allowed", async () => {
  const { project, service } = await served({ "mint.yaml": MINT_ONCE });
  for (const environment of [{}, { environment: "here" }, { environment: "sandbox" }]) {
    const refused = Debugging.here(project);
    await refused.begin({ playbook: "mint.yaml", embeddedOnly: true, ...environment });
    expect(await refused.ended()).toMatchObject({ exitCode: 2, printed: expect.stringContaining("not-embedded") as string });
  }
  expect(await service.commits()).toEqual([]);
  project.write("tokenbook.yaml", "environments: { sandbox: embedded }\n");
  const sandbox = Debugging.here(project);
  await sandbox.begin({ playbook: "mint.yaml", embeddedOnly: true, environment: "sandbox" });
  expect(await sandbox.ended()).toMatchObject({ exitCode: 0 });
});

test("no process stays after an editor ends the run, or sends bytes outside the protocol", async () => {
  const { project, service } = await served({ "mint.yaml": MINT_ONCE });
  const session = Debugging.here(project);
  await session.begin({ playbook: "mint.yaml" }, { "mint.yaml": [MINT] });
  await session.stopped();
  await session.send("terminate", {});
  expect(await session.ended()).toMatchObject({ exitCode: 130 });
  expect(await session.disconnect()).toBe(130);
  const broken = Debugging.here(project);
  await broken.begin({ resume: "latest" }, { "mint.yaml": [MINT] });
  await broken.stopped();
  broken.write("Content-Length: 5\r\n\r\n{oops");
  expect(await broken.left).toBe(130);
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create"]);
});
