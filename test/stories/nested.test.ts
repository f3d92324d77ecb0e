import { describe, expect, test } from "vitest";
import { proxyTo } from "./proxy.ts";
import { embeddedCommits, expectNoneTwice, newProject, operationsOf, runIn, servedSandbox, stepIn, tokenWith } from "./world.ts";

const HEAD = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
`;

const ROUNDS = `${HEAD}name: Tokens for every house and floor
steps:
  - id: houses
    foreach: { house: [Mill, Loft, Barn], key: house, parallel: 3 }
    block:
      - id: floors
        foreach: { floor: [one, two], key: floor, parallel: 2 }
        uses: ledger.token.create
        with: ${tokenWith("${{ house }}${{ floor }}")}
      - id: mint
        uses: ledger.token.mint
        with: { id: "\${{ steps.floors['one'].id }}", to: "\${{ actors.issuer }}", value: 5 }
outputs:
  barn: "\${{ steps.floors['Barn']['two'].id }}"
  mill: "\${{ steps.mint['Mill'].outcome }}"
`;

const MINTS = ["Barn", "Loft", "Mill"].map((house) => `ledger.token.mint ${house}one`);
const WRITES = ["Barn", "Loft", "Mill"].flatMap((house) => [
  `ledger.token.create ${house}one`,
  `ledger.token.create ${house}two`,
]);

function named({ operation, body }: { readonly operation: string; readonly body: unknown }): string {
  return `${operation} ${(body as { id: string }[])[0]?.id}`;
}

test("parallel rounds within parallel rounds make each write once, and keep their results by key", async () => {
  const project = newProject();
  project.write("rounds.yaml", ROUNDS);
  const run = await project.json("run", "rounds.yaml");
  expect(run.code, run.transcript).toBe(0);
  const commits = await embeddedCommits(project);
  expect(commits.map(named).toSorted()).toEqual([...WRITES, ...MINTS]);
  const [report] = run.data.reports;
  expect(report?.run.outputs).toEqual({ barn: "Barntwo", mill: "changed" });
  expect(report?.totals).toMatchObject({ steps: 9, changed: 9 });
  expect(stepIn(run.data, "floors[Barn][two]")).toMatchObject({ id: "floors", key: "Barn, two", depth: 1, outcome: "changed" });
  expect(stepIn(run.data, "houses[Barn]")).toMatchObject({ kind: "block", key: "Barn", depth: 0, outcome: "changed" });
});

const INNER = `${HEAD}name: A token and its mint
inputs: { id: { type: string } }
steps:
  - { id: token, uses: ledger.token.create, with: ${tokenWith("${{ inputs.id }}")} }
  - { id: mint, uses: ledger.token.mint, with: { id: "\${{ inputs.id }}", to: "\${{ actors.issuer }}", value: 5 } }
outputs: { id: "\${{ inputs.id }}" }
`;
const OUTER = `${HEAD}name: Two tokens by another playbook
steps:
  - { id: first, uses: ./inner.yaml, with: { id: Ofirst } }
  - id: others
    foreach: { house: [Mill, Loft], key: house }
    uses: ./inner.yaml
    with: { id: "O\${{ house }}" }
