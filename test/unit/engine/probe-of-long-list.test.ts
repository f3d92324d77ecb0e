// The answer of a write was lost. The run finds the outcome in a list that is longer than a single answer may be.
import { expect, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { clockWithoutWaiting, targetAt } from "../../engine-parts.ts";
import { type Came, folderForTest, type Given, runnerForTest, serve } from "./server.ts";

const MINT = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
steps: [{ id: mint, as: issuer, uses: ledger.token.mint, with: { id: T, to: { userId: bob, orgId: org1 }, value: 5 } }]
`;

const FILLER = "x".repeat(64_000);

function transaction(id: string, more: object): string {
  const to = { orgId: "org1", userId: "bob" };
  const detail = { tokenId: "T", to, amount: 5, timestampUnix: 1_000 };
  return JSON.stringify({ docType: "tkntx", id, type: "MINT", transactionDetails: [{ ...detail, ...more }] });
}

test("a lost mint is found in a list of transactions that is larger than one answer may be", async () => {
  const old = transaction("old", { data: { filler: FILLER } });
  const count = Math.ceil(LIMITS.answerBytes / old.length) + 1;
  let minted = false;
  const answer = ({ method, path }: Came): Given => {
    if (path === "/status") return { status: 204, body: "" };
    const headers = { "content-type": "application/json", date: "Mon, 23 Nov 2026 10:00:00 GMT" };
    if (path === "/token" && method === "GET")
      return { headers, body: JSON.stringify({ id: "T", totalMintedAmount: minted ? 10 : 5, totalSupply: 10 }) };
    if (path === "/token/mint") {
      minted = true;
      return { status: 502, body: "" };
    }
    const mine = {
      ...(JSON.parse(transaction("new", { timestampUnix: 1_795_435_200 })) as object),
      createdBy: { orgId: "org1", userId: "alice" },
    };
    return { headers, body: `[${Array.from({ length: count }, () => old).join(",")},${JSON.stringify(mine)}]` };
  };
  const { url, came } = await serve(answer);
  const target = targetAt(url);
  const { outcome, stopped } = await runnerForTest(folderForTest(), clockWithoutWaiting())(MINT, target);
  expect(outcome, JSON.stringify(stopped)).toBe("passed");
  expect(came.filter(({ path }) => path === "/token/mint")).toHaveLength(1);
});
