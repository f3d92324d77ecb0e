import { expect, test } from "vitest";
import { newProject } from "./world.ts";

const OPEN_FOR_EVER = { NODE_OPTIONS: `--import ${new URL("../open-for-ever.mjs", import.meta.url).href}` };

test("a command that has ended ends its process even if something is left open, and reports what that is", async () => {
  const project = newProject();
  project.write("once.yaml", "playbook: 1\nsteps:\n  - { id: all, uses: ledger.asset.stats }\n");
  const checking = ["once.yaml", "twice.yaml"].map((file) => project.as(OPEN_FOR_EVER).start("check", file).ended);
  for (const [at, { code, stderr, transcript }] of (await Promise.all(checking)).entries())
    expect([code, stderr], transcript).toEqual([
      at === 0 ? 0 : 2,
      expect.stringMatching(/ended, although this did not close within 5 s: .*Timeout/),
    ]);
});
