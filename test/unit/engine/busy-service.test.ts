import { expect, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { clockWithoutWaiting, targetAt } from "../../engine-parts.ts";
import { type Given, runnerForTest, serve } from "./server.ts";

// A service that is always busy says when to ask again. A run that has less time left than that does not wait.

const BUSY = { status: 429, body: '{"message":"slow down"}', headers: { "retry-after": "2" } };

test("a step with `until` ends at its timeout, however long the service asks it to wait", async () => {
  const { url, came } = await serve(({ path }) => (path === "/status" ? { status: 204, body: "" } : BUSY));
  const playbook = `playbook: 1
name: Until
steps:
  - { id: wait, uses: ledger.asset.stats, until: response.totalCount > 0, timeout: 3s }
`;
  const ran = await runnerForTest()(playbook, targetAt(url));
  expect(ran, JSON.stringify(ran)).toMatchObject({ outcome: "failed", stopped: { problem: { code: "until.timeout" } } });
  expect(came.filter(({ path }) => path !== "/status").length).toBeLessThan(6);
});

test("a run looks for a lost write only as long as the step allows, however long the service asks it to wait", async () => {
  const { url, came } = await serve(({ path }) => {
    if (path === "/status") return { status: 204, body: "" };
    return path === "/token/mint"
      ? { status: 502, body: "<h1>Bad Gateway</h1>", headers: { "content-type": "text/html" } }
      : BUSY;
  });
  const playbook = `playbook: 1
name: Lost
actors: { issuer: { ledger: "userId:alice" } }
steps:
  - id: mint
    as: issuer
    uses: ledger.token.mint
    with: { id: Gold, to: "\${{ actors.issuer }}", value: 5 }
    wait: { timeout: 3s }
`;
  const ran = await runnerForTest()(playbook, targetAt(url));
  expect(ran.outcome, JSON.stringify(ran)).toBe("unknown");
  const sent = came.findIndex(({ path }) => path === "/token/mint");
  expect(came.slice(sent + 1).length).toBeLessThan(10);
});

test("a run waits for a busy service for two minutes at most, and the message says this", async () => {
  const busy = { ...BUSY, headers: { "retry-after": "3600" } };
  const { url, came } = await serve(() => busy);
  const clock = clockWithoutWaiting();
  const ran = await runnerForTest(undefined, clock)(
    "playbook: 1\nsteps: [{ id: read, uses: ledger.asset.stats }]\n",
    targetAt(url),
  );
  expect(ran.outcome).toBe("failed");
  expect(clock.elapsed()).toBeLessThanOrEqual(LIMITS.readMs);
  expect(ran.stopped?.problem).toMatchObject({
    message: "HTTP 429: slow down",
    why: expect.stringMatching(
      /^tokenbook asked \d times within 2 min 0 s; it tries one read for at most 2 min 0 s; the answer asks for a pause of 1 h 0 min$/,
    ),
  });
  expect(came.length).toBeGreaterThan(2);
});

test("`retry` makes as many requests as it allows, and waiting for a busy service does not count", async () => {
  const failing = { status: 503, body: '{"message":"no"}' };
  const answers: Record<string, (request: number) => Given> = {
    "always 503": () => failing,
    "a web page": () => ({ status: 502, body: "<h1>Bad Gateway</h1>", headers: { "content-type": "text/html" } }),
    "busy, then 503": (request) => (request === 1 ? BUSY : failing),
  };
  const step = "uses: ledger.asset.stats, retry: { attempts: 3, every: 1s }";
  for (const [what, answer] of Object.entries(answers)) {
    const { url, came } = await serve(() => answer(came.length));
    const ran = await runnerForTest()(`playbook: 1\nsteps: [{ id: read, ${step} }]\n`, targetAt(url));
    expect(ran.outcome, what).toBe("failed");
    expect(came, what).toHaveLength(what.startsWith("busy") ? 4 : 3);
  }
});

test.each([
  ["2", 2_000],
  ["1.5", 1_500],
  ["0", 0],
  ["Thu, 28 May 2026 20:26:44 GMT", 4_000],
  ["Thu May 28 20:26:44 2026", 4_000],
  ["Thursday, 28-May-26 20:26:44 GMT", 4_000],
  ["", 200],
  ["-1", 200],
  ["0x1", 200],
  ["soon 5", 200],
  ["1, 1", 200],
  ["1e306", 200],
])("a service that asks for a pause of %j is asked again after %i ms", async (wait, pausedMs) => {
  const { url, came } = await serve(() =>
    came.length === 1
      ? { ...BUSY, headers: { "retry-after": wait, date: "Thu, 28 May 2026 20:26:40 GMT" } }
      : { body: '{"totalCount":1,"countByType":[]}' },
  );
  const pauses: number[] = [];
  const clock = clockWithoutWaiting();
  const ran = await runnerForTest(undefined, { ...clock, sleep: async (ms) => void pauses.push(ms) })(
    "playbook: 1\nsteps: [{ id: read, uses: ledger.asset.stats }]\n",
    targetAt(url),
  );
  expect(ran.outcome, JSON.stringify(ran)).toBe("passed");
  expect(pauses).toEqual([pausedMs]);
});

test("the message about a redirect names where it leads, whatever page comes with it", async () => {
  const headers = { location: "https://moved.example/ledger", "content-type": "text/html" };
  const { url } = await serve(() => ({ status: 301, headers, body: "<h1>Moved Permanently</h1>" }));
  const ran = await runnerForTest()("playbook: 1\nsteps: [{ id: read, uses: ledger.asset.stats }]\n", targetAt(url));
  expect(ran.stopped?.problem).toMatchObject({
    code: "service.redirect",
    message: `${url} answered ledger.asset.stats with a redirect (HTTP 301: to https://moved.example/ledger)`,
  });
});
