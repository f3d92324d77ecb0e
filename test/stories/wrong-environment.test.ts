import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasOpenssl, selfSigned } from "../certificate.ts";
import { answerAfterwards, closedAddress, proxyTo, strangerServer } from "./proxy.ts";
import {
  type Ended,
  filesBelow,
  KEYS,
  MINT_ONCE,
  newProject,
  type Project,
  runIn,
  servedSandbox,
  type Service,
  temporaryFolder,
  type Variables,
} from "./world.ts";

const LITERAL = "canary-literal-4";
const CANARIES: Variables = {
  LEDGER_KEY: "canary/ledger key+1",
  BUYER_KEY: "canary-buyer-2",
  SECOND_BUYER_KEY: "canary-second-3",
};

const BUY_TOO = `${MINT_ONCE.replace("actors:\n", "actors:\n  buyer: { investor: BUYER_KEY }\n").replace(/outputs:[\s\S]*/, "")}  - id: buy
    as: buyer
    uses: investor.sales.buy
    with: { tokenSaleId: saleActive1, userAddress: "0x1", amount: "1", currencyContract: "0x2", timezone: UTC }
`;

interface Mistake {
  readonly name: string;
  /** What is wrong: lays the tokenbook.yaml, and gives what is added to the command. */
  readonly make: (project: Project, service: Service) => Promise<readonly string[]> | readonly string[];
  readonly variables?: Variables;
  /** The part of tokenbook.yaml that is in the line to fix. */
  readonly fix: string;
  readonly says: RegExp;
}

const lay = (project: Project, service: Service, change: (text: string) => string = (text) => text): readonly string[] => {
  project.serviceAt(service.url);
  project.write("tokenbook.yaml", change(project.read("tokenbook.yaml")));
  return [];
};

