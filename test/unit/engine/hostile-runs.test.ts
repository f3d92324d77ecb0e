import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { writeJson } from "../../../src/base/json/json.ts";
import { contract } from "../../../src/contract/contract.ts";
import { type Operation, operationNamed, operations } from "../../../src/operations/operation.ts";
import { ATTEMPTS_PER_CLAIM } from "../../../src/protocol/attempts.ts";
import { pageOf } from "../../../src/operations/page.ts";
import { answersOf, brokenTexts, mutationsOf, type Mutated } from "./mutations.ts";
import { targetAt } from "../../engine-parts.ts";
import { type Came, type Given, runnerForTest, serve } from "./server.ts";
import { isNightly } from "../../sizes.ts";

const SEED = 20_261_122;
const RUNS_PER_OPERATION = isNightly ? 5 : 2;

function playbookOf(operation: Operation): string {
  return [
    "playbook: 1",
    "name: One step",
    "actors:",
    '  issuer: { ledger: "userId:alice" }',
    "  buyer: { investor: BUYER_KEY }",
    "steps:",
    pageOf(operation)
      .example.trimEnd()
      .replaceAll(/^(?=.)/gm, "  "),
    ...(operation.call.paging === undefined ? [] : ["    pages: first"]),
  ].join("\n");
}

const COMMITTED = '{"transactionId":"tx1","status":"COMMITTED","message":"Success"}';

// Answers every other request as a service in good order would. The receipt names the transaction of the hostile answer.
function inOrder({ path }: Came, marked: string | undefined, answer = "{}"): Given {
  switch (path) {
    case "/status":
      return { status: 204, body: "" };
    case "/asset/receipt":
      return { body: JSON.stringify({ status: "COMMITTED", transactionId: transactionIn(answer) ?? "tx1" }) };
    case "/token-sales":
      return { body: '{"status":"SUCCESS","response":{"sales":[]}}' };
    default:
      return { body: `{"count":1,"bookmark":"","records":[{"id":"R1","data":{"tokenbook":"${marked}"}}]}` };
  }
}

function transactionIn(answer: string): string | undefined {
  const [, id] = /"transactionId":("(?:[^"\\]|\\.)+")/.exec(answer) ?? [];
  return id === undefined ? undefined : (JSON.parse(id) as string);
}

