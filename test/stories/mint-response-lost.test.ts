import { expect, test } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import { answerAfterwards, answerInstead, cutAnswer, cutWithinAnswer, type Fault, proxyTo, strangerServer } from "./proxy.ts";
import { type Ended, KEYS, MINT_ONCE, newProject, operationsOf, type Project, runIn, servedSandbox } from "./world.ts";

const HTML = { status: 200, headers: { "content-type": "text/html" }, body: "<!doctype html><title>Sign in</title>" };
const FAILING = { status: 500, body: '{"message":"the gateway lost its backend"}' };

// What happens to the answer to the mint, whether the service minted, and what the message says about it.
const LOSSES: readonly { readonly name: string; readonly fault: Fault; readonly minted: 0 | 1; readonly says: RegExp }[] = [
  {
    name: "is cut off",
    fault: cutAnswer,
    minted: 1,
    says: /answer: ambiguous: .*(closed the connection|ECONNRESET)/,
  },
  {
    name: "breaks off in the middle",
    fault: cutWithinAnswer,
    minted: 1,
    says: /answer: ambiguous: .*(closed the connection|ECONNRESET)/,
  },
  {
    name: "is a web page with status 200",
    fault: answerAfterwards(HTML),
    minted: 1,
    says: /answered ledger\.token\.mint with a web page \(HTTP 200\) instead of JSON/,
  },
  {
    name: "is half a JSON document",
    fault: answerAfterwards(({ status, body }) => ({ status, body: body.slice(0, -9) })),
    minted: 1,
    says: /HTTP 200, but the answer is not JSON/,
  },
  { name: "is empty", fault: answerAfterwards({ status: 200, body: "" }), minted: 1, says: /HTTP 200, but / },
  {
    name: "is JSON that names no transaction",
    fault: answerAfterwards({ status: 200, body: '{"ok":true}' }),
    minted: 1,
    says: /names neither a transaction nor a receipt/,
  },
  {
    name: "is a 500 after the commit",
    fault: answerAfterwards(FAILING),
    minted: 1,
    says: /HTTP 500: the gateway lost its backend/,
  },
  {
    name: "is a 500 instead of the commit",
    fault: answerInstead(FAILING),
    minted: 0,
    says: /HTTP 500: the gateway lost its backend/,
  },
];

test("a mint whose answer was lost is settled by evidence or stays unknown, and is never sent again", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("mint.yaml", MINT_ONCE);
  for (const { name, fault, minted, says } of LOSSES) {
    const before = (await world.commits()).length;
    const sent = proxy.seen.length;
    void proxy.next("POST /token/mint", fault);
    const run = await project.run("run", "mint.yaml");
    const transcript = `the answer of the mint ${name}\n${run.transcript}`;
    const shown = await project.run("runs", "show", runIn(run));
    expect(shown.stdout, shown.transcript).toContain("POST /token/mint");
    expect(shown.stdout, shown.transcript).toMatch(says);
    if (minted === 1) expectSeen(run, transcript);
    else await expectUnknown(project, run, { says, transcript });
    expect(
      proxy.seen.slice(sent).filter((request) => request === "POST /token/mint"),
      transcript,
    ).toHaveLength(1);
    expect(operationsOf((await world.commits()).slice(before)), transcript).toEqual([
      "ledger.token.create",
      ...Array<string>(minted).fill("ledger.token.mint"),
    ]);
  }
});

function expectSeen(run: Ended, transcript: string): void {
  expect(run.code, transcript).toBe(0);
  expect(run.stdout, transcript).toMatch(/^✓ changed {2}mint /m);
  expect(run.stdout, transcript).toMatch(/attempt 1: applied, as read back: minted 0 → 10, transaction \w+/);
}

async function expectUnknown(
  project: Project,
  run: Ended,
  { says, transcript }: { says: RegExp; transcript: string },
): Promise<void> {
  expect(run.code, transcript).toBe(5);
  expect(run.stdout, transcript).toMatch(/^\? unknown {2}mint /m);
  expect(run.stdout, transcript).toMatch(
    /ledger\.token\.mint, sent at \d{4}-\d\d-\d\dT[\d:.]+Z, has no answer that can be trusted/,
  );
  expect(run.stdout, transcript).toMatch(says);
  expect(run.stdout, transcript).toContain("no trace of it is visible; it may still take effect");
  expect(run.stdout, transcript).toMatch(/^\? unknown {2}Mint once: 3 steps: 1 changed, 1 unknown, 1 not run /m);

  const resumed = await project.run("resume", runIn(run));
  expect(resumed.code, resumed.transcript).toBe(5);
  expect(resumed.stdout, resumed.transcript).toMatch(/^\? unknown {2}mint /m);
}

test("a redirected mint does not reach the other server, which never sees the key", async () => {
  const world = await servedSandbox();
  const [proxy, stranger] = [
    await proxyTo(world.url),
    await strangerServer({ status: 200, body: '{"transactionId":"stolen","receiptId":"stolen"}' }),
  ];
  // Each case has its own state, because an open write of one case would keep the next from starting.
  const minting = (): Project => {
    const project = newProject();
    project.serviceAt(proxy.url);
    project.write("mint.yaml", MINT_ONCE);
    return project;
  };
  for (const status of [301, 307]) {
    void proxy.next("POST /token/mint", answerInstead({ status, headers: { location: `${stranger.url}/token/mint` }, body: "" }));
    const run = await minting().run("run", "mint.yaml");
    expect(run.code, run.transcript).toBe(5);
    expect(run.stdout, run.transcript).toContain(`HTTP ${status}`);
    expect(stranger.seen, run.transcript).toEqual([]);
    expect(run.stdout + run.stderr, run.transcript).not.toContain(KEYS["LEDGER_KEY"]);
  }
  expect(operationsOf(await world.commits())).toEqual(["ledger.token.create", "ledger.token.create"]);

  // The first read is the baseline before the mint.
  const elsewhere = answerInstead({ status: 307, headers: { location: `${stranger.url}/token` }, body: "" });
  for (let time = 0; time < LIMITS.readAttempts; time++) void proxy.next("GET /token", elsewhere, time === 0 ? 1 : 0);
  const read = await minting().run("run", "mint.yaml");
  expect(read.code, read.transcript).toBe(1);
  expect(read.stdout, read.transcript).toMatch(/^✗ failed {3}after /m);
  expect(stranger.seen, read.transcript).toEqual([]);
});
