import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isNightly } from "../sizes.ts";
import { ROOT, temporaryFolder } from "./world.ts";

// A third interface is a document, a folder, and a line in the list of services. The test adds it to a copy of the sources, and changes nothing else
// except the generated files.

const FIXTURE = join(ROOT, "test/fixtures/third-service");
const LINE = 'export { warehouse } from "./warehouse/service.ts";\n';

function sourcesWithThird(): string {
  const folder = temporaryFolder();
  for (const part of ["src", "schemas", "scripts", "library", "docs", "package.json", "tsconfig.json", "test/faulty"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  cpSync(join(FIXTURE, "warehouse.openapi.yaml"), join(folder, "schemas/warehouse.openapi.yaml"));
  return folder;
}

function addService(folder: string): void {
  mkdirSync(join(folder, "src/services/warehouse"));
  cpSync(join(FIXTURE, "service.txt"), join(folder, "src/services/warehouse/service.ts"));
  appendFileSync(join(folder, "src/services/list.ts"), LINE);
}

function generate(folder: string): void {
  execFileSync(process.execPath, ["scripts/generate.ts"], { cwd: folder, encoding: "utf8" });
}

/** What the compiler reports about the sources, one line for each file: `file: message`. */
function compiled(folder: string): readonly string[] {
  const options = { incremental: true, tsBuildInfoFile: "./build.tsbuildinfo" };
  const config = { extends: "./tsconfig.json", compilerOptions: options, include: ["src"] };
  writeFileSync(join(folder, "tsconfig.src.json"), JSON.stringify(config));
  const { stdout } = spawnSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", "tsconfig.src.json", "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH: `${join(ROOT, "node_modules/.bin")}:${process.env["PATH"]}` },
  });
  return [...stdout.matchAll(/^(\S+)\(\d+,\d+\): error (.*)$/gm)].map(([, file = "", message = ""]) => `${file}: ${message}`);
}

// The compilation takes half a minute.
test.runIf(isNightly)(
  "an interface whose folder or line is missing, and a descriptor that lacks something, do not compile; nothing else is missing",
  () => {
    const folder = sourcesWithThird();
    addService(folder);
    generate(folder);
    expect(compiled(folder), "with its folder and its line all compiles").toEqual([]);

    const list = join(folder, "src/services/list.ts");
    const descriptor = join(folder, "src/services/warehouse/service.ts");
    const whole = readFileSync(descriptor, "utf8");
    writeFileSync(list, readFileSync(list, "utf8").replace(LINE, ""));
    writeFileSync(descriptor, whole.replace('    "warehouse.orders.list": { effect: "read" },\n', ""));
    expect(compiled(folder)).toEqual([
      expect.stringMatching(/^src\/services\/services\.ts: .*'warehouse' is missing/),
      expect.stringMatching(/^src\/services\/warehouse\/service\.ts: .*"warehouse\.orders\.list".* is missing/),
    ]);

    appendFileSync(list, LINE);
    writeFileSync(descriptor, whole.replace("  paging: behindTheLast,\n", "").replace("  receipts: undefined,\n", ""));
    const lacking = compiled(folder);
    expect(lacking.join("\n")).toMatch(/missing the following properties .*: paging, receipts$/m);
    expect(lacking.filter((line) => !line.startsWith("src/services/warehouse/service.ts: "))).toEqual([]);
  },
);

interface Order {
  readonly id: string;
  readonly item: string;
  readonly pieces: number;
}

interface Warehouse {
  readonly url: string;
  readonly orders: Order[];
  readonly asked: string[];
  /** What happens once the next order has been accepted, in place of an answer. */
  instead: (() => void) | undefined;
}

const PER_PAGE = 2;

