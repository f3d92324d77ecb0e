// A CI runner checks a playbook of a pull request, and everybody can read its log. Whatever files the playbook names, the log must not quote files of
// the runner.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { KEYS, newProject, type Project, servedSandbox, temporaryFolder } from "./world.ts";

// Contents that an error message of each format would quote: a first column, a key, a line that is not YAML.
const PRIVATE = "KEY=c4nary-first,c4nary-second\nc4nary-third: [c4nary-fourth\n";

interface Reach {
  readonly name: string;
  /** Creates a file that does not belong to the project, and returns the path by which a playbook reaches it. */
  readonly lay: (project: Project, outside: string) => string;
  /** A playbook may include a hidden file. If that file is not a playbook, the error does not quote it. */
  readonly includes?: true;
}

function laid(project: Project, name: string): string {
  project.write(name, PRIVATE);
  return `./${name}`;
}

function linked(project: Project, to: string, name: string): string {
  mkdirSync(join(project.folder, "links"), { recursive: true });
  symlinkSync(to, join(project.folder, "links", name));
  return `./links/${name}`;
}

const REACHES: readonly Reach[] = [
  { name: "a file outside, by its whole path", lay: (_, outside) => join(outside, "private.yaml") },
  { name: "a file outside, by the way up", lay: (_, outside) => `../../${outside.split("/").slice(-1)[0]}/private.yaml` },
  { name: "a file outside that is not there", lay: (_, outside) => join(outside, "nothing.yaml") },
  { name: "a link to a file outside", lay: (project, outside) => linked(project, join(outside, "private.yaml"), "rows.csv") },
  { name: "a folder that is a link", lay: (project, outside) => `${linked(project, outside, "data")}/private.yaml` },
  {
    name: "a link to a link",
    lay: (project, outside) => linked(project, linked(project, join(outside, "private.yaml"), "one").slice(8), "two.csv"),
  },
  { name: ".env", lay: (project) => laid(project, ".env") },
  { name: ".env.local", lay: (project) => laid(project, ".env.local") },
  { name: ".ENV", lay: (project) => laid(project, ".ENV") },
  { name: "a file of variables by another name", lay: (project) => laid(project, "deploy/production.env") },
  { name: "what direnv reads", lay: (project) => laid(project, ".envrc") },
  { name: "a link to .env", lay: (project) => (laid(project, ".env"), linked(project, "../.env", "rows.csv")) },
  { name: "a file in a hidden folder", lay: (project) => laid(project, ".git/config"), includes: true },
  { name: "a hidden file", lay: (project) => laid(project, ".npmrc"), includes: true },
  {
    name: "a link into a hidden folder",
    lay: (project) => (laid(project, ".git/config"), linked(project, "../.git", "data"), "./links/data/config"),
    includes: true,
  },
  { name: "tokenbook.yaml", lay: () => "./tokenbook.yaml" },
];

const ENVIRONMENT = `environments:
  here: { ledger: { baseUrl: "http://c4nary.example", appId: c4nary-app, orgId: c4nary-org, apiKey: env:LEDGER_KEY } }
`;

function reaching(path: string): string {
  const place = JSON.stringify(path);
  return `playbook: 1
name: Reaches for the files of others
inputs:
  table: { type: file, default: ${place}, format: csv, items: { type: object, properties: { a: { type: decimal } } } }
  list: { type: file, default: ${place}, format: yaml, items: { type: decimal } }
  map: { type: file, default: ${place}, format: json, properties: { a: { type: decimal } } }
  judged: { type: file, schema: ${place} }
steps:
  - uses: ${place}
`;
}

test.for(REACHES)("no command reads or quotes $name", async ({ lay, includes }) => {
  const outside = temporaryFolder();
  writeFileSync(join(outside, "private.yaml"), PRIVATE);
  const project = newProject({ ...KEYS, NO_COLOR: "1" });
  project.write("tokenbook.yaml", ENVIRONMENT);
  project.write("reaching.yaml", reaching(lay(project, outside)));
  const formats = ["json", "github", "sarif", "text"].map((format) => ["check", "--format", format]);
  for (const command of [...formats, ["run"], ["plan"], ["schedule", "--once"]]) {
    const ended = await project.run(...command, "reaching.yaml");
    expect(ended.code, ended.transcript).toBe(2);
    expect(ended.transcript.replaceAll(/^cd .*$/gm, ""), ended.transcript).not.toContain("c4nary");
  }
  const { data, transcript } = await project.json("check", "reaching.yaml");
  const found = (data.files[0]?.diagnostics ?? []).filter(({ file }) => file === "reaching.yaml");
  const refused = found.filter(({ message }) =>
    /lies outside of the project|is a hidden file|is a file of settings/.test(message),
  );
  expect(
    refused.map(({ line }) => line),
    transcript,
  ).toEqual(includes === true ? [4, 5, 6, 7] : [4, 5, 6, 7, 9]);
  expect(
    found.map(({ line }) => line),
    transcript,
  ).toEqual([4, 5, 6, 7, 9]);
});

