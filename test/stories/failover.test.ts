// A standby without the last commits takes the place of the database, or a backup does. Everything that a process remembered is gone with it, so what the
// machine remembers must keep the next process from doing the same again.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ORDER } from "../playbooks.ts";
import { BINARIES, PostgresServer, stateText } from "../postgres/server.ts";
import { logged } from "./schedule.ts";
import {
  type Ended,
  environmentAt,
  KEYS,
  newProject,
  operationsOf,
  type Project,
  runIn,
  servedSandbox,
  type Service,
  temporaryFolder,
} from "./world.ts";

const SCHEMA = "ledger";
const ACCEPT = ["runs", "accept-loss", "--because", "I looked into the ledger"];

/** Mints more of the token of the first order. If it runs twice, the service does both. */
const MORE = `playbook: 1
name: Mint more
inputs: { order: { type: string } }
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps: [{ uses: ledger.token.mint, with: { id: T1, to: "\${{ actors.issuer }}", value: "1.00" } }]
`;
const FAILS = `playbook: 1
name: Count the properties
mode: read-only
steps: [{ uses: ledger.asset.list, with: { assetType: Property }, as: { ledger: "userId:alice" }, expect: [response.size() == 7] }]
`;
const FIRST = ["ledger.token.create", "ledger.token.mint"];
const MINT = "ledger.token.mint";

interface Desk {
  readonly service: Service;
  readonly server: PostgresServer;
  /** Makes a project on a machine of its own. */
  readonly machine: (set?: Readonly<Record<string, string>>) => Project;
}

const order = (of: string): string[] => ["order.yaml", "--input", `order=${of}`];
const more = (of: string): string[] => ["more.yaml", "--input", `order=${of}`];

async function desk(): Promise<Desk> {
  const service = await servedSandbox();
  const server = await PostgresServer.start();
  onTestFinished(() => server.remove());
  const machine = (set = {}): Project => {
    const project = newProject({ ...KEYS, TOKENBOOK_DATABASE: server.address(), XDG_STATE_HOME: temporaryFolder(), ...set });
    project.write("tokenbook.yaml", environmentAt(service.url) + stateText(SCHEMA));
    project.write("order.yaml", ORDER);
    project.write("more.yaml", MORE);
    project.write("fails.yaml", FAILS);
    return project;
  };
  return { service, server, machine };
}

/** Makes a standby that has everything up to now, and follows no longer. `takeOver` starts it again. */
async function standbyWithoutTheRest(server: PostgresServer): Promise<PostgresServer> {
  const standby = await PostgresServer.standbyOf(server);
  onTestFinished(() => standby.remove());
  await standby.follows(server);
  await standby.stop();
  return standby;
}

async function passes(project: Project, ...args: string[]): Promise<Ended> {
  const ended = await project.run(...args);
  expect(ended.code, ended.transcript).toBe(0);
  return ended;
}

async function refuses(project: Project, ...args: string[]): Promise<void> {
  const { code, transcript } = await project.run(...args);
  expect([code, transcript]).toEqual([2, expect.stringContaining("has lost records")]);
  expect(transcript).toContain("tokenbook runs accept-loss --because TEXT");
}

