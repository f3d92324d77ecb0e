import { expect, test } from "vitest";
import { oldNode } from "./old-node.ts";
import { COMMAND, isOfClone, launch, newProject, servedSandbox } from "./world.ts";

// The older Node starts the Node that `npm ci` installed in the clone, which does the work.

test.runIf(isOfClone)("a command of a clone works with an older Node on the PATH", async (context) => {
  const old = oldNode();
  if (old === undefined) return context.skip("there is no older Node on this machine");
  const project = newProject({});
  project.write("a file.yaml", "playbook: 1\nsteps: [{ id: status, uses: ledger.statu }]\n");
  const checked = await launch([COMMAND, "check", "a file.yaml"], { cwd: project.folder, program: old.path }).ended;
  expect(checked.code, checked.transcript).toBe(2);
  expect(checked.stdout + checked.stderr, checked.transcript).toContain('did you mean "ledger.status"?');
});

test.runIf(isOfClone)("a signal to the older Node stops the run as it would stop the command itself", async (context) => {
  const old = oldNode();
  if (old === undefined) return context.skip("there is no older Node on this machine");
  const service = await servedSandbox();
  const project = newProject();
  project.serviceAt(service.url);
  project.write("wait.yaml", WAITS);
  const running = launch([COMMAND, "run", "wait.yaml", "--debug"], {
    cwd: project.folder,
    program: old.path,
    variables: project.variables,
  });
  await running.printed("wait.yaml never");
  process.kill(running.pid, "SIGTERM");
  const ended = await running.ended;
  expect(ended.code, ended.transcript).toBe(143);
});

const WAITS = `playbook: 1
mode: read-only
steps:
  - id: never
    uses: ledger.status
    until: "false"
    wait: { timeout: 10m, every: 50ms }
`;
