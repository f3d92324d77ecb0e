import { expect, test } from "vitest";
import { proxyTo } from "./proxy.ts";
import { lineOf, newProject, operationsOf, runIn, servedSandbox, stepIn, tokenWith } from "./world.ts";

const HEAD = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
`;

const RESCUED = `${HEAD}name: Mint as much as may be
steps:
  - id: minting
    name: Mint
    block:
      - { id: token, uses: ledger.token.create, with: ${tokenWith("Rescued", 10)} }
      - { id: much, uses: ledger.token.mint, with: { id: Rescued, to: "\${{ actors.issuer }}", value: 11 } }
      - { id: more, uses: ledger.status }
    rescue:
      - { id: less, uses: ledger.token.mint, with: { id: Rescued, to: "\${{ actors.issuer }}", value: 10 } }
    always:
      - { id: supply, uses: ledger.token.get, with: { id: Rescued }, expect: [response.totalSupply == 10] }
  - { id: after, uses: ledger.status, if: steps.minting.outcome == "rescued" }
`;

test("a rescued block lets its run pass, and the output and the JUnit report show the rescue", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("rescued.yaml", RESCUED);
  const run = await project.run("run", "rescued.yaml", "--report", "junit=junit.xml");
  expect(run.code, run.transcript).toBe(0);
  expect(run.lines.slice(1).map((line) => line.split(/ {2}tx | {2}[\d.]+ m?s/)[0])).toEqual([
    "▸ minting  Mint  block",
    "  ✓ changed  token  Create tokens  ledger.token.create  as issuer (userId:alice)",
    "  ✗ failed   much  Mint tokens to entities  ledger.token.mint  as issuer (userId:alice)",
    "      service.refused: HTTP 422: 11 minted would exceed the 10 of the token Rescued",
    "  ✓ changed  less  Mint tokens to entities  ledger.token.mint  as issuer (userId:alice)",
    "  ✓ ok       supply  Get one token  ledger.token.get  as issuer (userId:alice)",
    "      ✓ expect response.totalSupply == 10  (10)",
    "! rescued  minting  Mint  block",
    "✓ ok       after  Check that the service answers  ledger.status  as issuer (userId:alice)",
    expect.stringMatching(/^✓ passed {2}Mint as much as may be: 6 steps: 2 changed, 2 ok, 1 rescued, 1 not run in /),
  ]);
  const junit = project.read("junit.xml");
  expect(junit, junit).toContain('tests="6" failures="0" errors="0" skipped="2"');
  expect(junit, junit).toContain('<skipped message="rescued: service.refused: HTTP 422: 11 minted would exceed');
  expect(operationsOf(await world.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);

  const { data } = await project.json("runs", "show", runIn(run));
  const rows = data.reports[0]?.steps.map(({ step, outcome, depth }) => `${"  ".repeat(depth)}${step} ${outcome}`);
  expect(rows).toEqual([
    "minting rescued",
    "  token changed",
    "  much rescued",
    "  more not-run",
    "  less changed",
    "  supply ok",
    "after ok",
  ]);
});

const GET = "uses: ledger.asset.get, with: { assetType: Property, id: none }";
const INSIDE = `${HEAD}name: Look within
steps:
  - id: each
    foreach: { town: [Faro, Porto], key: town }
    block:
      - id: try
        block:
          - { id: inner, block: [{ id: part, uses: ./part.yaml }] }
          - { id: never, uses: ledger.status }
        rescue: [{ id: instead, uses: ledger.status }]
      - id: together
        block:
          - { id: house, foreach: { at: [1, 2, 3], key: string(at), parallel: 3 }, ${GET} }
        rescue: [{ id: rather, uses: ledger.status }]