async function serverWithTls(scheme: "http:" | "https:"): Promise<string> {
  const { key, cert } = selfSigned(temporaryFolder(), 30);
  const server = createServer({ key, cert }, (_, response) => void response.end("{}"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return `${scheme}//127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const MISTAKES: readonly Mistake[] = [
  {
    name: "the key is wrong",
    make: (project, service) => lay(project, service),
    variables: CANARIES,
    fix: "apiKey: env:LEDGER_KEY",
    says: /the service refused the key/,
  },
  {
    name: "nobody listens at the address",
    make: async (project) => lay(project, { url: await closedAddress() } as Service),
    fix: "baseUrl:",
    says: /cannot be reached: .*ECONNREFUSED/,
  },
  {
    name: "the address is of a web page",
    make: async (project) =>
      lay(
        project,
        (await strangerServer({
          status: 200,
          headers: { "content-type": "text/html" },
          body: "<html>Welcome</html>",
        })) as unknown as Service,
      ),
    fix: "baseUrl:",
    says: /with a web page \(HTTP 200\) instead of JSON/,
  },
  {
    name: "the key's variable is not set",
    make: (project, service) => lay(project, service),
    variables: { BUYER_KEY: "canary-buyer-2", SECOND_BUYER_KEY: "canary-second-3" },
    fix: "apiKey: env:LEDGER_KEY",
    says: /the environment variable LEDGER_KEY is not set[\s\S]*next: export LEDGER_KEY=/,
  },
  {
    name: "there is no such app",
    make: (project, service) => lay(project, service, (text) => text.replace("appId: app1", "appId: app2")),
    fix: "appId: app2",
    says: /app2/,
  },
  {
    name: "the address has a path too much",
    make: (project, service) => lay(project, service, (text) => text.replace(/(baseUrl: "[^"]*)/, "$1/v1")),
    fix: "/v1",
    says: /HTTP 404: .*\/v1\/[^]*next: fix tokenbook\.yaml:\d+ \(environments\.here\.ledger\.appId\), or tokenbook\.yaml:\d+ /,
  },
  {
    name: "the address has https, and the service no TLS",
    make: (project, service) => lay(project, { ...service, url: service.url.replace("http:", "https:") }),
    fix: "baseUrl:",
    says: /cannot be reached: the server does not answer with TLS \(ERR_SSL_WRONG_VERSION_NUMBER\)\n.*\n {2}next: write http:\/\/ in /,
  },
  ...(hasOpenssl
    ? [
        {
          name: "the address has http, and the service TLS",
          make: async (project: Project) => lay(project, { url: await serverWithTls("http:") } as Service),
          fix: "baseUrl:",
          says: /gave no usable answer[^]*next: try again later; if it happens again: write https:\/\/ in /,
        },
        {
          name: "nobody whom Node knows has signed the certificate",
          make: async (project: Project) => lay(project, { url: await serverWithTls("https:") } as Service),
          fix: "baseUrl:",
          says: /cannot be reached: self-signed certificate \(DEPTH_ZERO_SELF_SIGNED_CERT\)\n.*\n {2}next: fix .*: export NODE_EXTRA_CA_CERTS=FILE/,
        },
      ]
    : []),
  {
    name: "the environment's name is misspelt",
    make: (project, service) => [...lay(project, service), "--env", "hree"],
    fix: "",
    says: /tokenbook\.yaml has no environment "hree"[\s\S]*next: --env here/,
  },
  {
    name: "the key itself is in the file",
    make: (project, service) => lay(project, service, (text) => text.replace("env:LEDGER_KEY", LITERAL)),
    fix: `apiKey: ${LITERAL}`,
    says: /must be a reference|env:NAME or file:PATH/,
  },
  {
    name: "the investor interface is left out",
    make: (project, service) => {
      project.write("mint.yaml", BUY_TOO);
      return lay(project, service, (text) => text.replace(/ {4}investor:[\s\S]*?( {4}exclusive)/, "$1"));
    },
    fix: "",
    says: /the environment has no "investor:", which mint\.yaml:\d+ \(buy: investor\.sales\.buy\) needs[\s\S]*next: add it at tokenbook\.yaml:\d+ \(environments\.here\)/,
  },
  {
    name: "the address has no scheme",
    make: (project, service) => lay(project, service, (text) => text.replace('baseUrl: "http://', 'baseUrl: "')),
    fix: "baseUrl:",
    says: /baseUrl/,
  },
];

describe("the environment is wrong", () => {
  test.for(MISTAKES)(
    "$name: the message names the line to fix, and nothing is written",
    async ({ make, variables = KEYS, fix, says }) => {
      const service = await servedSandbox();
      const project = newProject(variables);
      project.write("mint.yaml", MINT_ONCE);
      const options = await make(project, service);
      const ended = await project.run("run", "mint.yaml", ...options);
      expect([1, 2], ended.transcript).toContain(ended.code);
      expect(ended.stdout, ended.transcript).toBe("");
      expect(ended.stderr, ended.transcript).toMatch(says);
      const line =
        project
          .read("tokenbook.yaml")
          .split("\n")
          .findIndex((each) => each.includes(fix)) + 1;
      if (fix !== "") expect(ended.stderr, ended.transcript).toMatch(new RegExp(`tokenbook\\.yaml:${line}[ :]`));
      expect(await service.commits()).toEqual([]);
      expectNoKey(project, ended, [...Object.values(variables), ...Object.values(CANARIES), LITERAL]);
    },
  );
});

test("an investor key that is wrong is found before the first write of the ledger", async () => {
  const service = await servedSandbox();
  const project = newProject({ ...KEYS, BUYER_KEY: CANARIES["BUYER_KEY"] ?? "" });
  project.serviceAt(service.url);
  project.write("buy.yaml", BUY_TOO);
  const ended = await project.run("run", "buy.yaml");
  expect(ended.code, ended.transcript).toBe(2);
  const line =
    project
      .read("tokenbook.yaml")
      .split("\n")
      .findIndex((each) => each.includes(" BUYER_KEY:")) + 1;
  expect(ended.stderr, ended.transcript).toMatch(new RegExp(`tokenbook\\.yaml:${line} `));
  expect(await service.commits()).toEqual([]);
  expectNoKey(project, ended, Object.values(CANARIES));
});

test("a service that repeats the key in its answers does not get it printed or kept", async () => {
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("mint.yaml", MINT_ONCE);
  const key = KEYS["LEDGER_KEY"] ?? "";
  const base64 = Buffer.from(key).toString("base64");
  const body = JSON.stringify({ status: "Error", message: `no: ${key} ${base64}`, condition: `bad ${key}`, [key]: key });

  void proxy.next("POST /token/mint", answerAfterwards({ status: 422, body }));
  const refused = await project.run("run", "mint.yaml", "--report", "json=a.json", "--report", "junit=a.xml");
  expect(refused.code, refused.transcript).toBe(1);
  expect(refused.stdout, refused.transcript).toContain("${{ secrets.LEDGER_API_KEY }}");

  // The first one reads what is there before the mint.
  void proxy.next("GET /token", answerAfterwards({ status: 200, body }), 1);
  const read = await project.run("run", "mint.yaml", "--json");
  expect(read.code, read.transcript).toBe(1);

  void proxy.next("GET /status", answerAfterwards({ status: 401, body }));
  const start = await project.run("run", "mint.yaml");
  expect(start.code, start.transcript).toBe(2);
  const shown = await project.run("runs", "show", runIn(refused));
  for (const ended of [refused, read, start, shown]) expectNoKey(project, ended, [key, base64]);
});

// Every byte that was printed, and every byte in the folder: journal, its log, reports.
function expectNoKey(project: Project, { stdout, stderr, transcript }: Ended, keys: readonly string[]): void {
  const printed = Buffer.from(`${stdout}${stderr}`);
  for (const key of keys) {
    expect(printed.includes(key), `printed: ${transcript}`).toBe(false);
    for (const file of filesBelow(project.folder)) {
      if (!file.endsWith("tokenbook.yaml")) expect(readFileSync(file).includes(key), `${file}: ${transcript}`).toBe(false);
    }
  }
}
