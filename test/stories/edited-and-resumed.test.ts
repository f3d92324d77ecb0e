import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { desk, type Desk } from "./desk.ts";
import { cutAnswer } from "./proxy.ts";
import { MINT_ONCE, operationsOf, runIn, tokenWith } from "./world.ts";

const OUTER = `playbook: 1
name: Before the edit
inputs:
  amount: { type: decimal, default: "10.00" }
actors:
  issuer: { ledger: "userId:alice" }
defaults: { as: issuer }
steps:
  - id: token
    uses: ledger.token.create
    with: ${tokenWith("T")}
  - id: mint
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "\${{ inputs.amount }}" }
  - id: look
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
  - id: large
    if: inputs.amount > 100
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
  - id: homes
    foreach: { home: [Loft, Barn], key: home }
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "\${{ home }}" } }
  - id: town
    uses: ./inner.yaml
    with: { city: Lisbon }
  - id: supply
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
    expect: [response.totalSupply == 11]
`;
const INNER = `playbook: 1
name: Record one
inputs: { city: { type: string } }
actors:
  clerk: { ledger: "userId:bob" }
steps:
  - id: asset
    uses: ledger.asset.create
    as: clerk
    with: { assetType: Property, data: { id: "Town", city: "\${{ inputs.city }}" } }
env: { COUNTRY: pt }
outputs: { where: "\${{ inputs.city }}, \${{ env.COUNTRY }}" }
`;
const NEW_READ = `  - id: again
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
`;

interface EditMade {
  readonly what: string;
  readonly file?: "outer.yaml" | "inner.yaml";
  readonly from: string;
  readonly to: string;
  readonly says: string;
}

const REFUSED: readonly EditMade[] = [
  {
    what: "the value of a write",
    from: `value: "\${{ inputs.amount }}"`,
    to: `value: "15.00"`,
    says: "outer.yaml:12 (mint) with.value was changed from 10.00 to 15.00",
  },
  {
    what: "a field of a write that had none",
    from: `data: { id: "\${{ home }}" }`,
    to: `data: { id: "\${{ home }}", city: "Faro" }`,
    says: 'outer.yaml:22 (homes[Barn]) with.data.city is new: "Faro"',
  },
  {
    what: "what a read was given",
    from: `  - id: look\n    uses: ledger.token.get\n    with: { id: "\${{ steps.token.id }}" }`,
    to: `  - id: look\n    uses: ledger.token.get\n    with: { id: T2 }`,
    says: 'outer.yaml:15 (look) with.id was changed from "T" to "T2"',
  },
  {
    what: "the operation",
    from: `  - id: look\n    uses: ledger.token.get\n    with: { id: "\${{ steps.token.id }}" }`,
    to: "  - id: look\n    uses: ledger.status",
    says: 'outer.yaml:15 (look) uses was changed from "ledger.token.get" to "ledger.status"',
  },
  {
    what: "who acted",
    from: `issuer: { ledger: "userId:alice" }`,
    to: `issuer: { ledger: "userId:carol" }`,
    says: 'outer.yaml:9 (token) as was changed from "userId:alice" to "userId:carol"',
  },
  {
    what: "the condition of a step that was skipped",
    from: "if: inputs.amount > 100",
    to: "if: inputs.amount > 1",
    says: "outer.yaml:18 (large) if was changed from false to true",
  },
  {
    what: "the list of a foreach",
    from: "[Loft, Barn]",
    to: "[Loft, Mill]",
    says: 'outer.yaml:22 (homes) foreach[1].key was changed from "Barn" to "Mill" (the run keeps the items; ',
  },
  {
    what: "what an included playbook was given",
    from: "city: Lisbon",
    to: "city: Porto",
    says: 'outer.yaml:26 (town) with.city was changed from "Lisbon" to "Porto"',
  },
  {
    what: "a step of an included playbook",
    file: "inner.yaml",
    from: `id: "Town"`,
    to: `id: "Village"`,
    says: 'inner.yaml:7 (town/asset) with.data.id was changed from "Town" to "Village"',
  },
  {
    what: "who acted in an included playbook",
    file: "inner.yaml",
    from: "userId:bob",
    to: "userId:carol",
    says: 'inner.yaml:7 (town/asset) as was changed from "userId:bob" to "userId:carol"',
  },
  {
    what: "a new step before those that are done",
    from: "  - id: look\n",
    to: `${NEW_READ}  - id: look\n`,
    says: "outer.yaml:15 (again) comes before town, which has already begun: it would run after it",
  },
  {
    what: "a new step in what is done",
    file: "inner.yaml",
    from: "steps:\n",
    to: `steps:\n  - id: status\n    uses: ledger.status\n    as: clerk\n`,
    says: "inner.yaml:7 (town/status) is new in town, which is already done: it would never run",
  },
  {
    what: "a new check in what is done",
    file: "inner.yaml",
    from: "env: {",
    to: `checks: [{ read: ledger.asset.list, as: clerk, with: { assetType: Property }, that: size(response) == 99 }]\nenv: {`,
    says: "inner.yaml:11 (town/checks.1) is new in town, which is already done: it would never run",
  },
  {
    what: "the name of a write",
    from: "id: homes",
    to: "id: houses",
    says: "outer.yaml:22 (houses) is homes under another name, which is already done: it would run again",
  },
  {
    what: "an input that the run did not have",
    from: "inputs:\n",
    to: `inputs:\n  floor: { type: decimal, default: "1" }\n`,
    says: "outer.yaml (inputs.floor) is new, and the run has no value for it",
  },
  {
    what: "an input whose value is wrong now",
    from: `{ type: decimal, default: "10.00" }`,
    to: `{ type: decimal, default: "30.00", minimum: "20" }`,
    says: "outer.yaml (inputs.amount): the run's value is no longer valid: ",
  },
  {
    what: "a default that the run uses",
    from: `default: "10.00"`,
    to: `default: "12.00"`,
    says: "outer.yaml (inputs.amount) default was changed from 10.00 to 12.00, and the run keeps the value with which it began",
  },
  {
    what: "a variable that the run uses",
    file: "inner.yaml",
    from: "COUNTRY: pt",
    to: "COUNTRY: es",
    says: 'inner.yaml:11 (env.COUNTRY) default was changed from "pt" to "es", and the run keeps the value with which it began',
  },
  {
    what: "an output of an included playbook",
    file: "inner.yaml",
    from: `outputs: { where: "\${{ inputs.city }}, `,
    to: `outputs: { where: "\${{ inputs.city }} in `,
    says: 'outer.yaml:26 (town) outputs.where was changed from "Lisbon, pt" to "Lisbon in pt"',
  },
];