function isCallOf({ call }: Operation, { method, path }: Came): boolean {
  return method === call.method && new RegExp(`^${call.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);
}

function hostileTo(operation: Operation): readonly Mutated[] {
  if (operation.call.response === undefined) return [];
  const seed = SEED + operation.name.length;
  const [answer] = fc.sample(answersOf(operation.call), { seed, numRuns: 1 });
  const texts = brokenTexts(answer);
  return [
    ...texts.slice(2, 4),
    ...texts.slice(-1),
    ...fc.sample(mutationsOf(operation.call), { seed, numRuns: RUNS_PER_OPERATION }),
  ];
}

// The contract allows a write result without a receipt, and a purchase that differs from the requested one. Neither proves the write.
function lacksEvidence({ call, writes, meaning }: Operation, text: string): boolean {
  if (!writes) return false;
  if (call.interface === "investor") return meaning.doubt !== undefined;
  const { receiptId } = JSON.parse(text) as { receiptId?: unknown };
  return typeof receiptId !== "string" || receiptId === "";
}

test.for([...operations.values()].map((operation) => [operation.name, operation] as const))(
  "whatever the service answers to %s, the run passes only with evidence, and never ends with a bug",
  async ([, operation]) => {
    let [next, mark]: [string, string | undefined] = ["", undefined];
    const { url, came } = await serve((request) => {
      mark = /"tokenbook":"([^"]+)"/.exec(request.body)?.[1] ?? mark;
      return isCallOf(operation, request) ? { status: operation.call.successStatus, body: next } : inOrder(request, mark, next);
    });
    const target = targetAt(url);
    const playbook = playbookOf(operation);
    for (const { text, says } of hostileTo(operation)) {
      next = text;
      const before = came.length;
      // Each run has its own journal, because an answer that has proven one run cannot prove another.
      const ran = await runnerForTest()(playbook, target);
      const seen = `answer ${text.slice(0, 1_000)}, ended ${JSON.stringify(ran).slice(0, 1_000)}`;
      const sent = came.slice(before).filter((request) => isCallOf(operation, request));
      if (says === undefined && lacksEvidence(operation, text)) {
        expect(ran.outcome, seen).toBe(operation.meaning.effect === "marked" ? "passed" : "unknown");
        expect(sent.length, seen).toBeLessThanOrEqual(operation.meaning.effect === "absolute" ? ATTEMPTS_PER_CLAIM : 1);
        continue;
      }
      if (says === undefined || !operation.writes) {
        expect(ran.outcome, seen).toBe(says === undefined ? "passed" : "failed");
        if (says !== undefined) expect(ran.stopped?.problem.message, seen).toMatch(says);
        // A web page may take the place of the service for a moment, so the run asks again.
        expect(sent, seen).toHaveLength(/^\s*</.test(text) ? LIMITS.readAttempts : 1);
        continue;
      }
      // The service shows a record with our mark, so the run knows that this write took effect.
      expect(ran.outcome, seen).toBe(operation.meaning.effect === "marked" ? "passed" : "unknown");
      if (ran.stopped !== undefined) expect(ran.stopped.problem.message.replace(/^.*can be trusted: /, ""), seen).toMatch(says);
      // The run sends a write only once if it may have taken effect, unless a second request would only set the same values.
      expect(sent.length, seen).toBeLessThanOrEqual(operation.meaning.effect === "absolute" ? ATTEMPTS_PER_CLAIM : 1);
    }
  },
);

const MINT = playbookOf(operationNamed("ledger.token.mint"));
const CREATE = playbookOf(operationNamed("ledger.asset.create"));

test.for([
  ["a write that is held until the commit", MINT, "/token/mint", 200],
  ["a write that is answered at once", CREATE, "/asset", 201],
] as const)("only its own receipt with COMMITTED lets %s pass", async ([, playbook, path, status]) => {
  let receipts: readonly string[] = [];
  let asked = 0;
  const { url, came } = await serve((request) => {
    if (request.path === path) return { status, body: '{"transactionId":"tx1","receiptId":"r1"}' };
    if (request.path !== "/asset/receipt") return inOrder(request, undefined);
    return { body: receipts[Math.min(asked++, receipts.length - 1)] ?? "" };
  });
  const runWith = async (...given: readonly string[]) => {
    [receipts, asked] = [given, 0];
    return runnerForTest()(playbook, targetAt(url));
  };
  const operation = contract.operations["ledger.receipt.get"] ?? expect.fail();
  const hostile = fc
    .sample(mutationsOf(operation), { seed: SEED, numRuns: 60 })
    .map(({ text }) => text)
    .filter((text) => !/"(COMMITTED|FAILED)"/.test(text));
  const broken = brokenTexts({ transactionId: "tx1", status: "COMMITTED" }).map(({ text }) => text);
  const others = ["committed", "COMMITED", "SUCCESS", "true", "PENDING"].map((word) =>
    writeJson({ transactionId: "tx1", status: word }),
  );
  expect(hostile.length).toBeGreaterThan(40);

  const all = [...others, ...broken, ...hostile];
  for (let from = 0; from < all.length; from += 10) {
    expect(await runWith(...all.slice(from, from + 10), COMMITTED)).toMatchObject({ outcome: "passed" });
  }
  const another = [COMMITTED.replace("tx1", "tx2"), COMMITTED.replace("tx1", ""), '{"status":"COMMITTED"}'];
  for (const receipt of [...others, ...broken.slice(0, 3), ...hostile.slice(0, 3), ...another]) {
    const ran = await runWith(receipt);
    expect(ran, receipt).toMatchObject({ outcome: "unknown", stopped: { problem: { code: "receipt.undecided" } } });
  }
  expect(await runWith(...others, '{"status":"FAILED","message":"no"}')).toMatchObject({
    outcome: "failed",
    stopped: { problem: { code: "receipt.failed", message: expect.stringContaining("no") } },
  });
  expect(came.filter((request) => request.method === "POST" && request.path === path)).toHaveLength(
    came.filter((request) => request.path === "/status").length,
  );
});

test("only its mark finds what a write made in a list", async () => {
  let list = "";
  const { url } = await serve((request) => {
    if (request.method === "POST") return { body: '{"transactionId":"tx1","receiptId":"r1"}' };
    return request.path === "/approval/my" ? { body: list } : inOrder(request, undefined);
  });
  const playbook = playbookOf(operationNamed("ledger.approval.create"));
  const lists: readonly (readonly [string, string])[] = [
    ['{"count":1,"records":[{"id":"R1","data":{"tokenbook":"another"}}]}', "discovery.not-found"],
    ['{"count":1,"records":[{"id":"R1","data":"tokenbook"}]}', "discovery.not-found"],
    ['{"count":1,"records":[{"id":"R1"}]}', "discovery.not-found"],
    ['{"count":0,"records":null}', "discovery.not-found"],
    ['{"records":7}', "service.unreadable"],
    ["{}", "service.unreadable"],
    ["[]", "service.unreadable"],
    ["<html>", "service.not-json"],
  ];
  for (const [text, code] of lists) {
    list = text;
    const ran = await runnerForTest()(playbook, targetAt(url));
    expect(ran, text).toMatchObject({ outcome: "failed", completed: [], stopped: { problem: { code } } });
  }
});

const SERVICE_404: Given = { status: 404, body: '{"message":"not found"}' };
const PROXY_404: Given = { status: 404, headers: { "content-type": "text/html" }, body: "<html>Not Found</html>" };

test.for([
  {
    what: "what `until` waits for",
    step: '  - { id: a, uses: ledger.asset.get, with: { assetType: Property, id: A }, until: response.id == "A" }',
    path: "/asset",
    there: '{"id":"A","assetType":"Property"}',
    says: /web page \(HTTP 404\)/,
  },
  {
    what: "what `discover` looks for",
    step: `  - id: a
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: A } }
    discover: { read: ledger.asset.get, with: { assetType: Property, id: A }, one: '[response]', outputs: { found: one.id } }`,
    path: "/asset",
    there: '{"id":"A","assetType":"Property"}',
    says: /the write took effect, but what it made cannot be read: .* web page \(HTTP 404\)/,
  },
  {
    what: "what is found by its mark",
    step: `  - id: a
    uses: ledger.approval.create
    with: { approvalType: t, approvers: [{ orgId: o, userId: b }], numRequired: 1 }`,
    path: "/approval/my",
    there: undefined,
    says: /the write took effect, but what it made cannot be read: .* web page \(HTTP 404\)/,
  },
])("$what counts as absent if the service answers 404, and not if a proxy does", async ({ step, path, there, says }) => {
  let [answers, marked]: [Given[], string | undefined] = [[], undefined];
  const { url } = await serve((request) => {
    marked = /"tokenbook":"([^"]+)"/.exec(request.body)?.[1] ?? marked;
    if (request.method === "POST") return { status: 201, body: '{"transactionId":"tx1","receiptId":"r1"}' };
    const given = request.path === path ? answers.shift() : undefined;
    return given ?? (there === undefined || request.path !== path ? inOrder(request, marked) : { body: there });
  });
  const playbook = `playbook: 1\nactors: { issuer: { ledger: "userId:alice" } }\ndefaults: { as: issuer }\nsteps:\n${step}\n`;
  answers = [SERVICE_404, SERVICE_404];
  expect(await runnerForTest()(playbook, targetAt(url))).toMatchObject({ outcome: "passed" });
  answers = [SERVICE_404, ...Array.from({ length: LIMITS.readAttempts }, () => PROXY_404)];
  const ran = await runnerForTest()(playbook, targetAt(url));
  expect(ran).toMatchObject({ outcome: "failed", stopped: { problem: { code: "service.not-json" } } });
  expect(ran.stopped?.problem.message).toMatch(says);
});

const TWO_MINTS = `playbook: 1
name: Mint to two
defaults: { as: { ledger: "userId:alice" } }
steps:
  - id: first
    uses: ledger.token.mint
    with: { id: T1, to: { orgId: org1, userId: bob }, value: "1" }
  - id: second
    uses: ledger.token.mint
    with: { id: T1, to: { orgId: org1, userId: carol }, value: "2" }
    wait: { timeout: 2s }
