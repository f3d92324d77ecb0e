import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BINARIES, PostgresServer, stateText } from "../postgres/server.ts";
import { approvalPlaybook } from "../playbooks.ts";
import {
  approveAsBob,
  environmentAt,
  type Ended,
  KEYS,
  MINT_ONCE,
  newProject,
  operationsOf,
  type Project,
  servedSandbox,
  type Service,
} from "./world.ts";

describe.skipIf(BINARIES === undefined)("the state is moved", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  interface Place {
    readonly service: Service;
    readonly project: Project;
    /** Runs a command on the folder, whatever tokenbook.yaml names. */
    readonly inFolder: (...args: string[]) => Promise<Ended>;
  }

  async function place(): Promise<Place> {
    const service = await servedSandbox();
    const { schema, url } = server.place();
    const project = newProject({ ...KEYS, TOKENBOOK_DATABASE: url.reveal() });
    project.write("tokenbook.yaml", environmentAt(service.url) + stateText(schema));
    project.write("approval.yaml", approvalPlaybook("    timeout: 300ms\n    on_timeout: pending"));
    project.write("mint.yaml", MINT_ONCE);
    return { service, project, inFolder: (...args) => project.run(...args, "--state", ".tokenbook") };
  }

  const SHOWN = ["runs", "drift list", "schedule list", "schedule history", "runs verify"] as const;

  async function all(run: (...args: string[]) => Promise<Ended>): Promise<readonly string[]> {
    const shown: string[] = [];
    for (const each of SHOWN) shown.push((await run(...each.split(" "), "--json")).stdout);
    return shown;
  }

  test("from a folder into a database, where a run that waits continues, and back", async () => {
    const { service, project, inFolder } = await place();
    await inFolder("run", "mint.yaml", "--key", "M1");
    await inFolder("schedule", "--once", "mint.yaml");
    const parked = await inFolder("run", "approval.yaml");
    expect(parked.code, parked.transcript).toBe(4);
    const before = await all(inFolder);

    const moved = await project.run("state", "move", ".tokenbook", "database");
    expect(moved.code, moved.transcript).toBe(0);
    expect(moved.stdout).toMatch(
      /^moved 3 runs with \d+ records to database; every record is verified there\nwhat was moved is kept as .*\.tokenbook\.moved-\d{14}\n$/,
    );
    expect(existsSync(join(project.folder, ".tokenbook"))).toBe(false);
    expect(await all(project.run)).toEqual(before);

    await approveAsBob(service);
    const resumed = await project.run("resume", "latest");
    expect(resumed.code, resumed.transcript).toBe(0);
    const again = await project.run("run", "mint.yaml", "--key", "M1");
    expect(again.code, again.transcript).toBe(0);
    expect(operationsOf(await service.commits()).filter((each) => each === "ledger.token.mint")).toHaveLength(2);

    const now = await all(project.run);
    const back = await project.run("state", "move", "database", ".tokenbook");
    expect(back.code, back.transcript).toBe(0);
    expect(await all(inFolder)).toEqual(now);
    expect(back.stdout, back.transcript).toContain('next: remove "state:" from tokenbook.yaml\n');
    // Whoever still looks into the database would begin without any memory, on this machine or on another one.
    for (const command of ["runs", "run mint.yaml --key M1", "schedule list", "drift list", "submit mint.yaml"]) {
      const refused = await project.run(...command.split(" "));
      expect([refused.code, refused.stderr], refused.transcript).toEqual([2, expect.stringContaining("state.moved-away")]);
    }
    project.write("tokenbook.yaml", environmentAt(service.url));
    expect((await project.run("run", "mint.yaml", "--key", "M1")).code).toBe(0);
    expect(operationsOf(await service.commits()).filter((each) => each === "ledger.token.mint")).toHaveLength(2);
    const [aside = ""] = globSync(join(project.folder, ".tokenbook.moved-*"));
    const kept = await project.run("runs", "verify", "--state", aside);
    expect(kept.code, kept.transcript).toBe(0);
  });

  test("not while a submitted run waits: no worker would look for it in the old database", async () => {
    const { project } = await place();
    const submitted = await project.run("submit", "mint.yaml", "--key", "J1");
    expect(submitted.code, submitted.transcript).toBe(0);
    const refused = await project.run("state", "move", "database", ".tokenbook");
    expect([refused.code, refused.stderr], refused.transcript).toEqual([2, expect.stringContaining("state.jobs-left")]);
    expect(refused.stderr).toContain("1 submitted run has not ended");
    expect(existsSync(join(project.folder, ".tokenbook", "journal.db"))).toBe(false);
  });

  test("not into a place that holds runs, not onto itself, and not from nowhere", async () => {
    const { project, inFolder } = await place();
    await inFolder("run", "mint.yaml");
    await project.run("run", "mint.yaml");
    const tries = [
      [["database", ".tokenbook"], "state.not-empty"],
      [[".tokenbook", "database"], "state.not-empty"],
      [["database", "database"], "state.places"],
      [[".tokenbook", "databse"], "did you mean database?"],
      [[".tokenbook", "other"], "state.places"],
      [["elsewhere", "database"], "state.not-found"],
    ] as const;
    for (const [places, code] of tries) {
      const ended = await project.run("state", "move", ...places);
      expect([ended.code, ended.stderr], ended.transcript).toEqual([2, expect.stringContaining(code)]);
    }
    expect(existsSync(join(project.folder, ".tokenbook"))).toBe(true);
  });
});
