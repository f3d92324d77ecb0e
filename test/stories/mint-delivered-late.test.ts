import { expect, test } from "vitest";
import { type Fault, gate, type Proxy, proxyTo } from "./proxy.ts";
import {
  type Ended,
  environmentAt,
  MINT_ONCE,
  newProject,
  operationsOf,
  type Project,
  runIn,
  type Service,
  servedSandbox,
} from "./world.ts";

interface Scene {
  readonly service: Service;
  readonly proxy: Proxy;
  readonly project: Project;
}

// A project, and a network between the project and the service.
async function behindProxy(environment: (text: string) => string = (text) => text): Promise<Scene> {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.write("tokenbook.yaml", environment(environmentAt(proxy.url)));
  return { service, proxy, project };
}

// Runs a mint through a network that does this to its request.
async function mintThrough(
  fault: Fault,
  environment?: (text: string) => string,
): Promise<Omit<Scene, "proxy"> & { readonly sent: () => number }> {
  const { service, proxy, project } = await behindProxy(environment);
  project.write("mint.yaml", MINT_ONCE);
  void proxy.next("POST /token/mint", fault);
  return { service, project, sent: () => proxy.seen.filter((name) => name === "POST /token/mint").length };
}

const MINTED_ONCE = ["ledger.token.create", "ledger.token.mint"];

test("a mint that arrives after its run ended is unknown at first, and found when the run is resumed", async () => {
  const [late, arrived] = [gate(), gate()];
  const { service, project, sent } = await mintThrough(async (passing) => {
    passing.cut();
    await late.passed;
    await passing.forward();
    arrived.open();
  });
  const run = await project.run("run", "mint.yaml");
  expect(run.code, run.transcript).toBe(5);
  expect(run.stdout, run.transcript).toContain("no trace of it is visible");
  late.open();
  await arrived.passed;

  const resumed = await project.run("resume", runIn(run));
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(resumed.stdout, resumed.transcript).toMatch(/^✓ changed {2}mint .*\n {4}attempt 1: applied, as read back/m);
  expect(sent()).toBe(1);
  expect(operationsOf(await service.commits())).toEqual(MINTED_ONCE);
});

test("a mint that the network delivers twice ends its run as a conflict", async () => {
  const { project, sent } = await mintThrough(async (passing) => {
    await passing.forward();
    await passing.forward();
    passing.cut();
  });
  const run = await project.run("run", "mint.yaml");
  expect(run.code, run.transcript).toBe(5);
  expect(run.stdout, run.transcript).toMatch(/^‼ conflict {2}mint /m);
  expect(run.stdout, run.transcript).toContain("write.conflict");
  expect(run.stdout, run.transcript).toContain("it took effect 2 times");
  expect(run.stdout, run.transcript).toMatch(/^‼ conflict {2}Mint once: 3 steps: 1 changed, 1 conflict, 1 not run/m);
  const resumed = await project.run("resume", runIn(run));
  expect(resumed.code, resumed.transcript).toBe(5);
  expect(sent()).toBe(1);
});

test("a mint that stays invisible for longer than `settleWithin` counts as absent, and is sent again", async () => {
  const { service, project, sent } = await mintThrough(
    (passing) => passing.cut(),
    (text) => text.replace("exclusive: true", "exclusive: true\n    settleWithin: 1s\n    readLag: 0s"),
  );
  const run = await project.run("run", "mint.yaml");
  expect(run.code, run.transcript).toBe(0);
  expect(run.stdout, run.transcript).toMatch(
    /^✓ changed {2}mint .* sent 2 times .*\n {4}attempt 1: absent, since no trace of it is visible/m,
  );
  expect(sent()).toBe(2);
  expect(operationsOf(await service.commits())).toEqual(MINTED_ONCE);
});

const ABOUT = (text: string): string => `playbook: 1
name: Describe
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - { id: describe, uses: ledger.token.update, with: { id: LateToken, description: ${text} }, wait: { timeout: 2s } }
`;
const MAKE_IT = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - { id: token, uses: ledger.token.create, with: { id: LateToken, name: Late, behaviour: { decimal: 0 } } }
`;

interface LateValue {
  readonly project: Project;
  /** The run of `old.yaml`, which has passed. */
  readonly old: Ended;
  /** Lets the first request of the run arrive. */
  readonly arrive: () => Promise<void>;
  /** Declares a time that has already ended. */
  readonly declareShort: () => void;
}

// Lets the run of `old.yaml` pass while its first request is still on its way. `before` runs first.
async function lateValue(before: (project: Project) => Promise<void> = async () => {}): Promise<LateValue> {
  const [late, arrived] = [gate(), gate()];
  const { proxy, project } = await behindProxy();
  for (const [name, text] of Object.entries({ make: MAKE_IT, old: ABOUT("old"), new: ABOUT("new") }))
    project.write(`${name}.yaml`, text);
  const made = await project.run("run", "make.yaml");
  expect(made.code, made.transcript).toBe(0);
  await before(project);
  void proxy.next("PATCH /token", async (passing) => {
    passing.cut();
    await late.passed;
    await passing.forward();
    arrived.open();
  });
  const old = await project.run("run", "old.yaml");
  expect(old.code, old.transcript).toBe(0);
  expect(old.stdout, old.transcript).toContain("attempt 1: superseded");
  const arrive = async (): Promise<void> => {
    late.open();
    await arrived.passed;
  };
  const short = environmentAt(proxy.url).replace("    timeout: 2m", "    timeout: 2m\n    settleWithin: 1ms");
  return { project, old, arrive, declareShort: () => project.write("tokenbook.yaml", short) };
}

test("a run that sets another value does not begin while an earlier request may still arrive", async () => {
  const { project, old, arrive, declareShort } = await lateValue();
  const refused = await project.run("run", "new.yaml");
  expect(refused.code, refused.transcript).toBe(6);
  expect(refused.stderr, refused.transcript).toContain("run.late-write");
  expect(refused.stderr, refused.transcript).toContain(
    `a request of the run ${runIn(old)} of old.yaml may still arrive: "describe"`,
  );
  const planned = await project.run("plan", "new.yaml");
  expect(planned.stdout + planned.stderr, planned.transcript).toContain("run.late-write");
  const same = await project.run("run", "old.yaml");
  expect(same.code, same.transcript).toBe(0);

  await arrive();
  declareShort();
  const next = await project.run("run", "new.yaml");
  expect(next.code, next.transcript).toBe(0);
});

test("a run whose next step sets another value does not resume while an earlier request may still arrive", async () => {
  const { project, old, arrive, declareShort } = await lateValue(async (desk) => {
    const dying = desk.as({ ...desk.variables, TOKENBOOK_FAILPOINT: "before:attempt.intended@describe" });
    const killed = await dying.run("run", "new.yaml");
    expect(killed.code, killed.transcript).toBeNull();
  });
  const refused = await project.run("resume");
  expect(refused.code, refused.transcript).toBe(6);
  expect(refused.stderr, refused.transcript).toContain(`a request of the run ${runIn(old)} of old.yaml may still arrive`);
  expect(refused.stderr, refused.transcript).toMatch(/next: resume it after \S+Z\n/);

  await arrive();
  declareShort();
  const next = await project.run("resume");
  expect(next.code, next.transcript).toBe(0);
});