test("an edit may change a default that the run did not use", async () => {
  const { project } = await desk({ "outer.yaml": OUTER, "inner.yaml": INNER });
  await project.run("run", "outer.yaml", "--input", "amount=11.5");
  project.write("outer.yaml", OUTER.replace(`default: "10.00"`, `default: "12.00"`).replace("== 11", "== 11.5"));
  const passed = await project.run("resume");
  expect(passed.code, passed.transcript).toBe(0);
});

async function failed(): Promise<Desk & { readonly run: string }> {
  const at = await desk({ "outer.yaml": OUTER, "inner.yaml": INNER });
  const ended = await at.project.run("run", "outer.yaml");
  expect(ended.code, ended.transcript).toBe(1);
  return { ...at, run: runIn(ended) };
}

const WRITTEN = ["ledger.token.create", "ledger.token.mint", "ledger.asset.create", "ledger.asset.create", "ledger.asset.create"];

const PARTS = [0, 5, 10, 15].map((at) => ({
  edits: REFUSED.slice(at, at + 5),
  what: REFUSED.slice(at, at + 5)
    .map(({ what }) => what)
    .join(", "),
}));

test.for(PARTS)("resume refuses an edit that changes a done step, and names its line: $what", async ({ edits }) => {
  const { project, proxy, service, run } = await failed();
  const sent = proxy.seen.length;
  for (const { what, file = "outer.yaml", from, to, says } of edits) {
    const text = file === "outer.yaml" ? OUTER : INNER;
    expect(text, what).toContain(from);
    project.write(file, text.replace(from, to));
    const ended = await project.run("resume");
    expect(ended.code, `${what}\n${ended.transcript}`).toBe(2);
    expect(ended.stderr, `${what}\n${ended.transcript}`).toMatch(
      new RegExp(
        `^error resume\\.edited\n {2}${file.replace(".", String.raw`\.`)} was edited, and \\d changes? would contradict what the run ${run} has already done:\n`,
        "m",
      ),
    );
    expect(ended.stderr, what).toContain(`\n  ${says}`);
    project.write(file, text);
  }
  expect(proxy.seen).toHaveLength(sent);
  expect(operationsOf(await service.commits())).toEqual(WRITTEN);
});

