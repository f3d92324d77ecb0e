import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MINT_ONCE, newProject, type Project, runIn, servedSandbox } from "./world.ts";

interface Har {
  readonly log: {
    readonly pages: readonly { readonly id: string }[];
    readonly entries: readonly {
      readonly pageref: string;
      readonly _step?: string;
      readonly _operation?: string;
      readonly _error?: string;
      readonly comment: string;
      readonly request: {
        readonly method: string;
        readonly headers: readonly { readonly name: string; readonly value: string }[];
        readonly postData?: { readonly text: string };
      };
      readonly response: { readonly status: number; readonly content: { readonly text: string } };
    }[];
  };
}

const EXACT = `playbook: 1
name: An asset with a number of many digits
actors: { alice: { ledger: "userId:alice" } }
defaults: { as: alice }
steps:
  - id: deed
    uses: ledger.asset.create
    with: { assetType: Document, data: { id: "Deed\${{ run.key }}", area: 12345678901234567890.12345678901234567890, nil: 1.00 } }
  - id: read
    uses: ledger.asset.get
    with: { assetType: Document, id: "\${{ steps.deed.id }}" }
`;

function harIn(project: Project, file: string): Har {
  return JSON.parse(project.read(file)) as Har;
}

function isKept({ folder }: Project): boolean {
  return existsSync(join(folder, ".tokenbook/exchanges.db"));
}

test("exchanges are kept only on request, name their steps, keep every digit, and can be removed", async () => {
  const project = newProject();
  project.serviceAt((await servedSandbox()).url);
  project.write("deed.yaml", EXACT);
  const plain = await project.run("run", "deed.yaml");
  expect(plain.code, plain.transcript).toBe(0);
  expect(isKept(project)).toBe(false);
  const nothing = await project.run("report", "latest", "--format", "har");
  expect(nothing.code, nothing.transcript).toBe(2);
  expect(nothing.stderr).toContain("report.no-exchanges");
  expect(isKept(project)).toBe(false);

  const run = await project.run("run", "deed.yaml", "--report", "har=out/run.har");
  expect(run.code, run.transcript).toBe(0);
  const { log } = harIn(project, "out/run.har");
  expect(log.pages.map(({ id }) => id)).toEqual([runIn(run)]);
  expect(new Set(log.entries.map(({ pageref }) => pageref))).toEqual(new Set([runIn(run)]));
  const [sent, read] = ["deed ledger.asset.create", "read ledger.asset.get"].map((made) =>
    log.entries.find(({ _step = "", _operation = "" }) => `${_step} ${_operation}` === made),
  );
  expect(log.entries[0]).toMatchObject({ comment: "before the first step", _operation: "ledger.status" });
  expect(sent?.request.postData?.text).toContain('"area":12345678901234567890.12345678901234567890,"nil":1.00');
  expect(read?.response.content.text).toContain('"area":12345678901234567890.12345678901234567890,"nil":1.00');
  expect(project.read("out/run.har")).not.toContain("sandbox-ledger-key");
  for (const { request } of log.entries)
    expect(request.headers).toContainEqual({ name: "X-API-KEY", value: "${{ secrets.LEDGER_API_KEY }}" });

  const again = await project.run("report", "latest", "--format", "har");
  expect(again.stdout, again.transcript).toBe(project.read("out/run.har"));
  const dropped = await project.run("runs", "drop-exchanges", "latest");
  expect(dropped.stdout, dropped.transcript).toBe(`removed ${log.entries.length} exchanges\n`);
  expect((await project.run("report", "latest", "--format", "har")).code).toBe(2);
});

test("a lost answer is kept as an entry without an answer, and a resumed run appends to the same exchanges", async () => {
  const project = newProject();
  const faults = [
    { operation: "ledger.token.mint", nth: 1, fault: "drop-after" },
    { operation: "ledger.transaction.list", nth: 2, times: 50, fault: "drop-before" },
  ];
  project.serviceAt((await servedSandbox({ faults })).url);
  project.write("mint.yaml", MINT_ONCE);
  const kept = project.as({ ...project.variables, TOKENBOOK_KEEP_EXCHANGES: "1" });
  const run = await kept.run("run", "mint.yaml");
  const first = JSON.parse((await project.run("report", "latest", "--format", "har")).stdout) as Har;
  expect(
    first.log.entries.find(({ _operation }) => _operation === "ledger.token.mint"),
    run.transcript,
  ).toMatchObject({
    response: { status: 0 },
    _error: expect.any(String) as string,
  });
  const resumed = await kept.run("resume");
  const second = JSON.parse((await project.run("report", "latest", "--format", "har")).stdout) as Har;
  expect(second.log.pages, resumed.transcript).toEqual(first.log.pages);
  expect(second.log.entries.slice(0, first.log.entries.length)).toEqual(first.log.entries);
});
