import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./world.ts";

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
