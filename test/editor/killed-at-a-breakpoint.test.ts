// A held run keeps every promise: if somebody kills the adapter, which executes the run, or the editor, the run resumes as usual.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MINT_ONCE, operationsOf, type Project, runIn, type Service, temporaryFolder, until } from "../stories/world.ts";
import { cutAnswer, proxyTo } from "../stories/proxy.ts";
import { DEBUG, Debugging, served } from "./debugging.ts";

const MINT = MINT_ONCE.slice(0, MINT_ONCE.indexOf("- id: mint")).split("\n").length;
const MINTED = ["ledger.token.create", "ledger.token.mint"];

async function resumesOnce(project: Project, service: Service): Promise<void> {
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  runIn(resumed);
  expect(operationsOf(await service.commits()), resumed.transcript).toEqual(MINTED);
}

test("a run resumes after its debugger was killed before a write or after a lost answer, and the write takes effect once", async () => {
  const { project, service } = await served({ "mint.yaml": MINT_ONCE });
  const proxy = await proxyTo(service.url);
  project.serviceAt(proxy.url);
  void proxy.next("POST /token/mint", cutAnswer);
  const first = Debugging.beside(project);
  await first.begin({ playbook: "mint.yaml" }, { "mint.yaml": [MINT] });
  expect(await first.stopped()).toMatchObject({ description: "before mint" });
  first.process?.kill("SIGKILL");
  expect(await first.left).toBe(-1);
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create"]);

  const second = Debugging.beside(project);
  await second.begin({ resume: "latest" }, { "mint.yaml": [MINT] });
  expect(await second.stopped()).toMatchObject({ description: "before mint" });
  await second.go();
  expect(await second.stopped()).toMatchObject({ description: "after mint" });
  expect((await second.values())["Answer"]).toMatchObject({ answer: { meaning: '"ambiguous"' } });
  // While the debugger holds the run, nobody else can resume it.
  const beside = await project.run("resume");
  expect([beside.code, beside.stderr], beside.transcript).toEqual([6, expect.stringContaining("is held")]);
  second.process?.kill("SIGKILL");
  await second.left;
  await resumesOnce(project, service);
});

// This stand-in has the only other ends of the adapter's pipes, as an editor has.
const EDITOR = `import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
const [file, program, ...args] = process.argv.slice(2);
const { stdin, stdout, pid } = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
writeFileSync(file, String(pid));
process.stdin.pipe(stdin);
stdout.pipe(process.stdout);
`;

test("if the editor is killed at a breakpoint, the run is interrupted as by Ctrl-C, and can resume", async () => {
  const { project, service } = await served({ "mint.yaml": MINT_ONCE });
  const folder = temporaryFolder();
  writeFileSync(join(folder, "editor.mjs"), EDITOR);
  const session = Debugging.beside(project, [process.execPath, join(folder, "editor.mjs"), join(folder, "pid"), ...DEBUG]);
  await session.begin({ playbook: "mint.yaml" }, { "mint.yaml": [MINT] });
  await session.stopped();
  const adapter = Number(readFileSync(join(folder, "pid"), "utf8"));
  session.process?.kill("SIGKILL");
  await until(() => (isAlive(adapter) ? undefined : true));
  const [run] = (await project.json("runs")).data.runs;
  expect(run).toMatchObject({ outcome: "interrupted" });
  await resumesOnce(project, service);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