`;

test("a rescue covers every step between the failure and the rescued block, and the rounds that failed beside it", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("part.yaml", `${HEAD}name: Part\nsteps: [{ id: look, ${GET} }]\n`);
  project.write("inside.yaml", INSIDE);
  const run = await project.run("run", "inside.yaml", "--report", "junit=junit.xml");
  expect(run.code, run.transcript).toBe(0);
  expect(project.read("junit.xml")).toContain('failures="0" errors="0"');
  const { data } = await project.json("runs", "show", runIn(run));
  const outcomes = Object.fromEntries(data.reports[0]?.steps.map(({ step, outcome }) => [step, outcome]) ?? []);
  const town = (name: string): object => ({
    [`try[${name}]`]: "rescued",
    [`inner[${name}]`]: "rescued",
    [`part[${name}]`]: "rescued",
    [`part[${name}]/look`]: "rescued",
    [`instead[${name}]`]: "ok",
    [`together[${name}]`]: "rescued",
    [`house[${name}][1]`]: "rescued",
    [`house[${name}][2]`]: "rescued",
    [`house[${name}][3]`]: "rescued",
    [`rather[${name}]`]: "ok",
  });
  expect(outcomes).toMatchObject({ ...town("Faro"), ...town("Porto") });
});

const NO_ROUNDS = `${HEAD}name: Nobody is asked
inputs: { ask: { type: boolean, default: false } }
steps:
  - id: towns
    if: inputs.ask
    foreach: { town: [Faro, Porto], key: town }
    uses: ledger.asset.get
    with: { assetType: Property, id: "\${{ town }}" }
  - id: houses
    if: inputs.ask
    foreach: { house: [1, 2], key: house }
    block: [{ id: house, uses: ledger.status }]
  - id: first
    uses: ledger.asset.stats
    expect: [size(steps.towns) == 0, size(steps.houses) == 0, "steps.towns.map(k, steps.towns[k].response.id) == []"]
  - { id: late, ${GET} }
outputs: { towns: "\${{ steps.towns.map(k, steps.towns[k].outcome) }}" }
`;

test("a foreach whose condition is false has no rounds, and stays skipped when the run is resumed", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("rounds.yaml", NO_ROUNDS);
  const run = await project.run("run", "rounds.yaml");
  expect(run.code, run.transcript).toBe(1);
  expect(run.lines.join("\n"), run.transcript).toMatch(/skipped +towns[^]*skipped +houses[^]*✓ ok +first[^]*✗ failed +late/);
  const resumed = await project.run("resume", runIn(run));
  expect(resumed.code, resumed.transcript).toBe(1);
  const { data } = await project.json("runs", "show", runIn(run));
  const outcomes = Object.fromEntries(data.reports[0]?.steps.map(({ step, outcome }) => [step, outcome]) ?? []);
  expect(outcomes).toEqual({ towns: "skipped", houses: "skipped", house: "not-run", first: "ok", late: "failed" });
});

const ALWAYS = `${HEAD}name: Look, and leave a note
steps:
  - id: looking
    block:
      - { id: house, uses: ledger.asset.get, with: { assetType: Property, id: Mill3 } }
    always:
      - { id: note, uses: ledger.asset.create, with: { assetType: Document, data: { id: Note1 } } }
  - { id: after, uses: ledger.status }
