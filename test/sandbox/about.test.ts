import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { contract, type InterfaceName } from "../../src/contract/contract.ts";
import { profileWith } from "../../src/contract/profile.ts";
import { readSeed } from "../../src/sandbox/sandbox.ts";
import { fileForTest, sandboxForTest, user } from "./caller.ts";

const run = promisify(execFile);

test.each(["ledger", "investor"] as const)(
  "the %s document describes every operation and lints clean",
  async (name: InterfaceName) => {
    const { sandbox, control } = await sandboxForTest();
    const { body } = await control(`GET /openapi/${name}`);
    const operations = Object.values(contract.operations).filter((operation) => operation.interface === name);
    const described = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(described.toSorted()).toEqual(operations.map((operation) => operation.name).toSorted());
    const root = name === "ledger" ? "/tokenize/app1" : "/api/v/1";
    expect(body.servers).toMatchObject([{ url: `${sandbox.ledgerBaseUrl}${root}` }]);
    expect(JSON.stringify(body)).not.toContain("contract#");

    const file = join(dirname(fileForTest()), `${name}.json`);
    writeFileSync(file, JSON.stringify(body));
    const linted = await run("node_modules/.bin/redocly", ["lint", "--extends", "recommended-strict", file], {
      env: { ...process.env, REDOCLY_TELEMETRY: "off" },
    });
    expect(linted.stdout + linted.stderr).toContain("valid");
  },
);

test("the document uses the names of the profile", async () => {
  const profile = profileWith({
    ledger: { onBehalfOf: { in: "header", name: "X-Acting" }, parameters: { pageSize: "size" } },
    investor: { parameters: { limit: "perPage" } },
    conditionStatus: { "asset already exists": 400 },
  });
  const { control } = await sandboxForTest({ profile });
  const ledger = (await control("GET /openapi/ledger")).body;
  const { parameters } = ledger.paths["/asset/all"].get;
  expect(parameters).toMatchObject([{ name: "X-Acting", in: "header" }, { name: "assetType" }, { name: "size" }, {}]);
  expect(Object.keys(ledger.paths["/asset"].post.responses)).not.toContain("409");
  const investor = (await control("GET /openapi/investor")).body;
  expect(investor.paths["/token-sales"].get.parameters).toMatchObject([{}, { name: "perPage" }, {}, {}, {}, {}]);
});

test("the page shows the data of the sandbox, runs no foreign script, and loads nothing from elsewhere", async () => {
  const evil = `<script>alert("1")</script>'&`;
  const seed = readSeed({ ledger: { tokens: [{ id: "GOLD", accounts: [{ entity: { userId: evil }, balance: "10.50" }] }] } });
  const { sandbox, ledger } = await sandboxForTest({ seed });
  await ledger("POST /asset", { as: "userId:alice", body: { assetType: "Property", data: { id: evil } } });
  const owners = [{ ...user(evil) }];
  await ledger("PATCH /asset/owners", { as: "userId:alice", body: { assetType: "Property", data: [{ id: evil, owners }] } });
  const response = await fetch(`${sandbox.ledgerBaseUrl}/`, { headers: { "x-api-key": sandbox.ledgerApiKey } });
  const page = await response.text();
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page).not.toContain("<script");
  expect(page).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;");
  for (const heading of [
    "Assets (1)",
    "Tokens (1)",
    "Vaults",
    "Investor tokens (2)",
    "Sales (5)",
    "Ledger transactions (2)",
    "Commits (2)",
  ]) {
    expect(page).toContain(heading);
  }
  expect(page).toContain("<td>10.5</td>");
  expect(page).not.toContain(sandbox.ledgerApiKey);
  expect(page).not.toMatch(/https?:\/\/|src=|url\(/);

  const policy = response.headers.get("content-security-policy") ?? "";
  const style = /<style>([^]*)<\/style>/.exec(page)?.[1] ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`'sha256-${createHash("sha256").update(style).digest("base64")}'`);
  expect(style).toContain("light dark");
});

test("a long list on the page shows its newest items", async () => {
  const { sandbox, ledger } = await sandboxForTest();
  const data = Array.from({ length: 25 }, (_, at) => ({ id: `asset-${at}-` }));
  await ledger("POST /asset", { body: { assetType: "Property", data } });
  const page = await (await fetch(`${sandbox.ledgerBaseUrl}/`, { headers: { "x-api-key": sandbox.ledgerApiKey } })).text();
  expect(page).toContain("Assets (20 latest of 25)");
  expect(page).toContain("asset-24-");
  expect(page).not.toContain("asset-4-");
});
