import { expect, test } from "vitest";
import { type Ended, expectNoneTwice, MINT_ONCE, newProject, operationsOf, type Project, servedSandbox } from "./world.ts";

const COPIES = 8;
// The number of lines that the runs have printed when they are killed. At each of these moments, some runs begin, some mint, some end.
const LINES = [3, 9, 15];

test.for(LINES)("runs side by side share their commits; killed after %d lines and resumed, none writes twice", async (lines) => {
  const service = await servedSandbox();
  const project = newProject();
  project.serviceAt(service.url);
  for (let at = 1; at <= COPIES; at++) project.write(`playbooks/copy-${at}.yaml`, MINT_ONCE);
  const running = project.start("run", "playbooks", "--jobs", "8");
  await running.lines(lines);
  await running.signal("SIGKILL");
  const killed = await running.ended;

  const ends = await resumeAll(project);
  const commits = await service.commits();
  const transcript = `killed after ${lines} lines\n${killed.transcript}\n${ends.map(({ transcript: each }) => each).join("\n")}`;
  expectNoneTwice(commits, transcript);
  const minted = operationsOf(commits).filter((operation) => operation === "ledger.token.mint").length;
  const passed = ends.filter(({ code }) => code === 0).length;
  const unknown = ends.filter(({ code }) => code === 5).length;
  expect(passed + unknown, transcript).toBe(ends.length);
  expect(minted, transcript).toBeGreaterThanOrEqual(passed);
  expect(minted, transcript).toBeLessThanOrEqual(ends.length);
});

async function resumeAll(project: Project): Promise<readonly Ended[]> {
  const { data } = await project.json("runs");
  const { runs } = data as unknown as { readonly runs: readonly { readonly id: string }[] };
  return Promise.all(runs.map(({ id }) => project.run("resume", id)));
}