describe.skipIf(BINARIES === undefined)("a standby without the last commits is promoted", () => {
  test("the next command on a machine that had written them makes no write again, until a person accepts the loss", async () => {
    const { service, server, machine } = await desk();
    const [mine, yours] = [machine(), machine()];
    await passes(mine, "run", ...order("1"));
    const failed = await mine.run("run", "fails.yaml");
    const standby = await standbyWithoutTheRest(server);
    await passes(mine, "run", ...more("2"));
    const lost = await passes(yours, "run", ...more("3"));
    await standby.takeOver(server);

    await refuses(mine, "run", ...more("2"));
    await refuses(mine, "run", ...more("4"));
    await refuses(yours, "run", ...more("3"));
    await refuses(yours, "resume", runIn(lost));
    await refuses(yours, "worker");
    await refuses(yours, "schedule", "--once", ...more("3"));
    await refuses(yours, "runs", "verify");
    await refuses(yours, "state", "move", "database", ".tokenbook");
    const doctor = await yours.run("doctor");
    expect([doctor.code, doctor.stdout], doctor.transcript).toEqual([1, expect.stringContaining("has lost records")]);
    const { stdout } = await passes(yours, "runs");
    expect(stdout.split("\n").filter((line) => line.includes("order.yaml"))).toHaveLength(1);
    expect(operationsOf(await service.commits())).toEqual([...FIRST, MINT, MINT]);

    await passes(mine, ...ACCEPT);
    const resumed = await yours.run("resume", runIn(failed));
    expect([resumed.code, resumed.stderr], resumed.transcript).toEqual([2, expect.stringContaining("journal.lost-run")]);
    await passes(mine, "run", ...more("4"));
    await passes(yours, "run", ...more("5"));
    const again = await yours.run(...ACCEPT);
    expect([again.code, again.stderr], again.transcript).toEqual([2, expect.stringContaining("no loss of")]);
    expect(operationsOf(await service.commits())).toEqual([...FIRST, MINT, MINT, MINT, MINT]);
  });

  test("a worker that is started again begins nothing", async () => {
    const { service, server, machine } = await desk();
    const project = machine();
    await passes(project, "run", ...order("1"));
    await passes(project, "submit", ...more("2"), "--key", "O2");
    const standby = await standbyWithoutTheRest(server);
    const first = project.start("worker");
    await logged(first, "run.ended");
    await first.signal("SIGTERM");
    expect((await first.ended).code).toBe(0);
    await standby.takeOver(server);
    await refuses(project, "worker");
    expect(operationsOf(await service.commits())).toEqual([...FIRST, MINT]);
    await passes(project, "runs", "--queued");
  });

  test("the file of the machine holds no secret, and another password or user does not hide the loss", async () => {
    const { server, machine } = await desk();
    const project = machine();
    await passes(project, "run", ...order("1"));
    const standby = await standbyWithoutTheRest(server);
    await passes(project, "run", ...order("2"));
    const folder = join(project.variables["XDG_STATE_HOME"] ?? "", "tokenbook/servers");
    const [name = "", ...others] = readdirSync(folder);
    expect([name, others]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), []]);
    expect(readFileSync(join(folder, name), "utf8")).toMatch(/^\S+ \d+ [0-9a-f]{64} 0 \S+ [0-9a-f]{16} +\n$/);
    await server.query("CREATE ROLE other SUPERUSER LOGIN");
    await standby.takeOver(server);
    await server.query("CREATE ROLE other SUPERUSER LOGIN");
    const address = server.address("other").replace("a-password", "another-password");
    await refuses(project.as({ ...project.variables, TOKENBOOK_DATABASE: address }), "run", ...order("2"));
  });
});

/** What people do on purpose, or what befalls the file: on the machine that has written records, or with the database. */
interface Harmless {
  readonly what: string;
  readonly happens: (desk: Desk & { readonly project: Project; readonly file: string }) => Promise<unknown>;
}

const HARMLESS: readonly Harmless[] = [
  {
    what: "the runs are archived",
    happens: ({ project }) => passes(project, "runs", "archive", "--older", "0s", "--to", "archives"),
  },
  {
    what: "the state was moved away and back",
    happens: async ({ project }) => {
      await passes(project, "state", "move", "database", ".tokenbook");
      await passes(project, "state", "move", ".tokenbook", "database");
    },
  },
  { what: "the schema was removed", happens: ({ server }) => server.query(`DROP SCHEMA ${SCHEMA} CASCADE`) },
  {
    what: "the schema was removed, and another machine has written there since",
    happens: async ({ server, machine }) => {
      await server.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
      await passes(machine(), "run", ...order("other"));
    },
  },
  {
    what: "processes write at the same time",
    happens: ({ project }) =>
      Promise.all(
        ["a", "b", "c", "d"].map(async (each) => expect((await project.start("run", ...order(each)).ended).code).toBe(0)),
      ),
  },
  {
    what: "the file is torn",
    happens: async ({ file }) => writeFileSync(file, readFileSync(file, "utf8").replace(" 0 ", " 7 ")),
  },
  { what: "the file is empty", happens: async ({ file }) => writeFileSync(file, "") },
];

describe.skipIf(BINARIES === undefined)("no machine takes for a loss that", () => {
  test("its runs are archived, its state is moved, its schema is removed, or its file is damaged", async () => {
    const place = await desk();
    const project = place.machine();
    await passes(project, "run", ...order("1"));
    await passes(project, "run", ...order("2"));
    const folder = join(project.variables["XDG_STATE_HOME"] ?? "", "tokenbook/servers");
    const [name = ""] = readdirSync(folder);
    for (const [at, { what, happens }] of HARMLESS.entries()) {
      await happens({ ...place, project, file: join(folder, name) });
      const { code, transcript } = await project.run("run", ...order(`after${at}`));
      expect(code, `after this: ${what}\n${transcript}`).toBe(0);
    }
  });

  test("it has no folder in which it could remember anything", async () => {
    const { machine } = await desk();
    const project = machine({ XDG_STATE_HOME: "/dev/null" });
    await passes(project, "run", ...order("1"));
    await passes(project, "run", ...order("2"));
    const { stdout } = await passes(project, "doctor");
    expect(stdout).toContain("this machine does not remember its last records");
  });
});