`;

test("the steps of `always` run after a failure, and do not run again when the failed step is resumed", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("always.yaml", ALWAYS);
  const run = await project.run("run", "always.yaml", "--report", "junit=junit.xml");
  expect(run.code, run.transcript).toBe(1);
  expect(run.lines.slice(1).map((line) => line.split(/ {2}tx | {2}[\d.]+ m?s/)[0])).toEqual([
    "▸ looking  block",
    "  ✗ failed   house  Get one asset  ledger.asset.get  as issuer (userId:alice)",
    "      service.refused: HTTP 404: there is no Property with the id Mill3",
    "  ✓ changed  note  Create assets  ledger.asset.create  as issuer (userId:alice)",
    "✗ failed   looking  block",
    "    block.failed: house failed (service.refused); `always` has run",
    expect.stringMatching(/^✗ failed {2}Look, and leave a note: 3 steps: 1 changed, 1 failed, 1 not run in /),
    expect.stringMatching(/^ {4}to continue: tokenbook resume /),
  ]);
  expect(project.read("junit.xml")).toContain('tests="3" failures="1" errors="0" skipped="1"');

  await world.call("POST /asset", "userId:alice", { assetType: "Property", data: { id: "Mill3" } });
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(resumed.stdout, resumed.transcript).toMatch(lineOf("✓ ok", "house"));
  expect(resumed.stdout, resumed.transcript).not.toMatch(/ {2}note {2}/);
  expect(resumed.stdout, resumed.transcript).toContain("! note is not done again: it sent a write when its `always` ran before");
  expect(operationsOf(await world.commits())).toEqual(["ledger.asset.create", "ledger.asset.create"]);
});

const CLEANED = `${HEAD}name: Mint, and clean up
inputs: { supply: { type: decimal, default: "5" } }
steps:
  - { id: token, uses: ledger.token.create, with: ${tokenWith("Clean")} }
  - id: minting
    block:
      - { id: look, uses: ledger.asset.get, with: { assetType: Property, id: Mill3 } }
      - { id: mint, uses: ledger.token.mint, with: { id: Clean, to: "\${{ actors.issuer }}", value: 10 } }
    always:
      - { id: seen, uses: ledger.token.get, with: { id: Clean } }
      - id: each
        foreach: { at: "\${{ steps.seen.response.totalSupply == 10 ? [1, 2] : [1] }}", key: string(at) }
        uses: ledger.token.get
        with: { id: Clean }
      - { id: clean, if: steps.mint.outcome == "changed", uses: ledger.token.burn, with: { id: Clean, from: "\${{ actors.issuer }}", value: 10 } }
  - { id: after, uses: ledger.token.get, with: { id: Clean }, expect: [response.totalSupply == inputs.supply] }
outputs: { seen: "\${{ steps.seen.response.totalSupply }}", rounds: "\${{ size(steps.each) }}", clean: "\${{ steps.clean.outcome }}" }
`;

test("a second end of a block repeats the reads and skipped steps of `always`, but no write that it sent", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("clean.yaml", CLEANED);
  const run = await project.run("run", "clean.yaml");
  expect(run.code, run.transcript).toBe(1);
  expect(run.stdout, run.transcript).toMatch(/skipped +clean /);

  await world.call("POST /asset", "userId:alice", { assetType: "Property", data: { id: "Mill3" } });
  // A step fails after the block has ended for the second time. The third try finds the block complete.
  const failed = await project.run("resume");
  expect(failed.code, failed.transcript).toBe(1);
  expect(failed.stdout, failed.transcript).toMatch(lineOf("✓ changed", "clean"));
  expect(failed.stdout, failed.transcript).toMatch(lineOf("✗ failed", "after"));
  project.write("clean.yaml", CLEANED.replace("totalSupply == inputs.supply", "totalSupply == 0"));
  const passed = await project.json("resume");
  expect(passed.code, passed.transcript).toBe(0);
  expect(passed.data.reports[0]?.run.outputs).toEqual({ seen: 10, rounds: 2, clean: "changed" });
  const minted = operationsOf(await world.commits()).filter((operation) => /mint|burn/.test(operation));
  expect(minted).toEqual(["ledger.token.mint", "ledger.token.burn"]);
});

const TWICE = `${HEAD}name: Fail twice
steps:
  - id: outer
    block:
      - id: looking
        block:
          - { id: house, uses: ledger.asset.get, with: { assetType: Property, id: Mill3 } }
        always:
          - { id: note, uses: ledger.asset.create, with: { assetType: Document, data: { id: Note1 } } }
          - { id: status, uses: ledger.status }
    always:
      - { id: stats, uses: ledger.asset.stats }