test("an edit may fix the failed step, append a step, and remove a read that is done", async () => {
  const { project, service } = await failed();
  const fixed = OUTER.replace("totalSupply == 11", "totalSupply == 10").replace(/ {2}- id: look\n.*\n.*\n/, "");
  project.write("outer.yaml", `# in other words\n${fixed}${NEW_READ}    expect: [response.totalSupply == 12]\n`);
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(1);
  expect(resumed.stdout, resumed.transcript).toMatch(
    /^ {4}7 of 8 steps done before\n {4}edited since: outer\.yaml\n {4}! look was removed from outer\.yaml; what it did stays\n✓ ok {7}supply /m,
  );
  // The next edit is compared with the previous edit.
  project.write("outer.yaml", `${fixed}${NEW_READ}`);
  const passed = await project.run("resume");
  expect(passed.code, passed.transcript).toBe(0);
  expect(operationsOf(await service.commits())).toEqual(WRITTEN);
  const { data } = await project.json("runs", "show", runIn(passed));
  expect(data.reports[0]?.steps.map(({ step }) => step)).toEqual([
    "token",
    "mint",
    "large",
    "homes[Loft]",
    "homes[Barn]",
    "town",
    "town/asset",
    "supply",
    "again",
    "look",
  ]);
  project.write("outer.yaml", OUTER);
  const over = await project.run("resume", runIn(passed));
  expect([over.code, over.stderr], over.transcript).toEqual([2, expect.stringContaining("resume.playbook-changed")]);
  // The command names the environment of this run, whichever environment comes first.
  expect(over.stderr).toMatch(/of this run \(token, mint, homes\[Loft\], .*\):\n {2}tokenbook run outer\.yaml --env here$/m);
});

test("an edit may change the condition of a done step, and resume says that it is not judged again", async () => {
  const { project } = await failed();
  const judged = "$&    until: response.totalSupply == 99\n    expect: response.totalSupply == 98\n";
  project.write("outer.yaml", OUTER.replace(/ {2}- id: look\n(?: {4}.*\n)*/, judged).replace("== 11", "== 10"));
  const passed = await project.run("resume");
  expect(passed.code, passed.transcript).toBe(0);
  const said = ["until", "expect"].map(
    (keyword) => `! \`${keyword}\` of look was edited; the step is done, and is not judged again\n`,
  );
  for (const each of said) expect(passed.stdout, passed.transcript).toContain(`    ${each}`);
});

test("a removed step disappears from the passed run if it failed, and stays if its write took effect", async () => {
  const { project } = await failed();
  project.write("outer.yaml", OUTER.replace("- id: supply", "- id: total").replace("totalSupply == 11", "totalSupply == 10"));
  const passed = await project.json("resume", "--report", "junit=report.xml");
  expect(passed.code, passed.transcript).toBe(0);
  const [report] = passed.data.reports;
  expect(report?.steps.map(({ step }) => step)).not.toContain("supply");
  expect(report?.totals).toMatchObject({ failed: 0, pending: 0 });
  expect(project.read("report.xml")).toMatch(/<testsuites [^>]*failures="0" errors="0"/);

  const lost = await desk({ "mint.yaml": MINT_ONCE });
  lost.project.write("tokenbook.yaml", lost.project.read("tokenbook.yaml").replace("exclusive: true", "exclusive: false"));
  void lost.proxy.next("POST /token/mint", cutAnswer);
  const run = runIn(await lost.project.run("run", "mint.yaml"));
  await lost.project.run("resolve", run, "--step", "mint", "--as", "applied", "--because", "seen");
  lost.project.write("mint.yaml", MINT_ONCE.replace(/ {2}- id: mint\n.*\n.*\n/, ""));
  const resumed = await lost.project.json("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(resumed.data.reports[0]?.steps.find(({ step }) => step === "mint")).toMatchObject({ outcome: "changed" });
});

const GIVEN = `playbook: 1
name: Given
inputs:
  amount: { type: decimal, default: "1" }
  usual: { type: string, default: as ever }
  title: { type: string }
  to: { type: entity }
  marks: { type: list, items: { type: string } }
steps:
  - id: status
    uses: ledger.status
    as: "\${{ inputs.to }}"
  - id: look
    uses: ledger.token.get
    as: "\${{ inputs.to }}"
    with: { id: "\${{ inputs.title }}\${{ inputs.amount }}\${{ inputs.marks[0] }}" }
`;

test("a refused resume proposes a new run with the same inputs, or says where to see them", async () => {
  const { project } = await desk({ "given.yaml": GIVEN });
  const given = ["--input", "amount=8.50", "--input", "title=It's 'A'", "--input", "to=userId:alice", "--input", 'marks=["a b"]'];
  const run = await project.run("run", "given.yaml", ...given);
  expect(run.code, run.transcript).toBe(1);
  const { data } = await project.json("runs", "show", "latest");
  const edited = GIVEN.replace("ledger.status", "ledger.asset.list\n    with: { assetType: Property }");
  project.write("given.yaml", edited);
  const refused = await project.run("resume");
  const [, line = ""] = /or begin a new run:\n {2}tokenbook (.*)$/m.exec(refused.stderr) ?? [];
  const words = execFileSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);
  const again = await project.json(...words);
  expect(again.data.reports[0]?.run.inputs, `${refused.transcript}\n${again.transcript}`).toEqual(data.reports[0]?.run.inputs);
  expect(data.reports[0]?.run.inputs).toMatchObject({ amount: 8.5, title: "It's 'A'" });

  project.write("given.yaml", GIVEN);
  const longer = given.map((word) => (word.startsWith("title=") ? `title=${"long ".repeat(100)}` : word));
  const long = await project.run("run", "given.yaml", ...longer);
  project.write("given.yaml", edited);
  const other = await project.run("resume");
  expect(other.stderr, other.transcript).toContain(
    `or begin a new run of given.yaml in the environment "here" with the same inputs; to see them:\n  tokenbook runs show ${runIn(long)} --json`,
  );
  expect(other.stderr, other.transcript).not.toContain("tokenbook run ");
});