test("a playbook's secret file must be in its project: a token of the user elsewhere is never sent", async () => {
  const outside = temporaryFolder();
  writeFileSync(join(outside, "token"), "c4nary-of-the-user\n");
  const service = await servedSandbox();
  const project = newProject();
  project.serviceAt(service.url);
  project.write(".env", "PIN=c4nary-of-the-project\n");
  project.write(".keys/pin", "c4nary-of-the-playbook\n");
  const sending = (path: string): string => `playbook: 1
secrets: { PIN: ${JSON.stringify(`file:${path}`)} }
steps:
  - uses: ledger.asset.create
    as: { ledger: "userId:alice" }
    with: { assetType: Property, data: { id: "P\${{ run.key }}", pin: "\${{ secrets.PIN }}" } }
`;
  const reaches = [
    [join(outside, "token"), "lies outside of the project"],
    [linked(project, join(outside, "token"), "pin"), "lies outside of the project"],
    [".env", "is a file of settings"],
  ] as const;
  for (const [path, says] of reaches) {
    project.write("sending.yaml", sending(path));
    const ended = await project.run("run", "sending.yaml");
    expect([ended.code, ended.stderr], ended.transcript).toEqual([2, expect.stringContaining(says)]);
    expect(ended.stderr, ended.transcript).toContain("env:NAME");
  }
  expect(await service.commits()).toEqual([]);
  project.write("sending.yaml", sending(".keys/pin"));
  const sent = await project.run("run", "sending.yaml");
  expect(sent.code, sent.transcript).toBe(0);
  expect(JSON.stringify(await service.commits())).toContain("c4nary-of-the-playbook");
});

test("a file on the command line may be anywhere, and is quoted only if it is the project's", async () => {
  const outside = temporaryFolder();
  const project = newProject();
  const table = "account,amount\nc4nary-account,c4nary-amount\n";
  project.write(
    "rows.yaml",
    "playbook: 1\ninputs:\n  rows: { type: file, format: csv, items: { type: object, properties: { account: { type: string }, amount: { type: decimal } } } }\nsteps: [{ uses: ledger.status }]\n",
  );
  writeFileSync(join(outside, "rows.csv"), table);
  project.write("rows.csv", table);
  project.write(".env", "ACCOUNT=c4nary-account\n");
  const given = async (path: string) => project.run("plan", "rows.yaml", "--env", "sandbox", "--input", `rows=${path}`);
  const far = await given(join(outside, "rows.csv"));
  expect(far.code, far.transcript).toBe(2);
  expect(far.stderr, far.transcript).toContain("rows.csv:2 does not hold what the playbook declares");
  expect(far.stderr, far.transcript).not.toContain("c4nary");
  const near = await given("rows.csv");
  expect(near.stderr, near.transcript).toContain('must be of type decimal, and is "c4nary-amount"');
  const variables = await given(".env");
  expect([variables.code, variables.stderr], variables.transcript).toEqual([
    2,
    expect.stringContaining(".env is a file of settings"),
  ]);
  expect(variables.stderr, variables.transcript).not.toContain("c4nary");
  writeFileSync(join(outside, "rows.csv"), table.replace("c4nary-amount", "1"));
  const right = await given(join(outside, "rows.csv"));
  expect(right.code, right.transcript).toBe(0);
});

test.for([
  ["check", ["check"]],
  ["check for GitHub", ["check", "--format", "github"]],
  ["the formatter", ["fmt", "--diff"]],
  ["the formatter that checks", ["fmt", "--check"]],
  ["a run", ["run"]],
] as const)(
  "%s shows nothing of a file outside of the project behind a link that is named like a playbook",
  async ([, command]) => {
    const outside = temporaryFolder();
    const project = newProject();
    mkdirSync(join(project.folder, "playbooks"));
    const texts = [
      "c4nary: [",
      "users: [ {token:   c4nary-1} ]\nc4nary-2:    1\n",
      "password: !c4nary",
      "a: *c4nary",
      "machine x password c4nary",
      PRIVATE,
    ];
    for (const [at, text] of texts.entries()) {
      writeFileSync(join(outside, `private-${at}`), text);
      symlinkSync(join(outside, `private-${at}`), join(project.folder, `playbooks/link-${at}.yaml`));
      const ended = await project.run(...command, `playbooks/link-${at}.yaml`);
      expect(ended.code, ended.transcript).not.toBe(0);
      expect(ended.stdout + ended.stderr, ended.transcript).not.toContain("c4nary");
    }
  },
);

test("a file of the project is read, and the message quotes what is wrong in it", async () => {
  const project = newProject();
  project.write("data/rows.csv", "a\nnone\n");
  project.write(
    "reaching.yaml",
    "playbook: 1\ninputs:\n  rows: { type: file, default: ../data/rows.csv, items: { type: object, properties: { a: { type: decimal } } } }\nsteps: [{ uses: ledger.status }]\n".replace(
      "../",
      "",
    ),
  );
  const ended = await project.run("check", "reaching.yaml");
  expect(ended.stdout, ended.transcript).toContain('data/rows.csv:2 (row 1, column "a") must be of type decimal, and is "none"');
  expect(ended.stdout, ended.transcript).toContain("> 3 |   rows: { type: file");
});
