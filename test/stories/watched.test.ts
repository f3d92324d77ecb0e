import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { embeddedCommits, MINT_ONCE, newProject, type Project, servedSandbox } from "./world.ts";

const INCLUDES = "playbook: 1\nsteps: [{ id: part, uses: ./part.yaml }]\n";
const PART = "playbook: 1\nsteps: [{ uses: ledger.asset.stats }]\n";

/** Saves a file as editors do: a new file replaces the old one. */
function save(project: Project, file: string, text: string): void {
  project.write(`.${file}.swp`, text);
  renameSync(join(project.folder, `.${file}.swp`), join(project.folder, file));
}

test("check --watch checks again when an included file changes, and when a file is added to a folder", async () => {
  const project = newProject();
  project.write("playbooks/whole.yaml", INCLUDES);
  project.write("playbooks/part.yaml", PART);
  const running = project.start("check", "playbooks", "--watch");
  await running.printed("watching ");
  save(project.within("playbooks"), "part.yaml", PART.replace("stats", "statistic"));
  await running.printed("playbook.unknown-operation");
  await running.printed("changed: playbooks/part.yaml");
  save(project.within("playbooks"), "part.yaml", PART);
  project.write("playbooks/new.yaml", PART);
  await running.printed("✓ playbooks/new.yaml");
  await running.signal("SIGINT");
  const ended = await running.ended;
  expect(ended.code, ended.transcript).toBe(130);
});

test("check --watch survives a file that is gone for a while", async () => {
  const project = newProject();
  project.write("whole.yaml", PART);
  const running = project.start("check", "whole.yaml", "--watch");
  await running.printed("watching ");
  renameSync(join(project.folder, "whole.yaml"), join(project.folder, "whole.old"));
  await running.printed("file.missing");
  project.write("whole.yaml", "playbook: 1\nsteps: [{ id: two, uses: ledger.asset.stats }, { uses: ledger.asset.stats }]\n");
  await running.printed("2 steps");
  await running.signal("SIGTERM");
  expect((await running.ended).code).toBe(143);
});

test("run --watch runs again on the embedded sandbox when a file changes", async () => {
  const project = newProject();
  project.write("mint.yaml", MINT_ONCE);
  const running = project.start("run", "mint.yaml", "--watch");
  await running.printed("watching ");
  save(project, "mint.yaml", MINT_ONCE.replace("name: Mint once", "name: Mint a second time"));
  await running.printed("✓ passed  Mint a second time");
  await running.signal("SIGINT");
  const ended = await running.ended;
  expect(ended.code, ended.transcript).toBe(130);
  expect(await embeddedCommits(project)).toHaveLength(4);
});

test("run --watch writes to no service, also when tokenbook.yaml comes to name one meanwhile", async () => {
  const service = await servedSandbox();
  const project = newProject();
  project.write("tokenbook.yaml", "environments: { here: embedded }\n");
  project.write("mint.yaml", MINT_ONCE);
  const running = project.start("run", "mint.yaml", "--watch");
  await running.printed("watching ");
  project.serviceAt(service.url);
  await running.printed("run.watched-service");
  await running.signal("SIGINT");
  const ended = await running.ended;
  expect(ended.stdout.match(/✓ passed/g), ended.transcript).toHaveLength(1);
  expect(ended.transcript, "no run was under way that could stop").not.toContain("stopping");
  expect(await service.commits()).toEqual([]);
});
