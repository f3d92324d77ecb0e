import { describe, expect, test } from "vitest";
import { computed } from "./proc.ts";
import { COMPILED, launch, newProject, type Running, until, IN_SHELL } from "./world.ts";

/** Resolves once a process has used this many hundredths of a second of CPU time. */
async function hasComputed({ pid }: Running, hundredths: number): Promise<void> {
  await until(() => (computed(pid) >= hundredths ? true : undefined));
}

const EXPECTED = Array.from({ length: 2 }, (_, at) => `"response.totalCount >= ${at}"`).join(", ");

describe("a signal ends a command that only reads at once", () => {
  test.for(["SIGINT", "SIGTERM"] as const)("check of a large file ends at %s", async (signal) => {
    const project = newProject();
    const steps = Array.from(
      { length: 9_000 },
      (_, at) => `  - { id: s${at}, uses: ledger.asset.stats, expect: [${EXPECTED}] }\n`,
    );
    project.write("large.yaml", `playbook: 1\nsteps:\n${steps.join("")}`);
    const running = project.start("check", "large.yaml");
    await hasComputed(running, 20);
    await running.signal(signal);
    const ended = await running.ended;
    expect(ended.code, ended.transcript).toBe(null);
    expect(ended.transcript).toContain(`→ ${signal}`);
    expect(ended.stdout + ended.stderr).toBe("");
  });

  test.for(["SIGINT", "SIGTERM"] as const)("the language server ends at %s", async (signal) => {
    const project = newProject();
    const asked = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { processId: null, rootUri: null, capabilities: {} },
    });
    const input = `printf 'Content-Length: ${asked.length}\\r\\n\\r\\n%s' '${asked}'; exec tail --pid=$$ -f /dev/null`;
    const serve = `exec ${IN_SHELL} lsp --stdio < <(${input})`;
    const running = launch(["-c", serve], { cwd: project.folder, program: "bash", variables: COMPILED });
    await running.printed("capabilities");
    await running.signal(signal);
    const ended = await running.ended;
    expect(ended.code, ended.transcript).toBe(null);
    expect(ended.transcript).toContain(`→ ${signal}`);
  });
});