outputs: { all: "\${{ steps.first.outputs.id }} \${{ steps.others['Loft'].outputs.id }}" }
`;

const KILLED = [
  { name: "a parallel foreach", files: { "run.yaml": ROUNDS }, writes: [...WRITES, ...MINTS], lines: [2, 5, 8, 12] },
  {
    name: "an included playbook",
    files: { "run.yaml": OUTER, "inner.yaml": INNER },
    writes: ["Ofirst", "OLoft", "OMill"].flatMap((id) => [`ledger.token.create ${id}`, `ledger.token.mint ${id}`]),
    lines: [2, 4, 7, 11],
  },
];

describe.for(KILLED)("kill -9 within $name", ({ files, writes, lines }) => {
  test.for(lines)("no write is made twice when the kill comes after line %i, and the run resumes", async (line) => {
    const project = newProject();
    for (const [name, text] of Object.entries(files)) project.write(name, text);
    const running = project.start("run", "run.yaml");
    await running.lines(line);
    await running.signal("SIGKILL");
    const killed = await running.ended;
    const resumed = await project.run("resume", runIn(killed));
    const transcript = `${killed.transcript}\n${resumed.transcript}`;
    const commits = await embeddedCommits(project);
    expectNoneTwice(commits, transcript);
    expect(
      commits.map(named).filter((write) => !writes.includes(write)),
      transcript,
    ).toEqual([]);
    if (resumed.code === 0) return expect(commits.map(named).toSorted(), transcript).toEqual(writes.toSorted());
    // A write was in flight, and its outcome stays unknown.
    expect(resumed.code, transcript).toBe(5);
    const again = await project.run("resume", runIn(killed));
    expect(again.code, again.transcript).toBe(5);
    expectNoneTwice(await embeddedCommits(project), again.transcript);
  });
});

test("a failure in an included playbook is shown with the file and line of that playbook", async () => {
  const project = newProject();
  project.write("parts/inner.yaml", INNER.replace("value: 5 }", 'value: "${{ 100 * inputs.id.size() - 100 }}" }'));
  project.write("outer.yaml", OUTER.replaceAll("./inner.yaml", "./parts/inner.yaml"));
  const run = await project.run("run", "outer.yaml", "--report", "junit=junit.xml");
  expect(run.code, run.transcript).toBe(1);
  expect(run.lines.slice(1).map((line) => line.split(/ {2}tx | {2}[\d.]+ m?s/)[0])).toEqual([
    "▸ first  A token and its mint  ./parts/inner.yaml",
    "  ✓ changed  first/token  Create tokens  ledger.token.create  as issuer (userId:alice)",
    "  ✗ failed   first/mint  Mint tokens to entities  ledger.token.mint  as issuer (userId:alice)",
    "      service.refused: HTTP 422: 500 minted would exceed the 100 of the token Ofirst",
    "      at: parts/inner.yaml:8",
    expect.stringMatching(/^✗ failed {2}Two tokens by another playbook: 4 steps: 1 changed, 1 failed, 2 not run in /),
    expect.stringMatching(/^ {4}to continue: tokenbook resume /),
  ]);
  const junit = project.read("junit.xml");
  expect(junit, junit).toContain('failures="1"');
  expect(junit, junit).toContain("at: parts/inner.yaml:8");
  const { data } = await project.json("runs", "show", runIn(run));
  expect(stepIn(data, "first/mint")).toMatchObject({ file: "parts/inner.yaml", line: 8, depth: 1 });
  expect(stepIn(data, "first")).toMatchObject({ kind: "include", file: null, outcome: "failed" });
});

test("an included playbook refuses a null for an input, and mints nothing", async () => {
  const project = newProject();
  const sized = INNER.replace("{ type: string }", "{ type: string }, value: { type: decimal, default: 100 }");
  project.write("inner.yaml", sized.replace("value: 5", 'value: "${{ inputs.value }}"'));
  project.write(
    "outer.yaml",
    `${HEAD}inputs: { order: { type: object } }
steps:
  - { id: bought, uses: ./inner.yaml, with: { id: T1, value: "\${{ inputs.order.amount }}" } }
`,
  );
  const run = await project.run("run", "outer.yaml", "--input", 'order={"amount":null}');
  expect(run.code, run.transcript).toBe(1);
  expect(run.transcript).toContain('input.invalid: inner.yaml: "value" must be of type decimal, and is null');
  expect(await embeddedCommits(project)).toEqual([]);
});

test("a read-only playbook that includes a write is refused before anything is sent", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("inner.yaml", INNER);
  project.write("outer.yaml", OUTER.replace("steps:", "mode: read-only\nsteps:"));
  project.write("shipped.yaml", SHIPPED);
  const run = await project.run("run", "outer.yaml");
  expect(run.code, run.transcript).toBe(2);
  expect(run.stderr, run.transcript).toContain("ledger.token.create writes, and this playbook is mode: read-only");
  expect(run.stderr, run.transcript).toContain("it is reached by outer.yaml:7 (first) → inner.yaml:7 (token)");
  const shipped = await project.run("check", "shipped.yaml");
  expect(shipped.code, shipped.transcript).toBe(2);
  expect(shipped.stdout, shipped.transcript).toMatch(
    /it is reached by shipped\.yaml:6 \(token\) → tokenbook\/create-token\.yaml:\d+ \(token\)/,
  );
  expect(proxy.seen).toEqual([]);
  expect(operationsOf(await world.commits())).toEqual([]);
});

const SHIPPED = `${HEAD}mode: read-only
steps:
  - { id: token, uses: tokenbook/create-token.yaml, with: { id: T1, name: T, symbol: T, issuer: "\${{ actors.issuer }}" } }
`;
