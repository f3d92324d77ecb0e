import { expect, test } from "vitest";
import { type Fault, proxyTo } from "./proxy.ts";
import { newProject, type Printed, type Project, servedSandbox, stepIn } from "./world.ts";

const BEYOND = `playbook: 1
name: Beyond the cap
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - id: token
    uses: ledger.token.create
    with: { name: Capped, symbol: CAP, behaviour: { decimal: 2, maxMintQuantity: "100", transferable: true, burnable: true } }
  - id: mint
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "90" }
  - id: beyond
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "20" }
    fails: FAILS
`;

const failing = (fails: string): string => BEYOND.replace("FAILS", fails);

function projectOn(service?: string): Project {
  const project = newProject();
  if (service !== undefined) project.serviceAt(service);
  return project;
}

test("a part of a condition is refused before anything is sent, and one that nobody lists is warned of", async () => {
  const project = projectOn();
  for (const part of ["e", "exceeded", "mint quantity"]) {
    project.write("beyond.yaml", failing(`{ condition: ${part} }`));
    const run = await project.run("run", "beyond.yaml");
    expect(run.code, run.transcript).toBe(2);
    expect(run.transcript).toContain("playbook.misspelt-condition");
  }
  project.write("beyond.yaml", failing('{ condition: "422" }'));
  const check = await project.run("check", "beyond.yaml");
  expect(check.code, check.transcript).toBe(0);
  expect(check.transcript).toContain("playbook.unlisted-condition");
  expect(check.transcript).toContain("fails: { status: 422 }");
});

test("what is expected of a refusal must hold as a whole; otherwise the run shows what came", async () => {
  const project = projectOn();
  const right = [
    "{ condition: Mint Quantity Exceeded }",
    "{ status: [409, 422] }",
    "{ message: { matches: '^110 minted .* 100 ' } }",
  ];
  for (const fails of right) {
    project.write("beyond.yaml", failing(fails));
    const run = await project.run("run", "beyond.yaml");
    expect(run.code, run.transcript).toBe(0);
  }
  project.write("beyond.yaml", failing("{ condition: invalid token id }"));
  const run = await project.run("run", "beyond.yaml", "--report", "json=report.json");
  expect(run.code, run.transcript).toBe(1);
  expect(
    run.lines.some((line) => line.startsWith("    fails.mismatch: refused, but not as expected: HTTP 422: ")),
    run.transcript,
  ).toBe(true);
  expect(run.lines, run.transcript).toContain(
    '    why: the playbook expects the condition "invalid token id"; the service gave HTTP 422 and the condition "mint quantity exceeded"',
  );
  expect(run.lines, run.transcript).toContain(
    "    next: if this refusal is right, write fails: { condition: mint quantity exceeded }",
  );
  const report = JSON.parse(project.read("report.json")) as Printed;
  expect(stepIn(report, "beyond").problem?.evidence).toMatchObject({
    status: 422,
    condition: "mint quantity exceeded",
    nearestListed: "mint quantity exceeded",
  });

  project.write("beyond.yaml", failing("{ condition: mint quantity exceeded, status: 403 }"));
  const other = await project.run("run", "beyond.yaml");
  expect(other.code, other.transcript).toBe(1);
  expect(other.transcript).toContain('the playbook expects the condition "mint quantity exceeded" and HTTP 403');
});

test("a call that is accepted although it was expected to be refused fails, and says what was expected", async () => {
  const project = projectOn();
  project.write("beyond.yaml", failing("{ condition: mint quantity exceeded, status: 422 }").replace('"90"', '"9"'));
  const run = await project.run("run", "beyond.yaml");
  expect(run.code, run.transcript).toBe(1);
  expect(run.transcript).toContain(
    'fails.succeeded: expected the service to refuse this with the condition "mint quantity exceeded" and HTTP 422, but it accepted it',
  );
});

