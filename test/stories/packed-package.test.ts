import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { oldNode } from "./old-node.ts";
import { type Ended, launch, ROOT, temporaryFolder } from "./world.ts";

const THREE_LINES = `playbook: 1
name: Is it there?
steps: [{ id: status, uses: ledger.status }]
`;

const CREATE = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
steps:
  - id: token
    uses: tokenbook/create-token.yaml
    with: { id: Packed, name: Packed, symbol: PCK, issuer: "\${{ actors.issuer }}" }
`;

test("the package is packed, installed in an empty folder and run: no other package, no set-up", async (context) => {
  const [packed, folder] = [temporaryFolder(), join(temporaryFolder(), "empty")];
  await succeed(npm(["pack", "--ignore-scripts", "--pack-destination", packed], ROOT));
  const [archive = ""] = readdirSync(packed);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), "{}");
  await succeed(npm(["install", "--offline", "--no-audit", "--no-fund", join(packed, archive)], folder));
  expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["tokenbook"]);
  const installed = join(folder, "node_modules/tokenbook");
  expect(JSON.parse(readFileSync(join(installed, "package.json"), "utf8")).dependencies ?? {}).toEqual({});
  expect(readdirSync(installed).toSorted()).toEqual(
    expect.arrayContaining(["bin", "dist", "library", "package.json", "schemas"]),
  );

  writeFileSync(join(folder, "three-lines.yaml"), THREE_LINES);
  const run = await succeed(npx(["tokenbook", "run", "three-lines.yaml"], folder));
  expect(run.stdout, run.transcript).toMatch(/^✓ passed {2}Is it there\?: 1 step: 1 ok in /m);
  writeFileSync(join(folder, "create.yaml"), CREATE);
  for (const outcome of ["changed", "unchanged"]) {
    const created = await succeed(npx(["tokenbook", "run", "--verbose", "create.yaml"], folder));
    expect(created.stdout, created.transcript).toMatch(/^ *. \w+ +token\/token .* ledger\.token\.create /m);
    expect(created.stdout, created.transcript).toMatch(new RegExp(`: 2 steps: 1 ${outcome}, 1 ok in `));
  }
  writeFileSync(join(folder, "rows.csv"), "holder\na\nb\n");
  writeFileSync(join(folder, "each.yaml"), `${THREE_LINES}inputs: { holder: { type: string } }\n`);
  const each = await succeed(npx(["tokenbook", "run", "each.yaml", "--each", "rows.csv"], folder));
  expect(each.stdout, each.transcript).toContain("2 rows: 2 passed");
  const listed = await succeed(npx(["tokenbook", "library"], folder));
  expect(listed.stdout, listed.transcript).toContain("tokenbook/create-token.yaml");
  const version = await succeed(npx(["tokenbook", "--version"], folder));
  expect(version.stdout.trim()).toBe(JSON.parse(readFileSync(join(installed, "package.json"), "utf8")).version);

  const old = oldNode();
  if (old === undefined) return context.skip("all but the answer of an older Node: there is none on this machine");
  const program = join(installed, "bin/tokenbook.js");
  const refused = await launch([program, "run", "three-lines.yaml"], { cwd: folder, program: old.path }).ended;
  expect(refused.code, refused.transcript).toBe(2);
  expect(refused.stdout, refused.transcript).toBe("");
  expect(refused.stderr, refused.transcript).toBe(`tokenbook needs Node 24 or newer, and this is Node ${old.version}
next: install Node 24, or let npm fetch it for this command:
npx --yes --package=node@24 -- node ${program} run three-lines.yaml
`);
});

// Uses the Node that runs the stories, whichever Node comes first in the PATH.
const PATH = `${dirname(process.execPath)}:${process.env["PATH"]}`;

function npm(args: readonly string[], cwd: string): Promise<Ended> {
  return launch(args, { cwd, program: "npm", variables: { PATH, npm_config_update_notifier: "false" } }).ended;
}

function npx(args: readonly string[], cwd: string): Promise<Ended> {
  return launch(["--offline", "--no-install", ...args], {
    cwd,
    program: "npx",
    variables: { PATH, npm_config_update_notifier: "false" },
  }).ended;
}

async function succeed(ending: Promise<Ended>): Promise<Ended> {
  const ended = await ending;
  expect(ended.code, ended.transcript).toBe(0);
  return ended;
}
