import { expect, test } from "vitest";
import { answerInstead, cutAnswer, type Fault, type Proxy, proxyTo } from "./proxy.ts";
import { MINT_ONCE, newProject, operationsOf, type Project, servedSandbox, type Service } from "./world.ts";

// The answers that a service in trouble, or a gateway in front of it, gives for a moment.
const TROUBLES: readonly { readonly name: string; readonly fault: Fault }[] = [
  { name: "a redirect", fault: answerInstead({ status: 302, headers: { location: "/maintenance" }, body: "" }) },
  {
    name: "a web page",
    fault: answerInstead({ status: 200, headers: { "content-type": "text/html" }, body: "<html>Back soon</html>" }),
  },
  {
    name: "a gateway's page",
    fault: answerInstead({ status: 502, headers: { "content-type": "text/html" }, body: "<html>Bad Gateway</html>" }),
  },
  { name: "a 500", fault: answerInstead({ status: 500, body: '{"message":"out of memory"}' }) },
  { name: "a 503 without Retry-After", fault: answerInstead({ status: 503, body: "" }) },
  { name: "a closed connection", fault: cutAnswer },
];

interface Scene {
  readonly service: Service;
  readonly proxy: Proxy;
  readonly project: Project;
}

async function scene(): Promise<Scene> {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("mint.yaml", MINT_ONCE);
  return { service, proxy, project };
}

test.for(TROUBLES)("$name at the first question: run, resume, plan and doctor ask again", async ({ fault }) => {
  const { service, proxy, project } = await scene();
  void proxy.next("GET /status", fault);
  const planned = await project.run("plan", "mint.yaml");
  expect(planned.code, planned.transcript).toBe(0);
  void proxy.next("GET /status", fault);
  const doctor = await project.run("doctor");
  expect(doctor.code, doctor.transcript).toBe(0);
  // The service refuses a write, so the run stops and can be resumed.
  void proxy.next("GET /status", fault);
  void proxy.next("POST /token/mint", answerInstead({ status: 422, body: '{"status":"Error","message":"no","condition":"no"}' }));
  const refused = await project.run("run", "mint.yaml");
  expect(refused.code, refused.transcript).toBe(1);
  void proxy.next("GET /status", fault);
  const resumed = await project.run("resume");
  expect(resumed.code, resumed.transcript).toBe(0);
  expect(operationsOf(await service.commits())).toEqual(["ledger.token.create", "ledger.token.mint"]);
});

test("trouble that lasts is no wrong address or key: nothing must be changed", async () => {
  const { service, proxy, project } = await scene();
  for (const args of [["run", "mint.yaml"], ["plan", "mint.yaml"], ["doctor"]]) {
    for (let time = 0; time < 4; time++) {
      void proxy.next("GET /status", answerInstead({ status: 500, body: '{"message":"out of memory"}' }));
    }
    const ended = await project.run(...args);
    expect(ended.code, ended.transcript).toBe(args[0] === "doctor" ? 1 : 2);
    const said = ended.stdout + ended.stderr;
    expect(said, ended.transcript).toMatch(
      /the service gave no usable answer to ledger\.status, asked 4 times within \S+ ?s: HTTP 500: out of memory/,
    );
    expect(said, ended.transcript).toMatch(/next: try again later$/m);
    expect(said, ended.transcript).not.toMatch(/fix tokenbook\.yaml/);
  }
  expect(await service.commits()).toEqual([]);
});

test("a web page that stays may be the wrong address: the message says both", async () => {
  const { proxy, project } = await scene();
  for (let time = 0; time < 4; time++) {
    void proxy.next(
      "GET /status",
      answerInstead({ status: 200, headers: { "content-type": "text/html" }, body: "<p>Hello</p>" }),
    );
  }
  const ended = await project.run("run", "mint.yaml");
  expect(ended.code, ended.transcript).toBe(2);
  expect(ended.stderr, ended.transcript).toMatch(/tokenbook asked 4 times within/);
  expect(ended.stderr, ended.transcript).toMatch(/next: try again later; if it happens again: .*tokenbook\.yaml:\d+ .*baseUrl/);
});
