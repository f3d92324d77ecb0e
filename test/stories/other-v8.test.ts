import { expect, test } from "vitest";
import { COMMAND, isBinary, launch, temporaryFolder } from "./world.ts";

// A V8 prints an error for each flag that it does not know. This fake Node does so for every flag.
const KNOWS_NO_FLAG = `import v8 from "node:v8"; import { syncBuiltinESMExports } from "node:module";
v8.setFlagsFromString = (flags) => process.stderr.write("Error: unrecognized flag " + flags + "\\n"); syncBuiltinESMExports();`;
const IS_ANOTHER = `Object.defineProperty(process.versions, "v8", { value: "99.1.2" });`;

async function runOn(preload: string): Promise<string> {
  const folder = temporaryFolder();
  const made = await launch([COMMAND, "new", "project", "."], { cwd: folder }).ended;
  expect(made.code, made.transcript).toBe(0);
  const module = `data:text/javascript,${encodeURIComponent(preload)}`;
  const ran = await launch(["--import", module, COMMAND, "run", "playbooks/first.yaml"], { cwd: folder }).ended;
  expect(ran.code, ran.transcript).toBe(0);
  return ran.stderr;
}

test.skipIf(isBinary)(
  "a Node with another V8, which may not know our flags, runs a playbook without printing anything of them",
  async () => {
    expect(await runOn(KNOWS_NO_FLAG + IS_ANOTHER)).not.toContain("unrecognized flag");
  },
);

test.skipIf(isBinary)("flags are set on the V8 that we know: else the story above would prove nothing", async () => {
  expect(await runOn(KNOWS_NO_FLAG)).toContain("unrecognized flag");
});
