import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newProject } from "./world.ts";

const INNER = "playbook: 1\nsteps:\n  - uses: ledger.status\n";

test("check refuses an include from outside the project, by a path or by a link", async () => {
  const project = newProject();
  const outside = join(project.folder, "..", "elsewhere");
  mkdirSync(outside);
  writeFileSync(join(outside, "inner.yaml"), INNER);
  symlinkSync(join(outside, "inner.yaml"), join(project.folder, "link.yaml"));
  project.write("inner.yaml", INNER);
  for (const uses of ["../elsewhere/inner.yaml", join(outside, "inner.yaml"), "./link.yaml"]) {
    project.write("outer.yaml", `playbook: 1\nsteps:\n  - uses: ${uses}\n`);
    const checked = await project.run("check", "outer.yaml");
    expect(checked.code, checked.transcript).toBe(2);
    expect(checked.stdout, checked.transcript).toContain(`${uses} lies outside of the project`);
  }
  project.write("outer.yaml", "playbook: 1\nsteps:\n  - uses: ./inner.yaml\n");
  expect((await project.run("check", "outer.yaml")).code).toBe(0);
});
