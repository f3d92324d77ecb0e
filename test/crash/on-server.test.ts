import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CrashDocument } from "../../src/report/crash/shape.ts";
import { BINARIES, PostgresServer, stateText } from "../postgres/server.ts";
import { environmentAt, newProject, type Project } from "../stories/world.ts";

// A single write, so that killing the run at each of its boundaries takes only seconds.
const ONE_WRITE = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
steps:
  - id: token
    uses: ledger.token.create
    as: issuer
    with:
      id: ONE
      name: One
      symbol: ONE
      classification: { type: fungible, unit: fractional, valueType: intrinsic, supply: capped-variable }
      behaviour: { decimal: 2, maxMintQuantity: "100", transferable: true, burnable: true }
`;

describe.skipIf(BINARIES === undefined)("a crash test with the state on a server", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  function projectOnServer(): Project {
    const { url, schema } = server.place();
    const project = newProject({ TOKENBOOK_DATABASE: url.reveal() });
    project.write("tokenbook.yaml", environmentAt("http://127.0.0.1:9") + stateText(schema));
    project.write("one.yaml", ONE_WRITE);
    return project;
  }

  test("shows the same ledger or an unknown run after each kill, and leaves nothing on the server", async () => {
    const before = await schemas(server);
    const tested = await projectOnServer().run("test", "--crash-everywhere", "--on-server", "--json", "one.yaml");
    expect(tested.code, tested.transcript).toBe(0);
    const [report] = (JSON.parse(tested.stdout) as CrashDocument).playbooks;
    expect(report?.totals, tested.transcript).toMatchObject({ different: 0, missed: 0, notTried: 0 });
    expect(report?.boundaries.map(({ point }) => point)).toContain("after:attempt.intended@token");
    expect(report?.boundaries[0]?.replay).toBe("tokenbook test --crash-everywhere one.yaml --at before:run.claimed --on-server");
    expect(await schemas(server)).toEqual(before);
  });
});

test("a crash test on a server shows how to set one if tokenbook.yaml has none", async () => {
  const project = newProject();
  project.write("one.yaml", ONE_WRITE);
  const tested = await project.run("test", "--crash-everywhere", "--on-server", "one.yaml");
  expect(tested.code, tested.transcript).toBe(2);
  expect(tested.stderr).toContain("test.no-server");
  expect(tested.stderr).toContain("next: name one in tokenbook.yaml: state: { postgres: env:TOKENBOOK_DATABASE }");
});

async function schemas(server: PostgresServer): Promise<readonly unknown[]> {
  return (await server.query("SELECT nspname FROM pg_namespace ORDER BY nspname")).map(({ nspname }) => nspname);
}
