import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, truncateSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newProject, type Project } from "./world.ts";

// A pipe without a writer: a command that opened it as a file would wait for ever.

const ENDLESS = "/proc/self/pagemap";

const READS = "playbook: 1\nsteps: [{ uses: ledger.status }]\n";
const TAKES_A_FILE = `playbook: 1
inputs:
  rows:
    type: file
    default: PLACE
    schema: { type: array }
steps: [{ uses: ledger.status }]
`;

interface Place {
  readonly name: string;
  /** Creates the files around `odd`, and returns the command. */
  readonly lay: (project: Project) => readonly string[];
  /** The name of the odd file, if it is not `odd`. */
  readonly odd?: string;
}

const ENVIRONMENT = `environments:
  here: { ledger: { baseUrl: "http://127.0.0.1:9", appId: a, orgId: o, apiKey: "file:odd" } }
`;

const PLACES: readonly Place[] = [
  { name: "a playbook that is checked", lay: () => ["check", "odd"] },
  { name: "a playbook that is run", lay: () => ["run", "odd"] },
  { name: "a playbook that is formatted", lay: () => ["fmt", "odd.yaml"], odd: "odd.yaml" },
  {
    name: "an included playbook",
    lay: (project) => (project.write("a.yaml", "playbook: 1\nsteps: [{ id: x, uses: ./odd.yaml }]\n"), ["check", "a.yaml"]),
    odd: "odd.yaml",
  },
  {
    name: "the file of an input, by default",
    lay: (project) => (project.write("a.yaml", TAKES_A_FILE.replace("PLACE", "odd.csv")), ["check", "a.yaml"]),
    odd: "odd.csv",
  },
  {
    name: "the file of an input, as given",
    lay: (project) => (
      project.write("a.yaml", TAKES_A_FILE.replace("    default: PLACE\n", "")),
      ["run", "a.yaml", "--input", "rows=odd.csv"]
    ),
    odd: "odd.csv",
  },
  {
    name: "the schema of a file",
    lay: (project) => (
      project.write("a.yaml", TAKES_A_FILE.replace("    default: PLACE\n", "").replace("{ type: array }", "odd.json")),
      ["check", "a.yaml"]
    ),
    odd: "odd.json",
  },
  {
    name: "tokenbook.yaml",
    lay: (project) => (project.write("a.yaml", READS), ["run", "a.yaml"]),
    odd: "tokenbook.yaml",
  },
  { name: ".env", lay: (project) => (project.write("a.yaml", READS), ["run", "a.yaml"]), odd: ".env" },
  {
    name: "the file of a key",
    lay: (project) => (project.write("a.yaml", READS), project.write("tokenbook.yaml", ENVIRONMENT), ["run", "a.yaml"]),
  },
  { name: "a file of inputs", lay: (project) => (project.write("a.yaml", READS), ["run", "a.yaml", "--inputs", "odd"]) },
  { name: "a plan", lay: (project) => (project.write("a.yaml", READS), ["run", "a.yaml", "--plan", "odd"]) },
  { name: "a fault plan", lay: () => ["sandbox", "--faults", "odd"] },
];

test.for(PLACES)("$name is a pipe: it is refused at once", async ({ lay, odd = "odd" }) => {
  const project = newProject();
  const args = lay(project);
  execFileSync("mkfifo", [join(project.folder, odd)]);
  await refused(project, args, "is a pipe");
});

// The file takes no space on disk, and would fill all memory.
test.for(PLACES)("$name is larger than anything that is read: it is refused", async ({ lay, odd = "odd" }) => {
  const project = newProject();
  const args = lay(project);
  project.write(odd, "");
  truncateSync(join(project.folder, odd), 2 ** 40);
  const ended = await project.run(...args);
  expect(ended.code, ended.transcript).toBe(2);
  expect(ended.stdout + ended.stderr, ended.transcript).toMatch(/ has more than [\d,]+ bytes/);
});

// The file reports a size of 0 bytes, and reading it never ends.
test.runIf(existsSync(ENDLESS))("a file that grows as long as it is read is refused", async () => {
  const project = newProject();
  project.write("a.yaml", READS);
  project.write("given.yaml", TAKES_A_FILE.replace("    default: PLACE\n", "    format: csv\n"));
  project.write("linked.yaml", TAKES_A_FILE.replace("PLACE", "rows.csv"));
  symlinkSync(ENDLESS, join(project.folder, "rows.csv"));
  for (const args of [
    ["check", ENDLESS],
    ["run", ENDLESS],
    ["run", "a.yaml", "--inputs", ENDLESS],
    ["run", "given.yaml", "--input", `rows=${ENDLESS}`],
  ]) {
    const ended = await project.run(...args);
    expect(ended.code, ended.transcript).toBe(2);
    expect(ended.stdout + ended.stderr, ended.transcript).toContain("has more than 16,777,216 bytes");
  }
  const linked = await project.run("check", "linked.yaml");
  expect([linked.code, linked.stdout], linked.transcript).toEqual([
    2,
    expect.stringContaining("rows.csv lies outside of the project"),
  ]);
});

test.for(["check", "run"])("%s refuses a folder, a socket and a device where a file belongs", async (command) => {
  const project = newProject();
  mkdirSync(join(project.folder, "folder.csv"));
  const server = createServer().listen(join(project.folder, "socket.csv"));
  await once(server, "listening");
  onTestFinished(() => void server.close());
  for (const [file, kind] of [
    ["folder.csv", "a folder"],
    ["socket.csv", "a socket"],
  ] as const) {
    project.write("a.yaml", TAKES_A_FILE.replace("PLACE", file));
    await refused(project, [command, "a.yaml"], `${file} is ${kind}`);
  }
  await refused(project, [command, "/dev/zero"], "/zero is a device");
});

async function refused(project: Project, args: readonly string[], says: string): Promise<void> {
  const ended = await project.run(...args);
  expect(ended.code, ended.transcript).toBe(2);
  expect(ended.stdout + ended.stderr, ended.transcript).toContain(`${says}, and only regular files are read`);
}
