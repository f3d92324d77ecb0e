import { expect, test } from "vitest";
import { newProject } from "./world.ts";

const OPEN_FOR_EVER = { NODE_OPTIONS: `--import ${new URL("../open-for-ever.mjs", import.meta.url).href}` };

test("a command that has ended ends its process, whatever is left open in it, and says what that is", async () => {
  const project = newProject();
  project.write("once.yaml", "playbook: 1\nsteps:\n  - { id: all, uses: ledger.asset.stats }\n");
  const passed = await project.as(OPEN_FOR_EVER).start("check", "once.yaml").ended;
  expect([passed.code, passed.stderr], passed.transcript).toEqual([0, expect.stringMatching(/left this open: .*Timeout/)]);
  const refused = await project.as(OPEN_FOR_EVER).start("check", "twice.yaml").ended;
  expect([refused.code, refused.stderr], refused.transcript).toEqual([2, expect.stringContaining("left this open")]);
});
