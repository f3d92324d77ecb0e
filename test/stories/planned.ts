// What the stories of plans share.
import { expect } from "vitest";
import { operations } from "../../src/operations/operation.ts";
import type { PlanDocument, PlannedStep } from "../../src/report/plan/shape.ts";
import { proxyTo } from "./proxy.ts";
import { type Ended, newProject, type Project, servedSandbox, type Service } from "./world.ts";

/** An asset, a token and a mint. A second run finds all of them done. */
export const ONBOARDING = `playbook: 1
name: Onboard once
inputs:
  property: { type: string, default: Loft12 }
actors:
  issuer: { ledger: "userId:alice" }
defaults: { as: issuer }
steps:
  - id: asset
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "\${{ inputs.property }}", city: Lisbon } }
    ensure:
      read: ledger.asset.get
      with: { assetType: Property, id: "\${{ inputs.property }}" }
      that: response.data.city == "Lisbon"
  - id: token
    uses: ledger.token.create
    with:
      id: "tok\${{ inputs.property }}"
      name: Rights
      symbol: LFT
      classification: { type: fungible, unit: fractional, valueType: intrinsic, supply: capped-variable }
      behaviour: { decimal: 2, maxMintQuantity: "100.00", transferable: true, burnable: true }
    ensure:
      read: ledger.token.get
      with: { id: "tok\${{ inputs.property }}" }
      that: response.symbol == "LFT"
  - id: supply
    uses: ledger.token.get
    with: { id: "\${{ steps.token.id }}" }
  - id: mint
    if: steps.supply.response.totalSupply == 0
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "100.00" }
checks:
  - conserve: { token: "\${{ steps.token.id }}" }
`;

/** The names of the requests, as the proxy gives them. */
const WRITES = new Set(
  [...operations.values()].filter(({ writes }) => writes).map(({ call }) => `${call.method} ${call.path.replace(/\{.*/, "")}`),
);

interface Planned extends Ended {
  readonly plan: PlanDocument;
  /** Returns the verdict of each step. */
  readonly verdicts: Readonly<Record<string, string>>;
  readonly steps: Readonly<Record<string, PlannedStep>>;
}

/** The output of `plan --json`. */
export async function planned(project: Project, ...args: string[]): Promise<Planned> {
  const ended = await project.run("plan", ...args, "--json");
  expect(ended.stdout, ended.transcript).not.toBe("");
  const plan = JSON.parse(ended.stdout) as PlanDocument;
  const rows = plan.plans.flatMap(({ steps }) => steps);
  return {
    ...ended,
    plan,
    verdicts: Object.fromEntries(rows.map(({ step, verdict }) => [step, verdict])),
    steps: Object.fromEntries(rows.map((row) => [row.step, row])),
  };
}

interface Reading {
  readonly project: Project;
  readonly service: Service;
  readonly writesSeen: () => readonly string[];
  readonly expectNoWrite: () => Promise<void>;
}

/** A project with a service that only reads may reach. The proxy and the service's commits show that nothing else did. */
export async function onlyReading(): Promise<Reading> {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  const before = await service.commits();
  const writesSeen = (): readonly string[] => proxy.seen.filter((name) => WRITES.has(name));
  return {
    project,
    service,
    writesSeen,
    expectNoWrite: async () => {
      expect(proxy.seen.length).toBeGreaterThan(0);
      expect(writesSeen()).toEqual([]);
      expect(await service.commits()).toEqual(before);
    },
  };
}

/** Returns a playbook of these steps, in which alice acts. */
export function playbookOf(steps: string, more = ""): string {
  return `playbook: 1\nname: Planned\nactors: { issuer: { ledger: "userId:alice" } }\ndefaults: { as: issuer }\n${more}steps:\n${steps}`;
}

/** A step that creates an asset whose id only the run knows. */
export const CREATE = `  - id: asset
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "P\${{ run.key }}" } }
`;
