import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ATTACKS, expectRefused, IS_ROOT, newVictim, NOBODY } from "./hostile-files.ts";
import { newProject, COMMAND_LINE, IN_SHELL } from "./world.ts";

// Runs without CI, because in CI a command uses the embedded sandbox only on request.
const OWN = { PATH: process.env["PATH"], HOME: process.env["HOME"] };

const WAYS: readonly (readonly [string, (file: string) => readonly string[]])[] = [
  ["--report", (file) => ["run", "look.yaml", "--report", `json=${file}`]],
  ["--debug", (file) => ["run", "look.yaml", `--debug=${file}`]],
  ["--out of a plan", (file) => ["plan", "look.yaml", "--out", file]],
];
const LOOK = "playbook: 1\nsteps: [{ uses: ledger.status }]\n";

test.each(WAYS)("%s refuses a link, a pipe, a folder and a socket as its file", async (_, args) => {
  const project = newProject({});
  project.write("look.yaml", LOOK);
  for (const { name, lay } of ATTACKS.filter(({ needsRoot = false }) => !needsRoot)) {
    const victim = newVictim();
    const path = join(project.folder, `out-${name.replaceAll(" ", "-")}`);
    lay(path, victim.path);
    const ended = await project.run(...args(relative(project.folder, path)));
    victim.assertUntouched(ended.transcript);
    if (name === "a second name of a file") continue;
    expect(ended.code, ended.transcript).toBe(2);
    expect(ended.stderr, ended.transcript).toMatch(/it is a (link|pipe|folder)/);
  }
  const socket = createServer().listen(join(project.folder, "socket"));
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  expectRefused(await project.run(...args("socket")), /it is a socket/);
});

test.each(WAYS)("%s writes to a stream that the command line names", async (_, args) => {
  const project = newProject({});
  project.write("look.yaml", LOOK);
  const line = (file: string): string =>
    [...COMMAND_LINE, ...args(file)].map((word) => (word.includes(">(") ? word : `'${word}'`)).join(" ");
  const inBash = (script: string): string =>
    execFileSync("bash", ["-c", script], {
      cwd: project.folder,
      encoding: "utf8",
      env: OWN,
      stdio: ["ignore", "pipe", "ignore"],
    });
  const marks = /"ledger\.status"|\/status|"environment"/;
  expect(inBash(`${line("/dev/stdout")} | cat`)).toMatch(marks);
  expect(inBash(`${line("/dev/fd/3")} 3>&1 >&2 | cat`)).toMatch(marks);
  // The test names the descriptor by its number, because a command that replaced /dev/stdout itself would damage the machine.
  inBash(`${line("/dev/fd/1")} > into.txt`);
  expect(project.read("into.txt")).toMatch(marks);
  inBash(`${line(">(cat > substituted.txt)")}; until [ -s substituted.txt ]; do sleep 0.01; done`);
  expect(project.read("substituted.txt")).toMatch(marks);
});

test("a command ends when nobody reads the stream of its report", async () => {
  const project = newProject({});
  project.write("look.yaml", LOOK);
  const run = `${IN_SHELL} run look.yaml --report json=/dev/fd/3`;
  // The pipe is already full, and stays open.
  const script = `mkfifo pipe; exec 3<>pipe; head -c 65536 /dev/zero >&3; ${run} 2>&1; echo "exit $?"`;
  const printed = execFileSync("bash", ["-c", script], { cwd: project.folder, encoding: "utf8", env: OWN });
  expect(printed).toContain("the report json=/dev/fd/3 could not be written: nobody reads from it");
  expect(printed).toContain("exit 2");
});

test.skipIf(!IS_ROOT)("--debug refuses a file that belongs to another user", async () => {
  const project = newProject({});
  project.write("look.yaml", LOOK);
  const file = join(project.folder, "seen.log");
  writeFileSync(file, "");
  chmodSync(file, 0o666);
  chownSync(file, NOBODY, NOBODY);
  expectRefused(await project.run("run", "look.yaml", "--debug=seen.log"), /it belongs to user 65534/);
  expect(readFileSync(file, "utf8")).toBe("");
});

test("the job summary does not follow a link", async () => {
  const project = newProject({});
  project.write("look.yaml", LOOK);
  const victim = newVictim();
  symlinkSync(victim.path, join(project.folder, "summary.md"));
  const ended = await project.as({ GITHUB_STEP_SUMMARY: "summary.md" }).run("run", "look.yaml", "--env", "sandbox");
  expect(ended.code, ended.transcript).toBe(0);
  expect(ended.stderr, ended.transcript).toContain("it is a link");
  victim.assertUntouched(ended.transcript);
});
