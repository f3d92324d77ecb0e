import { expect, test } from "vitest";
import { KEYS, MINT_ONCE, newProject, servedSandbox } from "./world.ts";

const LOOK = `playbook: 1
env: { REGION: none }
steps:
  - uses: ledger.asset.stats
outputs: { region: "\${{ env.REGION }}" }
`;

test("a .env beside tokenbook.yaml gives keys and variables; variables that are already set win", async () => {
  const service = await servedSandbox();
  const project = newProject({});
  project.serviceAt(service.url);
  const lines = Object.entries(KEYS).map(([name, value]) => `${name}="${value}" # a key`);
  project.write(".env", ["# of this project", ...lines, "REGION='eu'", ""].join("\n"));
  project.write("mint.yaml", MINT_ONCE);
  project.write("inner/look.yaml", LOOK);
  project.write("inner/.env", "REGION=inner\nLEDGER_KEY=wrong-key\n");
  const minted = await project.run("run", "mint.yaml");
  expect(minted.code, minted.transcript).toBe(0);
  const looked = await project.within("inner").run("run", "look.yaml");
  expect(looked.stdout, "beside tokenbook.yaml, wherever one works").toContain("output region: eu");
  expect((await project.as({ REGION: "us" }).run("run", "inner/look.yaml")).stdout).toContain("output region: us");
  expect((await project.run("run", "inner/look.yaml", "--dotenv", "inner/.env")).transcript).toContain("BUYER_KEY is not set");
});

test("--no-dotenv ignores .env, and --dotenv reads another file, which must exist", async () => {
  const project = newProject({});
  project.write("look.yaml", LOOK);
  project.write(".env", "REGION=eu\n");
  project.write("other", "REGION=other\n");
  expect((await project.run("run", "look.yaml")).stdout).toContain("output region: eu");
  expect((await project.run("run", "look.yaml", "--no-dotenv")).stdout).toContain("output region: none");
  expect((await project.run("run", "look.yaml", "--dotenv", "other")).stdout).toContain("output region: other");
  const missing = await project.run("run", "look.yaml", "--dotenv", "missing");
  expect(missing.code).toBe(2);
  expect(missing.stderr).toMatch(/error dotenv\.unreadable\n {2}missing cannot be read: .*ENOENT/);
});

test("a .env in a parent folder is never read, and no .env sets a variable that tokenbook itself reads", async () => {
  const project = newProject({});
  project.write(".env", "REGION=above\n");
  project.write("inner/look.yaml", LOOK);
  expect((await project.within("inner").run("run", "look.yaml")).stdout).toContain("output region: none");
  project.write("inner/.env", "TOKENBOOK_FAILPOINT=before:run.opened\nTOKENBOOK_DEBUG=1\n");
  const ended = await project.within("inner").run("run", "look.yaml");
  expect(ended.code, ended.transcript).toBe(0);
  expect(ended.stderr).toBe("");
});

test("the processes that a crash test kills read the same .env", async () => {
  const project = newProject({});
  project.write("keys.env", "DOOR_PIN=canary-pin-4711\n");
  project.write(
    "pin.yaml",
    `playbook: 1
secrets: { PIN: env:DOOR_PIN }
steps:
  - uses: ledger.asset.create
    as: { ledger: "userId:alice" }
    with: { assetType: Property, data: { id: "P\${{ run.key }}", doorPin: "\${{ secrets.PIN }}" } }
`,
  );
  const crash = ["test", "--crash-everywhere", "pin.yaml", "--at", "after:attempt.intended@step1"];
  const tried = await project.run(...crash, "--dotenv", "keys.env");
  expect(tried.code, tried.transcript).toBe(0);
  expect(tried.stdout, tried.transcript).toContain("1 boundary: 1 same");
  project.write(".env", project.read("keys.env"));
  expect((await project.run(...crash)).stdout).toContain("1 boundary: 1 same");
  expect((await project.run(...crash, "--no-dotenv")).stderr).toContain("DOOR_PIN is not set");
});

test.for([
  ["REGION: us", "1 is neither NAME=VALUE nor a comment"],
  ["A=1\nB us\n", "2 is neither NAME=VALUE nor a comment"],
  ["A=1\nREGION=one\nREGION=two\n", "3 gives REGION a second time"],
  ['REGION="a b\n', "1 does not end the quoted value of REGION"],
  ["REGION=a#b\n", "1 has # in the value of REGION"],
  ["REGION='q'z\n", "1 has text after the quoted value of REGION"],
] as const)("a line that is unclear is refused, and its value is not shown: %j", async ([text, message]) => {
  const project = newProject({});
  project.write("look.yaml", LOOK);
  project.write(".env", text);
  const refused = await project.run("run", "look.yaml");
  expect(refused.code, refused.transcript).toBe(2);
  expect(refused.stderr).toContain(`error dotenv.unclear\n  .env:${message}`);
  expect((await project.run("doctor")).transcript).toContain(`✗ .env:${message}`);
});

test("a value keeps its quoted parts, and loses comments, `export` and a byte order mark", async () => {
  const project = newProject({});
  project.write("look.yaml", LOOK);
  for (const [line, region] of [
    ["export REGION = eu west  # a comment", "eu west"],
    [`REGION="a # b" # a comment`, "a # b"],
    ["REGION='it is \"so\"'", `it is "so"`],
    ["\uFEFFREGION=x=y=z==", "x=y=z=="],
    ["A=\r\nREGION=eu\r\n", "eu"],
  ] as const) {
    project.write(".env", `${line}\n`);
    const run = await project.json("run", "look.yaml");
    expect(run.data.reports[0]?.run.outputs, line).toEqual({ region });
  }
});
