import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inProjectHere } from "../../../src/cli/project/chosen-project.ts";
import { statePlace } from "../../../src/cli/project/state-place.ts";
import { silentShell } from "./shell.ts";

test("a running scheduler keeps its state, even if somebody names a database in tokenbook.yaml", () => {
  const folder = mkdtempSync(join(tmpdir(), "state-place-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const environments = "environments:\n  sandbox: embedded\n";
  writeFileSync(join(folder, "tokenbook.yaml"), environments);
  const shell = { ...silentShell(), cwd: folder, variables: { DATABASE: "postgres://127.0.0.1/desk" } };
  const scheduler = inProjectHere(shell);
  expect(statePlace(scheduler, {})).toBe(join(folder, ".tokenbook"));
  writeFileSync(join(folder, "tokenbook.yaml"), `${environments}state: { postgres: env:DATABASE, schema: desk }\n`);
  expect(statePlace({ ...scheduler, stdout: shell.stderr }, {})).toBe(join(folder, ".tokenbook"));
  expect(statePlace(inProjectHere(shell), {})).toMatchObject({ schema: "desk" });
});
