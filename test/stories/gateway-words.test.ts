import { expect, test } from "vitest";
import { type Answer, answerAfterwards, answerInstead, proxyTo } from "./proxy.ts";
import { MINT_ONCE, newProject, operationsOf, runIn, servedSandbox, stepIn } from "./world.ts";

const JSON_TYPE = { "content-type": "application/json" };

// The answers that gateways are known to send instead of the service's own.
const GATEWAYS: readonly { readonly name: string; readonly answer: Answer }[] = [
  {
    name: "503 with Retry-After as plain text",
    answer: {
      status: 503,
      headers: { "content-type": "text/plain", "retry-after": "0" },
      body: "upstream connect error or disconnect/reset before headers",
    },
  },
  {
    name: "503 with Retry-After as JSON",
    answer: { status: 503, headers: { ...JSON_TYPE, "retry-after": "0" }, body: '{"message":"Service Unavailable"}' },
  },
  {
    name: "429 as JSON",
    answer: { status: 429, headers: { ...JSON_TYPE, "retry-after": "0" }, body: '{"message":"Too Many Requests"}' },
  },
  { name: "403 without a body", answer: { status: 403, headers: {}, body: "" } },
  { name: "403 as JSON", answer: { status: 403, headers: JSON_TYPE, body: '{"message":"Forbidden"}' } },
  { name: "401 as JSON", answer: { status: 401, headers: JSON_TYPE, body: '{"message":"Unauthorized"}' } },
  { name: "404 as text", answer: { status: 404, headers: { "content-type": "text/plain" }, body: "default backend - 404" } },
  {
    name: "409 as problem+json",
    answer: {
      status: 409,
      headers: { "content-type": "application/problem+json" },
      body: '{"type":"about:blank","title":"Conflict","status":409}',
    },
  },
];

const WHY = /this is not the service's error format.*tokenbook\.yaml:\d+ \(environments\.here\.profile\.ledger\.errors\)/;

test.for(GATEWAYS)("a write that is committed but answered with $name is looked for, and not sent again", async ({ answer }) => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("mint.yaml", MINT_ONCE);
  void proxy.next("POST /token/mint", answerAfterwards(answer));
  const ended = await project.run("run", "mint.yaml");
  expect(ended.code, ended.transcript).toBe(0);
  expect(operationsOf(await service.commits()), ended.transcript).toEqual(["ledger.token.create", "ledger.token.mint"]);
  const { data, transcript } = await project.json("runs", "show", runIn(ended));
  const [attempt, ...others] = stepIn(data, "mint").attempts;
  expect(others, transcript).toEqual([]);
  expect(attempt, transcript).toMatchObject({ meaning: "ambiguous", status: answer.status, settled: { verdict: "applied" } });
});

test.for(GATEWAYS)(
  "a run whose write is answered with $name and not committed ends as unknown, and names the setting",
  async ({ answer }) => {
    const service = await servedSandbox();
    const proxy = await proxyTo(service.url);
    const project = newProject();
    project.serviceAt(proxy.url);
    project.write("mint.yaml", MINT_ONCE);
    void proxy.next("POST /token/mint", answerInstead(answer));
    const ended = await project.run("run", "mint.yaml");
    expect(ended.code, ended.transcript).toBe(5);
    expect(ended.stdout, ended.transcript).toMatch(WHY);
    expect(proxy.seen.filter((name) => name === "POST /token/mint")).toHaveLength(1);
  },
);

test("a form of errors that the environment declares counts as the service's own", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write(
    "tokenbook.yaml",
    project
      .read("tokenbook.yaml")
      .replace(/^ {4}ledger:/m, "    profile: { ledger: { errors: [{ code: BUSY, message: true }] } }\n    ledger:"),
  );
  project.write("mint.yaml", MINT_ONCE);
  void proxy.next(
    "POST /token/mint",
    answerInstead({ status: 503, headers: { ...JSON_TYPE, "retry-after": "0" }, body: '{"code":"BUSY","message":"later"}' }),
  );
  const ended = await project.run("run", "mint.yaml");
  expect(ended.code, ended.transcript).toBe(0);
  expect(proxy.seen.filter((name) => name === "POST /token/mint")).toHaveLength(2);
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
});

test("a condition that the description lists for the call counts as the service's, in any form of error", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("mint.yaml", MINT_ONCE);
  void proxy.next("POST /token/mint", answerInstead({ status: 403, headers: JSON_TYPE, body: '{"message":"invalid caller"}' }));
  const ended = await project.run("run", "mint.yaml");
  expect(ended.code, ended.transcript).toBe(1);
  expect(ended.stdout, ended.transcript).toContain("HTTP 403: invalid caller");
});

test("a refusal by a gateway does not satisfy a step that expects one", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write(
    "mint.yaml",
    MINT_ONCE.replace(/( +)uses: ledger\.token\.mint\n/, '$&$1fails: { condition: "invalid caller" }\n'),
  );
  void proxy.next("POST /token/mint", answerInstead({ status: 403, headers: {}, body: "invalid caller" }));
  const ended = await project.run("run", "mint.yaml");
  expect(ended.code, ended.transcript).toBe(5);
});

test("doctor says whether the service's errors have the form that the profile declares", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  const well = await project.run("doctor");
  expect(well.stdout, well.transcript).toContain("✓ ledger: errors come in the form that the profile declares");
  expect(well.stdout, well.transcript).toContain("✓ investor: errors come in the form that the profile declares");
  void proxy.next("GET /token", answerInstead({ status: 404, body: '{"error":"no such token"}' }));
  const strange = await project.run("doctor");
  expect(strange.stdout, strange.transcript).toContain(
    "! ledger: an error came in a form that the profile does not declare: HTTP 404",
  );
  expect(strange.stdout, strange.transcript).toMatch(
    /declare its form: profile\.ledger\.errors at tokenbook\.yaml:\d+ \(environments\.here\)/,
  );
});
