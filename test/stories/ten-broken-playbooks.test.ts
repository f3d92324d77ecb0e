import { expect, test } from "vitest";
import { strangerServer } from "./proxy.ts";
import { newProject } from "./world.ts";

interface Broken {
  readonly what: string;
  /** The playbook. `«` marks the place that the message must name, and is removed. */
  readonly text: string;
  readonly code: string;
  readonly says: RegExp;
}

const HEAD = `playbook: 1
name: Broken
actors:
  issuer: { ledger: "userId:alice" }
defaults: { as: issuer }
steps:
`;

const TOKEN = `  - id: token
    uses: ledger.token.create
    with:
      name: Shares
      symbol: SHR
      classification: { type: fungible, unit: fractional, valueType: intrinsic, supply: fixed }
`;

const BROKEN: readonly Broken[] = [
  {
    what: "unknown-operation",
    text: `${HEAD}  - id: token\n    uses: «ledger.token.mnt\n    with: { id: T1 }\n`,
    code: "playbook.unknown-operation",
    says: /fix: did you mean "ledger\.token\.mint"\?/,
  },
  {
    what: "field-misspelt-three-levels-deep",
    text: `${HEAD}${TOKEN}      behaviour:\n        rolesMap:\n          «minter_rolename: minter\n`,
    code: "schema.unknown-field",
    says: /"minter_rolename"[\s\S]*fix: did you mean "minter_role_name"\?/,
  },
  {
    what: "step-used-before-it-ran",
    text: `${HEAD}  - id: look\n    uses: ledger.token.get\n    with: { id: "\${{ steps.«token.id }}" }\n${TOKEN}`,
    code: "playbook.step-not-run",
    says: /the step "token" \(line \d+\) has not run yet here/,
  },
  {
    what: "text-for-decimal",
    text: `${HEAD}${TOKEN}  - id: mint\n    uses: ledger.token.mint\n    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: «"a hundred" }\n`,
    code: "schema.type",
    says: /"a hundred"/,
  },
  {
    what: "unknown-actor",
    text: `${HEAD}${TOKEN}    as: «isuer\n`,
    code: "playbook.unknown-actor",
    says: /"isuer"[\s\S]*fix: did you mean "issuer"\?/,
  },
  {
    what: "step-id-twice",
    text: `${HEAD}${TOKEN}${TOKEN.replace("id: token", "id: «token")}`,
    code: "playbook.duplicate-step",
    says: /"token"/,
  },
  {
    what: "runaway-pattern",
    text: `${HEAD}  - id: look\n    uses: ledger.token.get\n    with: { id: T1 }\n    expect:\n      - «response.name.matches("^(a+)+$")\n`,
    code: "expression.runaway-pattern",
    says: /re2/,
  },
  {
    what: "nine-hundred-brackets",
    text: `playbook: 1\nname: ${"[".repeat(64)}«${"[".repeat(836)}${"]".repeat(900)}\n`,
    code: "source.too-deep",
    says: /nested deeper than 64 levels/,
  },
  {
    what: "alias-bomb",
    text: `playbook: 1\nname: &a [lol, lol, lol, lol]\nsteps: [«*a, *a, *a, *a, *a, *a, *a, *a]\n`,
    code: "source.alias",
    says: /aliases can make a small file expand to gigabytes/,
  },
  {
    what: "two-documents",
    text: `${HEAD}${TOKEN}«---\nplaybook: 1\nname: Another\n`,
    code: "source.two-documents",
    says: /a second document begins here/,
  },
];

function placeOf({ text }: Broken): { readonly line: number; readonly column: number } {
  const before = text.slice(0, text.indexOf("«")).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

test("ten broken playbooks: each mistake is reported once, at its place, and nothing is sent", async () => {
  const service = await strangerServer({ status: 200, body: "{}" });
  const project = newProject();
  project.serviceAt(service.url);
  for (const broken of BROKEN) {
    const file = `${broken.what}.yaml`;
    project.write(file, broken.text.replace("«", ""));
    const ended = await project.run("run", file);
    const { line, column } = placeOf(broken);
    expect(ended.code, ended.transcript).toBe(2);
    expect(ended.stdout, ended.transcript).toBe("");
    const headlines = ended.stderr.split("\n").filter((each) => each.startsWith(`${file}:`));
    expect(headlines, ended.transcript).toEqual([`${file}:${line}:${column} error ${broken.code}`]);
    expect(ended.stderr, ended.transcript).toMatch(broken.says);
    expect(ended.stderr, ended.transcript).toMatch(new RegExp(`^ *> +${line} \\| [\\s\\S]*\\^`, "m"));
    expect(ended.stderr, ended.transcript).toContain(`1 playbook of 1 cannot be run: ${file}`);
    expect(ended.stderr, ended.transcript).toContain("nothing was sent");
    // No line is wider than a screen, whatever the playbook contains.
    expect(Math.max(...ended.stderr.split("\n").map(({ length }) => length)), ended.transcript).toBeLessThan(200);
  }
  expect(service.seen).toEqual([]);
});

test("check --json reports the same, for editors and CI", async () => {
  const project = newProject();
  for (const { what, text } of BROKEN) project.write(`playbooks/${what}.yaml`, text.replace("«", ""));
  const { code, data, transcript } = await project.json("check", "playbooks");
  expect(code, transcript).toBe(2);
  const found = data.files.map(({ file, ok, diagnostics }) => ({
    file,
    ok,
    places: diagnostics.map(({ code: name, line, column }) => ({ code: name, line, column })),
  }));
  const wanted = BROKEN.toSorted((a, b) => a.what.localeCompare(b.what)).map((broken) => ({
    file: `playbooks/${broken.what}.yaml`,
    ok: false,
    places: [{ code: broken.code, ...placeOf(broken) }],
  }));
  expect(found).toEqual(wanted);
});