test("a write with unknown outcome is settled with the values that were sent, whatever the edit says", async () => {
  const at = await desk({ "mint.yaml": MINT_ONCE });
  at.project.write("tokenbook.yaml", at.project.read("tokenbook.yaml").replace("exclusive: true", "exclusive: false"));
  void at.proxy.next("POST /token/mint", cutAnswer);
  const ended = await at.project.run("run", "mint.yaml");
  expect(ended.code, ended.transcript).toBe(5);
  const run = runIn(ended);
  const edits = [
    [MINT_ONCE.replace("10.00", "20.00"), "mint.yaml:14 (mint) with.value was changed from 10.00 to 20.00"],
    [
      MINT_ONCE.replace(/ {2}- id: mint\n.*\n.*\n/, ""),
      "mint.yaml: mint (ledger.token.mint) was removed, but its outcome is unknown",
    ],
    [
      // A skipped block would not look for its effect.
      MINT_ONCE.replace(
        / {2}- id: mint\n(?: {4}.*\n)+/,
        (mint) => `  - id: grouped\n    if: false\n    block:\n${mint.replaceAll(/^ +/gm, "    $&")}`,
      ),
      "mint.yaml: mint (ledger.token.mint) was moved, but its outcome is unknown",
    ],
  ];
  for (const [text = "", says = ""] of edits) {
    at.project.write("mint.yaml", text);
    const refused = await at.project.run("resume");
    expect([refused.code, refused.stderr], refused.transcript).toEqual([2, expect.stringContaining(says)]);
    // A new run would mint again.
    expect(refused.stderr, refused.transcript).toContain(
      `so begin no new run; once you know it, record it:\n  tokenbook resolve ${run} --step mint`,
    );
    expect(refused.stderr, refused.transcript).not.toContain("tokenbook run ");
  }
  // Once its outcome is recorded, the user may edit the rest.
  await at.project.run("resolve", run, "--step", "mint", "--as", "applied", "--because", "seen");
  at.project.write("mint.yaml", MINT_ONCE.replace("expect: [response.totalSupply == 10]", "expect: [response.totalSupply > 9]"));
  const resumed = await at.project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(operationsOf(await at.service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
});

test("if a write was sent again because no later step sets the same value, an edit may not add such a step after it", async () => {
  const { project, proxy, service } = await desk({});
  const described = `playbook: 1
name: Describe
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - id: token
    uses: ledger.token.create
    with: ${tokenWith("T")}
  - id: first
    uses: ledger.token.update
    with: { id: "\${{ steps.token.id }}", description: A }
  - id: look
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
    expect: [response.description == "B"]
`;
  project.write("describe.yaml", described);
  // The request stays on its way until the test ends.
  void proxy.next("PATCH /token", async (passing) => passing.cut());
  const run = await project.run("run", "describe.yaml");
  expect(run.code, run.transcript).toBe(1);
  expect(run.stdout).toContain("superseded");
  const second = '  - id: second\n    uses: ledger.token.update\n    with: { id: "${{ steps.token.id }}", description: B }\n';
  project.write("describe.yaml", described.replace("  - id: look", `${second}  - id: look`));
  const before = await service.commits();
  const resumed = await project.run("resume", runIn(run));
  expect(resumed.code, resumed.transcript).toBe(2);
  expect(resumed.stderr).toContain("(second) sets what an earlier attempt of first may still set");
  expect(await service.commits()).toEqual(before);
  const other = second.replace("ledger.token.update", "ledger.token.get").replace(", description: B", "");
  project.write("describe.yaml", described.replace('"B"', '"A"').replace("  - id: look", `${other}  - id: look`));
  const harmless = await project.run("resume", runIn(run));
  expect(harmless.code, harmless.transcript).toBe(0);
});