`;

test("each resumption that fails again runs `always` again, in blocks within blocks too, and sends no write of it twice", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("twice.yaml", TWICE);
  for (const args of [["run", "twice.yaml"], ["resume"], ["resume"]]) {
    const run = await project.run(...args);
    expect(run.code, run.transcript).toBe(1);
    expect(run.stdout, run.transcript).toMatch(lineOf("✓ ok", "status"));
    expect(run.stdout, run.transcript).toMatch(lineOf("✓ ok", "stats"));
  }
  expect(operationsOf(await world.commits())).toEqual(["ledger.asset.create"]);
});

const RETRIED = `${HEAD}name: Look until it can be seen
mode: read-only
steps:
  - id: looking
    retry: { attempts: 3, every: 10ms }
    block:
      - { id: status, uses: ledger.status }
      - { id: stats, uses: ledger.asset.stats }
  - { id: after, uses: ledger.status }
`;

test("a block of reads passes when its third try passes", async () => {
  // A read outside a block asks a failing service four times.
  const world = await servedSandbox({ faults: [{ operation: "ledger.asset.stats", times: 8, fault: { status: 503 } }] });
  const project = newProject();
  project.serviceAt(world.url);
  project.write("retried.yaml", RETRIED);
  const run = await project.run("run", "retried.yaml");
  expect(run.code, run.transcript).toBe(0);
  const outcomes = run.lines.flatMap((line) => /^ +. (\w+) +(status|stats|looking) /.exec(line)?.slice(1, 3).join(" ") ?? []);
  expect(outcomes, run.transcript).toEqual(["ok status", "failed stats", "ok status", "failed stats", "ok status", "ok stats"]);
  expect(run.stdout, run.transcript).toMatch(lineOf("✓ ok", "looking"));
  expect(run.stdout, run.transcript).toMatch(/: 3 steps: 3 ok in /);

  const { data } = await project.json("runs", "show", runIn(run));
  expect(stepIn(data, "stats").problem).toBeNull();
});

test("a block of reads that fails each time fails the run", async () => {
  const world = await servedSandbox({ faults: [{ operation: "ledger.asset.stats", fault: { status: 503 } }] });
  const project = newProject();
  project.serviceAt(world.url);
  project.write("retried.yaml", RETRIED.replace("attempts: 3", "attempts: 2"));
  const run = await project.run("run", "retried.yaml");
  expect(run.code, run.transcript).toBe(1);
  expect(run.lines.filter((line) => /✗ failed +stats/.test(line))).toHaveLength(2);
  expect(run.stdout, run.transcript).toMatch(/: 3 steps: 1 ok, 1 failed, 1 not run in /);
});

const PART = `playbook: 1
mode: read-only
inputs: { supply: { type: decimal }, town: { type: string } }
steps:
  - { id: look, uses: ledger.status, expect: [inputs.supply == 10] }
outputs: { supply: "\${{ inputs.supply }}", town: "\${{ inputs.town }}" }
`;

const OUTER = `playbook: 1
mode: read-only
inputs: { supply: { type: decimal } }
steps:
  - id: each
    foreach: { town: [Faro, Porto], key: town }
    uses: ./part.yaml
    with: { supply: "\${{ inputs.supply }}", town: "\${{ town }}" }
outputs: { supply: "\${{ inputs.supply }}", inner: "\${{ steps.each['Porto'].outputs.supply }}" }
`;

const INCLUDED = `${HEAD}name: Look again with what is there now
mode: read-only
steps:
  - id: looking
    retry: { attempts: 2, every: 10ms }
    block:
      - { id: token, uses: ledger.token.get, with: { id: Gold } }
      - { id: part, uses: ./outer.yaml, with: { supply: "\${{ steps.token.response.totalSupply }}" } }
