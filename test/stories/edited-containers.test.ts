import { expect, test } from "vitest";
import { desk } from "./desk.ts";
import { operationsOf, tokenWith } from "./world.ts";

// Edits that change the steps around a write, and so its place, or that change the reason why nothing was written.

const HEAD = `playbook: 1
name: Grouped
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - id: token
    uses: ledger.token.create
    with: ${tokenWith("T")}
`;
const SUPPLY = `  - id: supply
    uses: ledger.token.get
    with: { id: T }
    expect: [response.totalSupply == 11]
`;
const INCLUDED = `playbook: 1
name: Mint some
inputs: { to: { type: entity }, value: { type: decimal } }
steps:
  - id: mint
    uses: ledger.token.mint
    as: "\${{ inputs.to }}"
    with: { id: T, to: "\${{ inputs.to }}", value: "\${{ inputs.value }}" }
`;

function mint(id: string, value: string): string {
  return `  - id: ${id}
    uses: ledger.token.mint
    with: { id: T, to: "\${{ actors.issuer }}", value: ${value} }
`;
}

function include(id: string, value = `"10.00"`): string {
  return `  - id: ${id}\n    uses: ./included.yaml\n    with: { to: "\${{ actors.issuer }}", value: ${value} }\n`;
}

function block(head: string, inner: string): string {
  return `  - id: ${head}\n    block:\n${inner.replaceAll(/^/gm, "    ").trimEnd()}\n`;
}

interface Regrouped {
  readonly what: string;
  readonly from: string;
  readonly to: string;
  /** The message that refuses the edit. The test then resumes the run without the edit. */
  readonly says: string | undefined;
}

const LOOP = "group\n    foreach: { n: [a], key: n }";
const OTHER_NAME = "group2\n    foreach: { n: [a], key: n }";
const OTHER_KEY = "group2\n    foreach: { n: [a], key: n + n }";
const TEN = mint("mint", `"10.00"`);

const AGAIN = "is already done: it would run again";

const EDITS: readonly Regrouped[] = [
  {
    what: "an include becomes a call",
    from: include("pay"),
    to: TEN.replace("id: mint", "id: pay"),
    says: '(pay) uses was changed from "a playbook" to "ledger.token.mint"\n  why: ',
  },
  {
    what: "an include has another name",
    from: include("pay"),
    to: include("payment"),
    says: `(payment/mint) may be pay/mint, which ${AGAIN}`,
  },
  {
    what: "a write is put into a loop",
    from: TEN,
    to: block(LOOP, TEN),
    says: `(mint) is mint in another place, which ${AGAIN}`,
  },
  { what: "a write is put into an include", from: TEN, to: include("pay"), says: `(pay/mint) may be mint, which ${AGAIN}` },
  { what: "an include is written out", from: include("pay"), to: TEN, says: `(mint) may be pay/mint, which ${AGAIN}` },
  {
    what: "a loop has other keys",
    from: block(LOOP, TEN),
    to: block(OTHER_KEY, TEN),
    says: `(mint) is mint[a] in another place, which ${AGAIN}`,
  },
  {
    what: "a loop has another name, and its write another value",
    from: block(LOOP, TEN),
    to: block(OTHER_NAME, mint("mint", "30")),
    says: `(mint) may be mint[a], which ${AGAIN}`,
  },
  {
    what: "a write is put into a block, and has another value",
    from: TEN,
    to: block("group", mint("mint", "20")),
    says: "(mint) with.value was changed from 10.00 to 20",
  },
  { what: "a write is put into a block", from: TEN, to: block("group", TEN), says: undefined },
  { what: "a write leaves its block", from: block("group", TEN), to: TEN, says: undefined },
  {
    what: "a step of a rescue that never ran is put beside a write that is done",
    from: block("group", `${TEN}rescue:\n${mint("more", "20")}`),
    to: block("group", TEN + mint("more", "20")),
    says: "(more) is new in group, which is already done: it would never run",
  },
  {
    what: "a write has another name and another spelling of its value",
    from: TEN,
    to: mint("minted", `"10.0"`),
    says: `(minted) is mint under another name, which ${AGAIN}`,
  },
  {
    what: "a write has another name, and a value that is known only later",
    from: TEN,
    to: SUPPLY.replace("supply", "look") + mint("minted", `"\${{ steps.look.response.totalSupply }}"`),
    says: `(minted) may be mint, which ${AGAIN}`,
  },
  { what: "a write is taken out, and another amount is minted", from: TEN, to: include("pay", `"30.00"`), says: undefined },
];

