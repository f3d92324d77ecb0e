import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { newProject, ROOT } from "./world.ts";

const DIST = join(ROOT, "dist");

/** Returns the file and all files that are loaded with it. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, target = ""] of readFileSync(file, "utf8").matchAll(/^(?:const \w+ = )?require\('(\.[^']+)'\);/gm)) {
    loadedWith(join(dirname(file), target), seen);
  }
  return seen;
}

function namesOf(files: Iterable<string>): readonly string[] {
  return [...files].map((file) => file.slice(DIST.length + 1).replace(/^chunks\/(.+)-.{8}\.cjs$/, "$1")).toSorted();
}

function commandFile(name: string): string {
  const [, target = ""] =
    new RegExp(`=> require\\("(\\./chunks/${name}-[^"]+)"\\)`).exec(readFileSync(join(DIST, "cli.cjs"), "utf8")) ?? [];
  return join(DIST, target);
}

test("each command loads what it needs and no more: neither the sandbox, nor a schema compiler, nor child processes", () => {
  const first = loadedWith(join(DIST, "cli.cjs"));
  expect(namesOf(first)).toEqual(["base", "cli.cjs", "rolldown-runtime"]);
  expect(namesOf(loadedWith(commandFile("check")))).toEqual(["base", "check", "playbook", "rolldown-runtime"]);
  const plan = namesOf(loadedWith(commandFile("plan")));
  expect(plan).toEqual(["base", "hinted", "journal", "plan", "plan.schema", "planning", "playbook", "rolldown-runtime", "run"]);
  const run = loadedWith(commandFile("run"));
  expect(namesOf(run)).toEqual(["base", "hinted", "journal", "playbook", "rolldown-runtime", "run", "run"]);
  for (const file of [...first, ...run]) {
    expect(readFileSync(file, "utf8"), file).not.toMatch(/class Ajv|"node:(?:child_process|http2|process)"/);
  }
});

test("the thread that talks to a database server is one file", () => {
  expect(namesOf(loadedWith(join(DIST, "postgres.cjs")))).toEqual(["postgres.cjs"]);
});

test("no command loads locale data before it has a number to print for people", () => {
  const { folder, write } = newProject();
  write("hook.cjs", `Number.prototype.toLocaleString = () => { throw new Error("locale data") }; Intl.NumberFormat = undefined;`);
  for (const typed of [["--version"], ["check", join(ROOT, "playbooks/scenarios/tokens.yaml")]]) {
    const node = ["--require", join(folder, "hook.cjs"), join(ROOT, "bin/tokenbook.js")];
    const { status, stderr } = spawnSync(process.execPath, [...node, ...typed], { cwd: folder, encoding: "utf8" });
    expect([typed[0], status, stderr]).toEqual([typed[0], 0, ""]);
  }
});
