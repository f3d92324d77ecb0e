import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import calibrateSchema from "../../schemas/calibrate.schema.json" with { type: "json" };
import { SchemaSet } from "../../src/schema/validator.ts";
import { startSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { OTHER_PROFILE } from "../sandbox/other-profile.ts";
import { newProject, type Project, reached, type Running, until } from "./world.ts";

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

test("calibrate without --may-write reads, and proposes an edit that keeps the comments of tokenbook.yaml", async () => {
  const text = `${TEXT()}notifications:\n  desk: { url: "https://hooks.example/t0ken-of-the-desk" }\nheartbeat: https://ping.example/t0ken\n`;
  const project = staging(text);
  const shown = await project.run("calibrate", "--env", "staging");
  expect(shown.code, shown.transcript).toBe(0);
  expect(shown.stdout).toContain('~ ledger.parameters.bookmark: "bookmark" → "from"  (observed)');
  expect(shown.stdout).toContain('? ledger.receipt.committed: ["COMMITTED"]  (reading does not show it; --may-write does)');
  expect(shown.stdout).toContain("+++ tokenbook.yaml");
  expect(project.read("tokenbook.yaml")).toBe(text);
  expect(shown.stdout).toContain(" notifications:\n");
  for (const secret of [service.ledgerApiKey, "t0ken"]) expect(shown.transcript).not.toContain(secret);
  expect(service.contents().commits).toEqual([]);
});

test("calibrate --may-write announces its writes and removes its assets; --write edits tokenbook.yaml", async () => {
  const project = staging();
  const ended = await project.run("calibrate", "--env", "staging", "--may-write", "--write", "--json");
  expect(ended.code, ended.transcript).toBe(0);
  expect(ended.stderr).toContain("Writes that follow, each sent once:");
  expect(new SchemaSet().validator(calibrateSchema)(JSON.parse(ended.stdout))).toEqual([]);
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

/** Starts a calibration that writes, and waits until it has made a vault. */
async function writing(): Promise<Running> {
  const before = service.contents().commits.length;
  const running = staging().start("calibrate", "--env", "staging", "--may-write");
  const isThere = (): true | undefined =>
    service
      .contents()
      .commits.slice(before)
      .some(({ operation }) => operation === "ledger.vault.deposit") || undefined;
  await reached(running, until(isThere));
  return running;
}

const assetsLeft = (): readonly string[] =>
  service.contents().resources.flatMap(({ kind, id }) => (kind === "asset" && id.includes("tokenbook") ? [id] : []));

test("Ctrl-C during its writes makes calibrate remove its assets, and list what may be left", async () => {
  const running = await writing();
  await running.signal("SIGINT");
  const { code, stderr, transcript } = await running.ended;
  expect(code, transcript).toBe(130);
  expect(stderr, transcript).toContain("stopping: tokenbook removes what it made; Ctrl-C again ends at once\n");
  expect(stderr, transcript).toMatch(/These may be left in the service:\n(?: {2}.*\n)* {2}the empty vault tokenbook\w+Vault\n/);
  expect(assetsLeft(), transcript).toEqual([]);
});

test("a second Ctrl-C ends calibrate at once, and calibrate lists what may be left", async () => {
  const running = await writing();
  await running.signal("SIGINT");
  await running.printed("stopping:");
  await running.signal("SIGINT");
  const { code, stderr, transcript } = await running.ended;
  expect(code, transcript).toBe(130);
  expect(stderr, transcript).toMatch(/ended at once; these may be left in the service:\n {2}the Bond tokenbook\w+Asset/);
});

test("calibrate --may-write refuses a protected environment", async () => {
  const other = staging(TEXT().replace("    profile:", "    protected: true\n    profile:"));
  const refused = await other.run("calibrate", "--env", "staging", "--may-write");
  expect([refused.code, refused.stderr], refused.transcript).toEqual([2, expect.stringContaining("error calibrate.protected")]);
});
