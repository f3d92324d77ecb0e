import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { startSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { OTHER_PROFILE } from "../sandbox/other-profile.ts";
import { newProject, type Project } from "./world.ts";

let service: Sandbox;

const TEXT = (): string => `# our services
environments:
  staging: # shared with QA
    ledger: { baseUrl: "${service.ledgerBaseUrl}", appId: app1, orgId: org1, apiKey: env:LEDGER_KEY }
    investor: { baseUrl: "${service.investorBaseUrl}", credentials: { BUYER_KEY: env:BUYER_KEY } }
    profile:
      ledger: { pageSize: 25 } # to be confirmed
`;

beforeAll(async () => {
  const assets = ["A", "B", "C"].map((Isin) => ({ assetType: "Bond", data: { Isin } }));
  service = await startSandbox({ path: ":memory:", profile: OTHER_PROFILE, commitDelayMs: 120, seed: { ledger: { assets } } });
});
afterAll(() => service.close());

function staging(text: string = TEXT()): Project {
  const project = newProject({ LEDGER_KEY: service.ledgerApiKey, BUYER_KEY: service.credentials["BUYER_KEY"] ?? "" });
  project.write("tokenbook.yaml", text);
  return project;
}

interface Printed {
  readonly findings: readonly { readonly setting: string; readonly strength: string; readonly found: unknown }[];
}

test("reading alone finds names, sizes and words, and proposes the edit with its comments kept", async () => {
  const project = staging();
  const shown = await project.run("calibrate", "--env", "staging");
  expect(shown.code, shown.transcript).toBe(0);
  expect(shown.stdout).toContain('~ ledger.parameters.bookmark: "bookmark" → "from"  (observed)');
  expect(shown.stdout).toContain('? ledger.receipt.committed: ["COMMITTED"]  (reading does not show it; --may-write does)');
  expect(shown.stdout).toContain("+++ tokenbook.yaml");
  expect(project.read("tokenbook.yaml")).toBe(TEXT());
  expect(shown.transcript).not.toContain(service.ledgerApiKey);
  expect(service.contents().commits).toEqual([]);
});

test("--may-write announces its writes, finds the rest, removes its assets, and --write makes the edit", async () => {
  const project = staging();
  const ended = await project.run("calibrate", "--env", "staging", "--may-write", "--write", "--json");
  expect(ended.code, ended.transcript).toBe(0);
  expect(ended.stderr).toContain("Writes that follow, each sent once:");
  const { findings } = JSON.parse(ended.stdout) as Printed;
  const found = Object.fromEntries(
    findings.filter(({ strength }) => strength !== "undecided").map((each) => [each.setting, each.found]),
  );
  expect(found).toMatchObject({
    "ledger.onBehalfOf.in": "header",
    "ledger.onBehalfOf.name": "X-On-Behalf-Of",
    "ledger.receipt.committed": ["DONE"],
    "ledger.receipt.failed": ["BROKEN"],
    "ledger.receipt.pending": "WAITING",
    "ledger.receipt.namesTransaction": false,
    "ledger.requestStatus.cancelled": "Withdrawn",
    "ledger.newOwner": "data.to",
    "ledger.primaryKey.Bond": "Isin",
    "ledger.capabilities.tokenIdUnique": true,
    "investor.parameters.sort": "order",
    numbers: "text",
  });
  const edited = project.read("tokenbook.yaml");
  expect(edited).toContain("# our services");
  expect(edited).toContain("staging: # shared with QA");
  expect(edited).toContain("# to be confirmed");
  const { profile } = (parse(edited) as { environments: { staging: { profile: { ledger: object } } } }).environments.staging;
  expect(profile.ledger).toMatchObject({
    pageSize: 2,
    lastBookmark: "nil",
    parameters: { pageSize: "size", bookmark: "from", pendingOnly: "open" },
  });
  expect(service.contents().resources.filter(({ kind, id }) => kind === "asset" && id.includes("tokenbook"))).toEqual([]);
  const again = await project.run("calibrate", "--env", "staging");
  expect(again.stdout, again.transcript).not.toContain("Differs from the profile");
});

test("a protected environment is read, and never written", async () => {
  const other = staging(TEXT().replace("    profile:", "    protected: true\n    profile:"));
  const refused = await other.run("calibrate", "--env", "staging", "--may-write");
  expect([refused.code, refused.stderr], refused.transcript).toEqual([2, expect.stringContaining("error calibrate.protected")]);
});
