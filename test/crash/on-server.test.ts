import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { CrashDocument } from "../../src/report/crash/shape.ts";
import { BINARIES, PostgresServer } from "../postgres/server.ts";
import { environmentAt, MINT_ONCE, newProject, type Project } from "../stories/world.ts";

// Each kills a process at every boundary of its run, and a busy machine is slow to start them.
vi.setConfig({ testTimeout: 180_000 });

describe.skipIf(BINARIES === undefined)("a crash test whose runs keep their state on a server", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  function projectOnServer(): Project {
    const { url, schema } = server.place();
    const project = newProject({ TOKENBOOK_DATABASE: url.reveal() });
    project.write(
      "tokenbook.yaml",
      `${environmentAt("http://127.0.0.1:9")}state: { postgres: env:TOKENBOOK_DATABASE, schema: ${schema} }\n`,
    );
    project.write("mint.yaml", MINT_ONCE);
    return project;
  }

  test("the ledger is the same wherever the run dies, or the run says unknown; nothing stays on the server", async () => {
    const before = await schemas(server);
    const tested = await projectOnServer().run("test", "--crash-everywhere", "--on-server", "--json", "mint.yaml");
    expect(tested.code, tested.transcript).toBe(0);
    const [report] = (JSON.parse(tested.stdout) as CrashDocument).playbooks;
    expect(report?.totals, tested.transcript).toMatchObject({ tried: 14, different: 0, missed: 0, notTried: 0 });
    expect(report?.boundaries[0]?.replay).toBe("tokenbook test --crash-everywhere mint.yaml --at before:run.claimed --on-server");
    expect(await schemas(server)).toEqual(before);
  });
});

test("without a server in tokenbook.yaml it says how to name one", async () => {
  const project = newProject();
  project.write("mint.yaml", MINT_ONCE);
  const tested = await project.run("test", "--crash-everywhere", "--on-server", "mint.yaml");
  expect(tested.code, tested.transcript).toBe(2);
  expect(tested.stderr).toContain("test.no-server");
  expect(tested.stderr).toContain("next: name one in tokenbook.yaml: state: { postgres: env:TOKENBOOK_DATABASE }");
});

async function schemas(server: PostgresServer): Promise<readonly unknown[]> {
  return (await server.query("SELECT nspname FROM pg_namespace ORDER BY nspname")).map(({ nspname }) => nspname);
}