test.for(EDITS)("resume makes no done write again when $what", async ({ from, to, says }) => {
  const { project, service } = await desk({ "grouped.yaml": HEAD + from + SUPPLY, "included.yaml": INCLUDED });
  const ended = await project.run("run", "grouped.yaml");
  expect(ended.code, ended.transcript).toBe(1);
  project.write("grouped.yaml", HEAD + to + SUPPLY);
  const resumed = await project.run("resume");
  const minted = operationsOf(await service.commits()).filter((name) => name === "ledger.token.mint");
  if (says !== undefined) expect([resumed.code, resumed.stderr], resumed.transcript).toEqual([2, expect.stringContaining(says)]);
  else expect(resumed.code, resumed.transcript).toBe(1);
  expect(minted).toHaveLength(to.includes("30.00") ? 2 : 1);
});

test("a write that an earlier edit removed may return unchanged, and is refused with other values", async () => {
  const { project, service } = await desk({ "grouped.yaml": HEAD + TEN + SUPPLY });
  await project.run("run", "grouped.yaml");
  project.write("grouped.yaml", HEAD + SUPPLY);
  const without = await project.run("resume");
  expect(without.stdout, without.transcript).toContain("! mint was removed from grouped.yaml; what it did stays");
  const edits = [
    [mint("minted", `"10.00"`), `(minted) may be mint, which ${AGAIN}`],
    [mint("mint", `"20.00"`), "(mint) was done with other values before an earlier edit removed it: it would not run again"],
  ];
  for (const [text = "", says] of edits) {
    project.write("grouped.yaml", HEAD + text + SUPPLY);
    const refused = await project.run("resume");
    expect([refused.code, refused.stderr], refused.transcript).toEqual([2, expect.stringContaining(says ?? "")]);
  }
  project.write("grouped.yaml", HEAD + TEN + SUPPLY.replace("11", "10"));
  const back = await project.run("resume");
  expect(back.code, back.transcript).toBe(0);
  expect(back.stdout, back.transcript).toContain("! mint is in grouped.yaml again; it is done, and does not run again");
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
});

const RESCUED = `playbook: 1
name: Rescued
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - id: pay
    block:
      - id: must
        uses: ledger.token.get
        with: { id: nothere }
    rescue:
      - id: fix
        uses: ledger.token.get
        with: { id: nothereeither }
  - id: done
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "Done" } }
`;
const NEW_ASSET = `      - id: more
        uses: ledger.asset.create
        with: { assetType: Property, data: { id: "More" } }
`;
const NEVER = "in a part of pay that the run has left because a step failed: it would never run";

test("an edit may change a rescue that is running, but not remove it or change the step that failed", async () => {
  const { project, service } = await desk({ "rescued.yaml": RESCUED });
  const ended = await project.run("run", "rescued.yaml");
  expect(ended.code, ended.transcript).toBe(1);
  const fixed = RESCUED.replace(/ledger.token.get\n.*nothereeither }/, "ledger.token.list");
  const edits = [
    [
      RESCUED.replace(/ {4}rescue:\n(?: {6}.*\n)+/, ""),
      "(pay) has lost its rescue, in which the run is: the step that failed would be forgotten",
    ],
    [fixed.replace(/ledger.token.get\n.*nothere }/, "ledger.token.list"), `(must) was changed ${NEVER}`],
    [fixed.replace("nothere }", "nothere }\n        expect: [response.totalSupply == 0]"), `(must) was changed ${NEVER}`],
    [fixed.replace("    rescue:", `${NEW_ASSET}    rescue:`), `(more) is new ${NEVER}`],
  ];
  for (const [text = "", says = ""] of edits) {
    project.write("rescued.yaml", text);
    const refused = await project.run("resume");
    expect([refused.code, refused.stderr], refused.transcript).toEqual([2, expect.stringContaining(says)]);
  }
  expect(await service.commits()).toEqual([]);
  project.write("rescued.yaml", fixed.replace("  - id: done", `${NEW_ASSET}  - id: done`));
  const passed = await project.run("resume");
  expect(passed.code, passed.transcript).toBe(0);
  expect(passed.stdout, passed.transcript).toMatch(/! rescued +pay/);
  expect(await service.commits()).toHaveLength(2);
});