test("a refusal that comes with the receipt is expected too, also by a step that waits for nothing else", async () => {
  const project = projectOn();
  const twice = (fails: string): string => `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - { id: first, uses: ledger.asset.create, with: { assetType: Property, data: { id: "Pier\${{ run.key }}" } } }
  - id: second
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "Pier\${{ run.key }}" } }
    wait: none
    fails: ${fails}
`;
  project.write("twice.yaml", twice("{ condition: asset already exists }"));
  const run = await project.run("run", "twice.yaml");
  expect(run.code, run.transcript).toBe(0);
  project.write("twice.yaml", twice("{ condition: asset type not found }"));
  const other = await project.run("run", "twice.yaml");
  expect(other.transcript).toContain('the service gave a receipt without a status code and the condition "asset already exists"');
  project.write("twice.yaml", twice("{ condition: asset already exists, status: 409 }"));
  const withStatus = await project.run("run", "twice.yaml");
  expect(withStatus.code, withStatus.transcript).toBe(1);
  expect(withStatus.lines, withStatus.transcript).toContain(
    "    next: leave `status` out of `fails`: this refusal came with a receipt, which has no status code",
  );
});

test("a service without a condition field is understood by its message, in whole words", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = projectOn(proxy.url);
  const forms = "    profile: { ledger: { errors: [{ status: Error, message: true }] } }\n";
  project.write("tokenbook.yaml", `${project.read("tokenbook.yaml").trimEnd()}\n${forms}`);
  const saying =
    (message: string): Fault =>
    async ({ forward, answer }) => {
      const { status, headers = {} } = await forward();
      answer({
        status,
        headers: { "content-type": headers["content-type"] ?? "application/json" },
        body: JSON.stringify({ status: "Error", message }),
      });
    };
  const runSaying = async (message: string): Promise<number | null> => {
    const said = proxy.next("POST /token/mint", saying(message), 1);
    const run = await project.run("run", "beyond.yaml");
    await said;
    return run.code;
  };
  project.write("beyond.yaml", failing("{ condition: mint quantity exceeded }"));
  expect(await runSaying("Mint quantity exceeded: 110 of 100")).toBe(0);
  expect(await runSaying("e, left, 422")).toBe(1);
  expect(await runSaying("admint quantity exceeded")).toBe(1);
});

test("a write is not sent again when the service is too busy for it, as the step expects", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = projectOn(proxy.url);
  project.write("beyond.yaml", failing("{ status: 429 }"));
  const body = JSON.stringify({ status: "Error", message: "slow down", condition: "rate limit" });
  const headers = { "content-type": "application/json" };
  const busy = proxy.next("POST /token/mint", ({ answer }) => answer({ status: 429, headers, body }), 1);
  const run = await project.run("run", "beyond.yaml");
  await busy;
  expect(run.code, run.transcript).toBe(0);
  expect(run.transcript).toContain("refused as expected: HTTP 429: slow down");
  expect(proxy.seen.filter((name) => name === "POST /token/mint")).toHaveLength(2);
});

test("an error of a gateway is not the refusal of a read that is expected, and the run says why", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = projectOn(proxy.url);
  project.write(
    "missing.yaml",
    "playbook: 1\nsteps:\n  - { id: none, uses: ledger.token.get, with: { id: Missing1 }, fails: { status: 404 } }\n",
  );
  const headers = { "content-type": "application/json" };
  const strange = proxy.next("GET /token", ({ answer }) => answer({ status: 404, headers, body: '{"message":"no route"}' }));
  const run = await project.run("run", "missing.yaml");
  await strange;
  expect(run.code, run.transcript).toBe(1);
  expect(run.transcript).toContain("service.foreign-answer: HTTP 404: no route");
  expect(run.transcript).toContain(
    "why: the playbook expects HTTP 404; the answer is not in the service's error format, so a gateway may have answered",
  );
  expect(run.transcript).toMatch(/next: if it was the service, declare its format at .*profile\.ledger\.errors/);
});