`;

// Something in between has kept what the service said about the first mint, and repeats it for the second mint, which never arrived.
function keeping(kept: "answer" | "receipt"): (request: Came) => Given {
  const writes: string[] = [];
  return ({ method, path, query }) => {
    if (path === "/status") return { status: 204, body: "" };
    if (path === "/asset/receipt") {
      const receipt = kept === "receipt" ? "r1" : (query.get("receiptId") ?? "");
      return { body: JSON.stringify({ status: "COMMITTED", transactionId: receipt.replace("r", "tx") }) };
    }
    if (method === "GET") return { body: '{"totalMintedAmount":1,"totalSupply":1}' };
    if (!path.startsWith("/token/mint")) return { body: '{"count":0,"bookmark":"","records":[]}' };
    writes.push(path);
    if (kept === "receipt") return { body: JSON.stringify({ receiptId: `r${writes.length}` }) };
    return { body: '{"transactionId":"tx1","receiptId":"r1"}' };
  };
}

test.for(["answer", "receipt"] as const)(
  "the %s of an earlier write, repeated by a proxy, does not prove this write",
  async (kept) => {
    const { url, came } = await serve(keeping(kept));
    const { outcome, completed, stopped } = await runnerForTest()(TWO_MINTS, targetAt(url));
    expect(completed.map(({ step }) => step)).toEqual(["first"]);
    expect({ outcome, stopped }).toMatchObject({ outcome: "unknown", stopped: { step: "second" } });
    expect(stopped?.problem.message).toContain(
      kept === "answer" ? "the answer names the transaction of first" : "names the transaction of first",
    );
    expect(came.filter(({ path }) => path.startsWith("/token/mint"))).toHaveLength(2);
  },
);

const GATEWAY_404: Given = { status: 404, body: '{"message":"no Route matched with those values"}' };

const HARMLESS: ReadonlySet<string> = new Set(["/status", "/token-sales"]);
const JSON_TEXT = { "content-type": "application/json" };

const LOOKED_FOR = [
  {
    what: "what `until` waits for",
    step: '  - { id: a, uses: ledger.asset.get, with: { assetType: Property, id: A }, until: response.id == "A" }',
    from: "the start",
  },
  {
    what: "what `until` waits for on the investor interface",
    step: '  - { id: a, uses: investor.sales.get, with: { tokenSaleId: S }, as: { investor: BUYER_KEY }, until: response.sale.id == "S" }',
    from: "the start",
  },
  {
    what: "what `discover` looks for",
    step: `  - id: a
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: A } }
    discover: { read: ledger.asset.get, with: { assetType: Property, id: A }, one: '[response]', outputs: { found: one.id } }`,
    from: "the write",
  },
  {
    what: "what is found by its mark",
    step: `  - id: a
    uses: ledger.approval.create
    with: { approvalType: t, approvers: [{ orgId: o, userId: b }], numRequired: 1 }`,
    from: "the write",
  },
  {
    what: "what `ensure` looks for before the write",
    step: `  - id: a
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: A } }
    ensure: { read: ledger.asset.get, with: { assetType: Property, id: A }, that: 'response.id == "A"' }`,
    from: "the first question",
  },
];

test.for(
  LOOKED_FOR.flatMap((each) => [
    { ...each, and: "" },
    { ...each, and: ", and a cache the harmless read only" },
  ]),
)("$what does not count as absent if a gateway answers 404 to every path from $from on$and", async ({ step, from, and }) => {
  let isGone = from === "the start";
  const { url, came } = await serve((request) => {
    const given = inOrder(request, undefined);
    if (request.path === "/asset/receipt") return given;
    if (isGone && and !== "" && HARMLESS.has(request.path)) return { ...given, headers: { ...JSON_TEXT, age: "60" } };
    if (isGone) return GATEWAY_404;
    const isWrite = request.method === "POST";
    isGone = from === (isWrite ? "the write" : "the first question");
    return isWrite ? { status: 201, body: '{"transactionId":"tx1","receiptId":"r1"}' } : given;
  });
  const playbook = `playbook: 1\nactors: { issuer: { ledger: "userId:alice" } }\ndefaults: { as: issuer }\nsteps:\n${step}\n`;
  const ran = await runnerForTest()(playbook, targetAt(url));
  expect(ran).toMatchObject({
    outcome: "failed",
    stopped: { problem: { code: and === "" ? "service.refused" : "service.cached" } },
  });
  expect(ran.stopped?.problem.message).toContain("does not answer as the service does");
  expect(came.filter(({ method }) => method === "POST")).toHaveLength(from === "the write" ? 1 : 0);
});
