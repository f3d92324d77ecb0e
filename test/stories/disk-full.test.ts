import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { serve } from "../unit/engine/server.ts";
import { KEYS, launch, MINT_ONCE, newProject, operationsOf, servedSandbox, temporaryFolder, IN_SHELL } from "./world.ts";

const WRITES = ["ledger.token.create", "ledger.token.mint"];
// The largest size of a file of the process, from too small for its first page to almost enough for its last record.
const LIMITS_KIB = [1, 20, 44, 60, 76, 95, 110, 122];

test.for(LIMITS_KIB)(
  "a journal limited to %i KiB stops the run before its next request, and with room no write is sent twice",
  async (kib) => {
    const service = await servedSandbox();
    const project = newProject();
    project.serviceAt(service.url);
    project.write("mint.yaml", MINT_ONCE);
    const command = `ulimit -f ${kib}; exec ${IN_SHELL} run mint.yaml`;
    const tight = await launch(["-c", command], { cwd: project.folder, variables: KEYS, program: "bash" }).ended;
    expect(tight.code, tight.transcript).toBe(2);
    expect(tight.stderr, tight.transcript).toMatch(/^error (?:journal\.cannot-write|database\.full)\n/m);
    expect(tight.stdout, "what is not recorded is not reported").not.toContain("passed");
    const before = operationsOf(await service.commits());
    expect(before, tight.transcript).toEqual(WRITES.slice(0, before.length));

    const { data } = await project.json("runs");
    const again = await project.run(...(data.runs.length > 0 ? ["resume"] : ["run", "mint.yaml"]));
    expect(again.code, `${tight.transcript}\n${again.transcript}`).toBe(0);
    expect(operationsOf(await service.commits()), tight.transcript).toEqual(WRITES);
    expect((await project.run("runs", "verify")).code).toBe(0);
  },
);

test("a comparison whose temporary file cannot grow names its folder", async () => {
  const accounts = Array.from({ length: 45_000 }, (_, at) => ({
    tokenId: "Gold",
    entity: { userId: `holder${at}`.padStart(200, "0") },
    balance: 1,
  }));
  const { url } = await serve(() => ({ body: JSON.stringify(accounts) }));
  const project = newProject();
  project.serviceAt(url);
  const side = "{ as: { ledger: key }, read: ledger.account.list, with: { tokenId: Gold }, key: row.entity.userId }";
  project.write("nightly.yaml", `playbook: 1\nmode: read-only\nreconcile: [{ id: accounts, left: ${side}, right: ${side} }]\n`);
  const folder = temporaryFolder();
  const command = `ulimit -f 400; exec ${IN_SHELL} run nightly.yaml`;
  const variables = { ...KEYS, TMPDIR: folder };
  const { code, transcript } = await launch(["-c", command], { cwd: project.folder, variables, program: "bash" }).ended;
  // The comparison fails, and the run ends as it does after any other failed check.
  expect(code, transcript).toBe(1);
  expect(transcript).toContain(`database.full: the temporary file in ${folder} (TMPDIR) cannot grow`);
});

const CAN_MOUNT = spawnSync("unshare", ["-rm", "true"]).status === 0;

test.skipIf(!CAN_MOUNT)("doctor does not call a state ready that no command can open on a full disk", async () => {
  const folder = temporaryFolder();
  const command = `mount -t tmpfs -o size=64k tmpfs ${folder} && exec ${IN_SHELL} doctor --state ${folder}`;
  const { code, transcript } = await launch(["-rm", "sh", "-c", command], { cwd: newProject({}).folder, program: "unshare" })
    .ended;
  expect(code, transcript).toBe(1);
  expect(transcript).toContain(`✗ ${folder}: 0 MB free`);
});

test.for([
  ["data that cannot be printed are no success", "operations", 2],
  ["a run that cannot print anything continues to its end", "run mint.yaml", 2],
  ["the exit code still shows what was found to be wrong", "fmt --check mint.yaml", 1],
] as const)("a full stdout is reported once: %s", async ([, words, code]) => {
  const project = newProject({});
  project.write("mint.yaml", MINT_ONCE.replace("actors:", "actors:  "));
  const command = `exec ${IN_SHELL} ${words} > /dev/full`;
  const ended = await launch(["-c", command], { cwd: project.folder, program: "sh" }).ended;
  expect(ended.code, ended.transcript).toBe(code);
  expect(ended.stderr.match(/^error output\.cannot-write$/gm), ended.transcript).toHaveLength(1);
  expect(ended.stderr, ended.transcript).not.toMatch(/^\s+at /m);
  const { data } = await project.json("runs");
  expect(data.runs.map(({ outcome }) => outcome)).toEqual(words.startsWith("run") ? ["passed"] : []);
});

test("a file of the state that cannot be written whole keeps its old content", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "journal.tail");
  writeFileSync(file, "old", { mode: 0o600 });
  const module = pathToFileURL("src/files/private.ts").href;
  const script = `import { replacePrivate } from "${module}"; replacePrivate("${file}", Buffer.alloc(3_000));`;
  const variables = { SCRIPT: script };
  const command = `ulimit -f 1; exec ${process.execPath} --input-type=module --eval "$SCRIPT"`;
  const { code, transcript } = await launch(["-c", command], { cwd: folder, variables, program: "bash" }).ended;
  expect(code, transcript).toBe(1);
  expect(transcript).toContain("EFBIG");
  expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(["old"]);
});