test("an edit may change a rescue that never ran, but not the failed step of a rescued block", async () => {
  const failing =
    RESCUED.replace(/ledger.token.get\n.*nothereeither }/, "ledger.token.list") + SUPPLY.replace("id: T", "id: missing");
  const { project } = await desk({ "rescued.yaml": failing });
  const ended = await project.run("run", "rescued.yaml");
  expect(ended.code, ended.transcript).toBe(1);
  project.write("rescued.yaml", failing.replace("nothere }", "elsewhere }"));
  const refused = await project.run("resume");
  expect([refused.code, refused.stderr], refused.transcript).toEqual([2, expect.stringContaining(`(must) was changed ${NEVER}`)]);

  const calm = failing.replace(/ledger.token.get\n.*nothere }/, "ledger.token.list").replace('"Done"', '"Other"');
  project.write("calm.yaml", calm);
  const stopped = await project.run("run", "calm.yaml");
  expect(stopped.code, stopped.transcript).toBe(1);
  project.write(
    "calm.yaml",
    calm.replace(/(?<=- id: fix\n +uses: )ledger.token.list/, "ledger.status").replace(/ {2}- id: supply\n(?: {4}.*\n)+/, ""),
  );
  const passed = await project.run("resume");
  expect(passed.code, passed.transcript).toBe(0);
});

const NOTHING_DONE = `${HEAD.replace("actors:", 'inputs: { who: { type: entity, default: "userId:bob" } }\nactors:')}  - id: refused
    uses: ledger.token.mint
    as: "\${{ inputs.who }}"
    with: { id: T, to: "\${{ actors.issuer }}", value: "1" }
    fails: { status: [403, 404] }
  - id: there
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "Home" } }
    ensure: { read: ledger.token.get, with: { id: T }, that: response.totalSupply == 0 }
${SUPPLY}`;

test("a run is not resumed if an edit changes the condition under which a call changed nothing", async () => {
  const { project, service } = await desk({ "nothing.yaml": NOTHING_DONE });
  const ended = await project.run("run", "nothing.yaml");
  expect(ended.code, ended.transcript).toBe(1);
  const edits = [
    [/ {4}fails: .*\n/, "", '(refused) fails was changed from "HTTP 403 or 404" to null'],
    [/ {4}ensure: .*\n/, "", "(there) ensure"],
    [
      /totalSupply == 0/,
      "totalSupply == 5",
      '(there) ensure.that was changed from "response.totalSupply == 0" to "response.totalSupply == 5"',
    ],
  ] as const;
  for (const [from, to, says] of edits) {
    project.write("nothing.yaml", NOTHING_DONE.replace(from, to));
    const refused = await project.run("resume");
    expect([refused.code, refused.stderr], refused.transcript).toEqual([2, expect.stringContaining(says)]);
  }
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create"]);
});

test("resume names an edited file, also when that is an included one", async () => {
  const { project } = await desk({ "grouped.yaml": HEAD + include("pay") + SUPPLY, "included.yaml": INCLUDED });
  await project.run("run", "grouped.yaml");
  project.write("included.yaml", `${INCLUDED}# in other words\n`);
  const resumed = await project.run("resume");
  expect(resumed.stdout, resumed.transcript).toMatch(/^ {4}edited since: included\.yaml$/m);
});