outputs: { supply: "\${{ steps.part.outputs.supply }}", inner: "\${{ steps.part.outputs.inner }}" }
`;

test("a playbook in a block that is tried again gets the inputs of this try, at each depth", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("part.yaml", PART);
  project.write("outer.yaml", OUTER);
  project.write("included.yaml", INCLUDED);
  const body = { id: "Gold", name: "Gold", symbol: "GLD", behaviour: { decimal: 2, maxMintQuantity: 100, transferable: true } };
  await world.call("POST /token", "userId:alice", [body]);
  const mint = { id: "Gold", to: { orgId: "org1", userId: "alice" }, value: 10 };
  void proxy.next("GET /token", async (passing) => {
    const before = await passing.forward();
    await world.call("POST /token/mint", "userId:alice", [mint]);
    passing.answer(before);
  });
  const run = await project.run("run", "included.yaml");
  expect(run.code, run.transcript).toBe(0);
  expect(
    run.lines.filter((line) => /✗ failed +part.*look /.test(line)),
    run.transcript,
  ).toHaveLength(1);
  const { data } = await project.json("runs", "show", runIn(run));
  expect(data.reports[0]?.run.outputs).toEqual({ supply: 10, inner: 10 });
});

const STOPPED = `${HEAD}name: Look, and say how it ended
inputs: { supply: { type: decimal, default: "5" } }
steps:
  - { id: token, uses: ledger.token.create, with: ${tokenWith("Seen")} }
  - id: looking
    block:
      - { id: look, uses: ledger.token.get, with: { id: Seen }, until: response.totalSupply == 5, timeout: 10ms, on_timeout: pending }
    rescue:
      - { id: failed, if: steps.look.outcome == "failed", uses: ledger.asset.create, with: { assetType: Document, data: { id: Note1 } } }
      - { id: wait, uses: ledger.token.get, with: { id: Seen }, until: response.totalSupply == 5, timeout: 10ms, on_timeout: pending }
      - { id: still, uses: ledger.status, expect: [steps.look.outcome == "failed"] }
`;

test("a rescue sees how a step stopped last, not how it stopped before a resume, and still sees it when it is resumed itself", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write("seen.yaml", STOPPED);
  const pending = await project.run("run", "seen.yaml");
  expect(pending.code, pending.transcript).toBe(4);
  project.write("seen.yaml", STOPPED.replace("on_timeout: pending", "on_timeout: fail"));
  const rescued = await project.run("resume");
  expect(rescued.code, rescued.transcript).toBe(4);
  expect(rescued.stdout, rescued.transcript).toMatch(lineOf("✓ changed", "failed"));
  await world.call("POST /token/mint", "userId:alice", [{ id: "Seen", to: { orgId: "org1", userId: "alice" }, value: 5 }]);
  const passed = await project.run("resume");
  expect(passed.code, passed.transcript).toBe(0);
  expect(passed.stdout, passed.transcript).toMatch(lineOf("✓ ok", "still"));
});

const UNEXPANDED = `${HEAD}name: Rounds of a list that is corrected
steps:
  - id: block
    block:
      - id: flats
        foreach: { flat: [A, A], key: flat }
        uses: ledger.asset.create
        with: { assetType: Property, data: { id: "\${{ flat }}" } }
      - { id: all, uses: ledger.status, expect: [size(steps.flats) == 2, "steps.flats.all(k, steps.flats[k].outcome == 'changed')"] }
`;

test.for(["in a block", "in no block"])(
  "a foreach %s whose list failed at first has exactly the rounds of the corrected list",
  async (where) => {
    const world = await servedSandbox();
    const project = newProject();
    project.serviceAt(world.url);
    const written = UNEXPANDED.replace("[A, A]", "\"${{ run.key == run.id ? ['A'] : ['A', 'A'] }}\"");
    const text =
      where === "in a block" ? written : written.replace("  - id: block\n    block:\n", "").replaceAll(/^ {6}/gm, "  ");
    project.write("flats.yaml", text);
    const failed = await project.run("run", "flats.yaml");
    expect(failed.code, failed.transcript).toBe(1);
    expect(failed.stdout, failed.transcript).toContain("foreach.same-key");
    project.write("flats.yaml", text.replace("['A', 'A']", "['A', 'B']"));
    const passed = await project.run("resume");
    expect(passed.code, passed.transcript).toBe(0);
    expect(passed.stdout, passed.transcript).toMatch(/: 3 steps: 2 changed, 1 ok in /);
  },
);
