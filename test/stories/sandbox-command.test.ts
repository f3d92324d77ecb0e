import { expect, test } from "vitest";
import { KEYS_OF_SANDBOX, newProject, type Project, readySandbox } from "./world.ts";

const READ = "playbook: 1\nsteps:\n  - uses: ledger.asset.stats\n    fails: { condition: server error }\n";

const HERE = "environments:\n  here:\n    profile: { ledger: { onBehalfOf: { in: header, name: X-Acting } } }\n";

async function serving(project: Project, ...args: string[]): Promise<string> {
  project.write("keys.json", JSON.stringify(KEYS_OF_SANDBOX));
  const { ledgerBaseUrl } = await readySandbox(project.start("sandbox", "--port", "0", "--json", "--seed", "keys.json", ...args));
  return ledgerBaseUrl;
}

test("the sandbox answers with the faults of its fault plan", async () => {
  const project = newProject();
  project.write("faults.yaml", "- { operation: ledger.asset.stats, fault: { status: 500 } }\n");
  project.write("read.yaml", READ);
  project.serviceAt(await serving(project, "--faults", "faults.yaml"));
  const run = await project.run("run", "read.yaml");
  expect(run.code, run.transcript).toBe(0);
  expect(run.stdout, run.transcript).toContain("refused as expected: HTTP 500: a fault of the plan");
});

test("the sandbox does not start with an invalid fault plan, and reports the mistake", async () => {
  const project = newProject();
  project.write("faults.yaml", "- { operation: ledger.asset.stats, fault: fire }\n");
  const wrong = await project.run("sandbox", "--port", "0", "--faults", "faults.yaml");
  expect(wrong.code, wrong.transcript).toBe(2);
  expect(wrong.stderr, wrong.transcript).toContain("faults.yaml:1:43 error schema.value");
  project.write("faults.yaml", "");
  const empty = await project.run("sandbox", "--port", "0", "--faults", "faults.yaml");
  expect(empty.code, empty.transcript).toBe(2);
  expect(empty.stderr, empty.transcript).toContain("faults.yaml:1:1 error source.empty");
});

test("the sandbox takes the names of parameters from the profile of an environment", async () => {
  const project = newProject();
  project.write("tokenbook.yaml", HERE);
  const url = await serving(project, "--profile", "here");
  const described = (await (await fetch(`${url}/_sandbox/openapi/ledger`)).json()) as {
    paths: Record<string, { get: { parameters: readonly { name: string; in: string }[] } }>;
  };
  expect(described.paths["/asset/stats"]?.get.parameters).toMatchObject([{ name: "X-Acting", in: "header" }]);
});

test("the error of an unknown profile suggests the nearest one", async () => {
  const project = newProject();
  const none = await project.run("sandbox", "--port", "0", "--profile", "here");
  expect(none.code, none.transcript).toBe(2);
  expect(none.stderr, none.transcript).toContain(
    "there is no tokenbook.yaml beside the playbook or above it, nor in this folder",
  );
  project.write("tokenbook.yaml", HERE);
  const wrong = await project.run("sandbox", "--port", "0", "--profile", "her");
  expect(wrong.code, wrong.transcript).toBe(2);
  expect(wrong.stderr, wrong.transcript).toContain("next: --profile here");
});

test("the sandbox serves a filled file unchanged, and reports that it ignores the seed", async () => {
  const project = newProject();
  project.write("seed.yaml", "ledgerApiKey: another\n");
  const file = ["--db", "sandbox.db"];
  for (const notice of ["", "sandbox.db holds a sandbox already, and is served as it is: --seed fills only an empty file\n"]) {
    const running = project.start("sandbox", "--port", "0", "--json", ...file, "--seed", "seed.yaml");
    expect(await readySandbox(running)).toMatchObject({ ledgerApiKey: "another" });
    await running.signal("SIGTERM");
    const { stderr } = await running.ended;
    expect(stderr.replace("tokenbook: ", "")).toBe(notice);
  }
});

test("the acting entity can be in a header, and a name that a header cannot contain is reported", async () => {
  const project = newProject();
  project.write("tokenbook.yaml", HERE);
  const url = await serving(project, "--profile", "here");
  project.serviceAt(url);
  const profile = "    profile: { ledger: { onBehalfOf: { in: header, name: X-Acting } } }\n";
  project.write("tokenbook.yaml", project.read("tokenbook.yaml").replace(/^ {4}ledger:/m, `${profile}    ledger:`));
  for (const [name, code] of [
    ["alice", 0],
    ["Łukasz", 1],
  ] as const) {
    project.write(
      "look.yaml",
      `playbook: 1\nactors: { who: { ledger: "userId:${name}" } }\nsteps: [{ uses: ledger.asset.stats, as: who }]\n`,
    );
    const run = await project.run("run", "look.yaml");
    expect(run.code, run.transcript).toBe(code);
    if (code === 0) continue;
    expect(run.stdout, run.transcript).toContain('actor.not-in-header: "userId:Łukasz" cannot be named in the header X-Acting');
    expect(run.stdout, run.transcript).toMatch(
      /onBehalfOf: \{ in: query, name: NAME \} \} \} at tokenbook\.yaml:3 \(environments\.\w+\.profile\)/,
    );
  }
});

test.for([
  [
    "--seed",
    "assetTypes: [Property]\ncolour: red\n",
    "sandbox.seed-invalid",
    "file.yaml:2:1 error schema.unknown-field",
    "fix: known fields: ",
  ],
  [
    "--seed",
    "assetTypes:\n  - A\n  - A\n",
    "sandbox.seed-invalid",
    "file.yaml:3:5 error schema.value",
    "fix: leave out one of them",
  ],
  [
    "--seed",
    "ledger:\n  tokens:\n    - { id: T1, totalSupply: 5 }\n",
    "sandbox.seed-invalid",
    "file.yaml:3:30 error",
    "the accounts hold 0",
  ],
  [
    "--faults",
    "- fault: html\n  operation: ledger.token.mnt\n",
    "sandbox.faults-invalid",
    "file.yaml:2:14 error",
    "did you mean ledger.token.mint?",
  ],
] as const)("a mistake in a file for the sandbox is shown at its place: %j", async ([option, text, code, place, fix]) => {
  const project = newProject();
  project.write("file.yaml", text);
  const ended = await project.run("sandbox", "--port", "0", option, "file.yaml");
  expect(ended.code, ended.transcript).toBe(2);
  expect(ended.stderr, ended.transcript).toContain(`error ${code}\n  ${place}`);
  expect(ended.stderr, ended.transcript).toContain(fix);
  expect(ended.stderr, ended.transcript).toMatch(/^ {2} {2}> \d+ \| .*\n.*\^/m);
});
