// A desk at which several commands work at a time, with one project and a service behind a proxy.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { cutAnswer, gate, type Passing, type Proxy, proxyTo } from "./proxy.ts";
import { type Ended, newProject, type Project, reached, type Running, servedSandbox, type Service } from "./world.ts";

export interface Desk {
  readonly project: Project;
  readonly proxy: Proxy;
  readonly service: Service;
}

export async function desk(playbooks: Readonly<Record<string, string>>): Promise<Desk> {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  for (const [name, text] of Object.entries(playbooks)) project.write(name, text);
  return { project, proxy, service };
}

/** A run that waits for an answer until `release` is called. */
interface WaitingRun {
  readonly running: Running;
  readonly goOn: () => void;
}

/** A run in the middle of its write. */
export function writing(at: Desk, ...args: string[]): Promise<WaitingRun> {
  return waitingFor("POST /asset", 0, at, args);
}

/**
 * A run that checks whether its transfer is approved, after it has read once for each of its two writes. It does nothing else meanwhile, so a test
 * can stop it without stopping it while it holds a lock on its journal, which would lock everybody out.
 */
export function asking(at: Desk, ...args: string[]): Promise<WaitingRun> {
  return waitingFor("GET /asset", 2, at, args);
}

async function waitingFor(name: string, skip: number, { project, proxy }: Desk, args: string[]): Promise<WaitingRun> {
  const [came, on] = [gate(), gate()];
  const hold = async (passing: Passing): Promise<void> => {
    came.open();
    await on.passed;
    passing.answer(await passing.forward());
  };
  void proxy.next(name, hold, skip);
  const running = project.start("run", ...args);
  await reached(running, came.passed);
  return { running, goOn: () => on.open() };
}

/**
 * A run of `mint.yaml` that ends as unknown: the ledger has minted, the answer is lost, and the run cannot check, because the service is unreachable
 * until the run has ended.
 */
export async function losingMint({ project, proxy }: Pick<Desk, "project" | "proxy">, ...args: string[]): Promise<Ended> {
  void proxy.next("POST /token/mint", async (passing) => {
    await cutAnswer(passing);
    proxy.shut();
  });
  const stopped = await project.run("run", "mint.yaml", ...args);
  expect(stopped.code, stopped.transcript).toBe(5);
  await proxy.open();
  return stopped;
}

/** Opens the journal of a project directly, to read it or to change it without the commands' knowledge. */
export function inJournal<T>(project: Project, look: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(project.folder, ".tokenbook/journal.db"), { timeout: 10_000 });
  try {
    return look(database);
  } finally {
    database.close();
  }
}

/** Compares the sandbox's tokens with a token that does not exist. */
export const DRIFTING: string = `playbook: 1
mode: read-only
inputs:
  expected: { type: list, items: { type: object, properties: { name: { type: string } } }, default: [{ name: Gold }] }
reconcile:
  - id: tokens
    left: { name: list, rows: inputs.expected, key: { name: row.name } }
    right: { name: ledger, as: { ledger: "userId:alice" }, read: ledger.token.list, key: { name: row.name } }
    recheck: 10ms
`;
