import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Proxy, proxyTo } from "./proxy.ts";
import { MINT_ONCE, newProject, operationsOf, type Project, servedSandbox, type Service, until } from "./world.ts";

interface Scene {
  readonly world: Service;
  readonly proxy: Proxy;
  readonly project: Project;
}

// The port closes as soon as the token's receipt was read, so the next request, the mint, is refused.
async function portClosesBeforeTheMint(): Promise<Scene> {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("mint.yaml", MINT_ONCE);
  void proxy.next("GET /asset/receipt", async (passing) => {
    const answer = await passing.forward();
    expect(answer.body).toContain("COMMITTED");
    proxy.shut();
    passing.answer(answer);
  });
  return { world, proxy, project };
}

describe("the port of the service is closed when the mint is sent", () => {
  test("the run sends the mint when the port opens again, and it commits once", async () => {
    const { world, proxy, project } = await portClosesBeforeTheMint();
    const running = project.start("run", "mint.yaml");
    const journal = join(project.folder, ".tokenbook/journal.db");
    await running.lines(2);
    await until(() => (answersIn(journal).includes("not-sent") ? true : undefined));
    await proxy.open();
    const ended = await running.ended;
    expect(ended.code, ended.transcript).toBe(0);
    expect(ended.stdout, ended.transcript).toMatch(/^✓ changed {2}mint .* sent \d times/m);
    expect(operationsOf(await world.commits()), ended.transcript).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });

  test("the run fails when the port stays closed, and passes when it is resumed", async () => {
    const { world, proxy, project } = await portClosesBeforeTheMint();
    const ended = await project.run("run", "mint.yaml");
    expect(ended.code, ended.transcript).toBe(1);
    expect(ended.stdout, ended.transcript).toMatch(
      /service\.unreachable: ledger\.token\.mint could not be delivered in 5 attempts/,
    );
    expect(ended.stdout, ended.transcript).toContain("why: the service accepted none of them, so nothing has changed");

    const early = await project.run("resume");
    expect(early.code, early.transcript).toBe(2);
    expect(early.stderr, early.transcript).toMatch(/start the service, or fix tokenbook\.yaml:4 /);

    await proxy.open();
    const resumed = await project.run("resume");
    expect(resumed.code, resumed.transcript).toBe(0);
    expect(resumed.stdout, resumed.transcript).toContain("1 of 3 steps done before");
    expect(operationsOf(await world.commits()), resumed.transcript).toEqual(["ledger.token.create", "ledger.token.mint"]);
  });
});

// Reads the journal, because the command prints nothing while it tries again.
function answersIn(file: string): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  const rows = database.prepare("SELECT body FROM record WHERE kind = 'attempt.answered'").all();
  database.close();
  return rows.map(({ body }) => (JSON.parse(String(body)) as { meaning: string }).meaning);
}