async function openWarehouse(): Promise<Warehouse> {
  const house: Warehouse = { url: "", orders: [], asked: [], instead: undefined };
  for (const at of [1, 2, 3, 4, 5]) house.orders.push({ id: `old${at}`, item: "shelf", pieces: at });
  const server = createServer((request, response) => void answer(house, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(house, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

async function answer(house: Warehouse, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "", "http://warehouse");
  house.asked.push(`${request.method} ${url.pathname}${url.search}`);
  const give = (status: number, body: object): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  if (request.headers["x-warehouse-token"] !== "warehouse-key-1") return give(401, { problem: "who are you?" });
  if (url.pathname !== "/stores/north/orders") return give(404, { problem: "nothing is here" });
  if (request.method === "GET") {
    const behind = url.searchParams.get("startAfter");
    const from = behind === null ? 0 : house.orders.findIndex(({ id }) => id === behind) + 1;
    const page = house.orders.slice(from, from + Number(url.searchParams.get("most") ?? PER_PAGE));
    return give(200, { orders: page, last: from + page.length >= house.orders.length });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const order = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Order;
  if (house.orders.some(({ id }) => id === order.id)) return give(409, { problem: "order exists" });
  house.orders.push(order);
  const { instead } = house;
  house.instead = undefined;
  if (instead === undefined) return give(201, order);
  instead();
  request.socket.destroy();
}

const ENVIRONMENT = (url: string): string => `environments:
  north:
    warehouse: { baseUrl: "${url}", site: north, credentials: { KEEPER: env:KEEPER_KEY } }
    exclusive: true
    readLag: 0s
    settleWithin: 1h
`;

const PLAYBOOK = `playbook: 1
name: Order chairs
actors:
  keeper: { warehouse: KEEPER }
defaults: { as: keeper }
steps:
  - id: before
    uses: warehouse.orders.list
    expect: [response.size() == 5]
  - id: chairs
    uses: warehouse.orders.place
    with: { item: chair, pieces: 12 }
  - id: after
    uses: warehouse.orders.list
    expect: ["response.exists(order, order.id == steps.chairs.id && order.pieces == 12)"]
`;

interface Ended {
  /** Null if a signal killed the process. */
  readonly code: number | null;
  readonly printed: string;
}

interface Command {
  readonly kill: () => void;
  readonly ended: Promise<Ended>;
}

function tokenbook(sources: string, project: string, ...args: readonly string[]): Command {
  const begin = join(sources, "begin.mjs");
  writeFileSync(begin, 'import { main } from "./src/cli/main.ts";\nawait main();\n');
  const child = spawn(process.execPath, [begin, ...args], {
    cwd: project,
    env: { PATH: process.env["PATH"], HOME: project, KEEPER_KEY: "warehouse-key-1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => chunks.push(String(chunk)));
  const ended = once(child, "close").then(([code]): Ended => ({ code: code as number | null, printed: chunks.join("") }));
  return { kill: () => void child.kill("SIGKILL"), ended };
}

test("a third interface runs a playbook, loses an answer, and resumes: a folder, its contract and one line are all that it takes", async () => {
  const sources = sourcesWithThird();
  addService(sources);
  generate(sources);
  const others = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.includes("generated") && name !== "services/list.ts",
  );
  const changed = others.filter(
    (name) => !readFileSync(join(ROOT, "src", name)).equals(readFileSync(join(sources, "src", name))),
  );
  expect(changed, "no other file of the sources is changed").toEqual([]);

  const house = await openWarehouse();
  const project = temporaryFolder();
  writeFileSync(join(project, "tokenbook.yaml"), ENVIRONMENT(house.url));
  writeFileSync(join(project, "chairs.yaml"), PLAYBOOK);
  const start = (...args: readonly string[]): Command => tokenbook(sources, project, ...args);

  const planned = await start("plan", "chairs.yaml").ended;
  expect(planned.printed).toContain("1 step would create something");
  const doctor = await start("doctor").ended;
  expect(doctor.printed).toContain("warehouse: the second page begins behind the first");
  expect(house.orders, "neither writes").toHaveLength(5);

  const first = start("run", "chairs.yaml");
  house.instead = first.kill;
  const killed = await first.ended;
  expect(killed.code, killed.printed).toBeNull();
  expect(house.orders, killed.printed).toHaveLength(6);
  const beside = await start("run", "chairs.yaml").ended;
  expect([beside.code, beside.printed]).toEqual([
    6,
    expect.stringContaining('left a write open: it is unknown whether "chairs"'),
  ]);

  const resumed = await start("resume").ended;
  expect([resumed.code, resumed.printed]).toEqual([0, expect.stringContaining("applied, as read back")]);
  expect(house.asked.filter((asked) => asked.startsWith("POST"))).toEqual(["POST /stores/north/orders"]);
  expect(house.asked, "each page begins behind the last order of the one before").toContain(
    "GET /stores/north/orders?startAfter=old4",
  );
  const again = await start("run", "chairs.yaml").ended;
  expect([again.code, again.printed], "there are six orders now").toEqual([1, expect.stringContaining("response.size() == 5")]);
});
