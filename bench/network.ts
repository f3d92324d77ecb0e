// npm run bench:network: puts the service behind TLS, 20 ms away. Prints how long a read and a write take compared with a loop written by hand, which
// share of the time is tokenbook's own, and how many concurrent runs saturate one machine. Needs openssl.
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { invariant } from "../src/base/failure.ts";
import { hasOpenssl, selfSigned } from "../test/certificate.ts";
import { median } from "./measure.ts";
import { Stopwatch } from "./process.ts";
import { type Chain, environment, KEY, KEY_VARIABLE, playbook, WRITE_ROUND } from "./scenario.ts";
import { BenchService } from "./service.ts";
import { align } from "./show.ts";

const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "3" } } });
const ROUNDS = Number(options.rounds);
const TOKENBOOK = fileURLToPath(new URL("../bin/tokenbook.js", import.meta.url));
const FLOOR = fileURLToPath(new URL("floor.ts", import.meta.url));
const AWAY_MS = 20;
const [FEW, MORE] = [30, 120];
const JOBS = [1, 10, 30, 100, 200];
const FILES_A_JOB = 3;
const REQUESTS_A_FILE = 30;

/** A TLS address that delays each byte by half of the round trip in each direction. */
class FarAway {
  readonly #servers: Server[] = [];

  /** Returns the address. */
  async open(folder: string, service: URL): Promise<{ readonly origin: string; readonly certificate: string }> {
    const { key, cert, file } = selfSigned(folder, 1);
    const port = await this.#listen(createTlsServer({ key, cert }, (socket) => connected(socket, Number(service.port), 0)));
    const outside = await this.#listen(createServer((socket) => connected(socket, port, AWAY_MS / 2)));
    return { origin: `https://localhost:${outside}`, certificate: file };
  }

  close(): void {
    for (const server of this.#servers) server.close();
  }

  async #listen(server: Server): Promise<number> {
    this.#servers.push(server);
    server.listen(0, "localhost");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }
}

function connected(near: Socket, port: number, delayMs: number): void {
  const far = connect({ port, host: "localhost", noDelay: true });
  near.setNoDelay(true);
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.on("data", (chunk) => later(() => to.write(chunk), delayMs));
    from.on("end", () => later(() => to.end(), delayMs));
    from.on("error", () => to.destroy());
  }
}

function later(act: () => void, delayMs: number): void {
  if (delayMs === 0) act();
  else setTimeout(act, delayMs);
}

interface Place {
  readonly folder: string;
  readonly origin: string;
  readonly stopwatch: Stopwatch;
}

async function msOf({ folder, stopwatch }: Place, command: readonly string[]): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const state of [".tokenbook", "floor"]) rmSync(join(folder, state), { recursive: true, force: true });
    const ran = await stopwatch.run([process.execPath, ...command]);
    invariant(ran.exit === 0, `it ended with ${ran.exit}:\n${ran.output.slice(-2_000)}`);
    took.push(ran.ms);
  }
  return median(took) ?? Number.NaN;
}

/** Returns what one more request takes, in milliseconds. Start-up time is not included. */
async function perRequest(command: (requests: number) => Promise<number>): Promise<number> {
  const few = await command(FEW);
  return ((await command(MORE)) - few) / (MORE - FEW);
}

async function chainRow(chain: Exclude<Chain, "loop">, place: Place): Promise<{ cells: readonly string[]; floorMs: number }> {
  const requests = chain === "read" ? 1 : WRITE_ROUND;
  const writes = chain === "read" ? [] : ["--writes", "durable", "--state", join(place.folder, "floor")];
  const floorMs = await perRequest((count) =>
    msOf(place, [FLOOR, "--origin", place.origin, "--chain", chain, "--requests", String(count), ...writes]),
  );
  const oursMs = await perRequest((count) => {
    const file = `${chain}-${count}.yaml`;
    writeFileSync(join(place.folder, file), playbook(chain, count));
    return msOf(place, [TOKENBOOK, "run", file]);
  });
  const [ours, floor] = [oursMs * requests, floorMs * requests];
  const share = `${(((ours - floor) / ours) * 100).toFixed(0)} %`;
  const what = chain === "read" ? "a read" : "a write with its receipt, and a read";
  return { cells: [what, ours.toFixed(1), floor.toFixed(1), (ours - floor).toFixed(1), share], floorMs };
}

async function jobsRow(jobs: number, requestMs: number, place: Place): Promise<readonly string[]> {
  const files = join(place.folder, `files-${jobs}`);
  mkdirSync(files);
  const count = jobs * FILES_A_JOB;
  for (let at = 0; at < count; at++) writeFileSync(join(files, `f${at}.yaml`), playbook("read", REQUESTS_A_FILE));
  const ms = await msOf(place, [TOKENBOOK, "run", `files-${jobs}`, "--jobs", String(jobs)]);
  const aSecond = (count * REQUESTS_A_FILE * 1_000) / ms;
  return [String(jobs), aSecond.toFixed(0), ((aSecond * requestMs) / 1_000).toFixed(1)];
}

async function network(): Promise<void> {
  invariant(hasOpenssl, "this bench needs openssl");
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-network-"));
  const service = await BenchService.start();
  const far = new FarAway();
  try {
    const { origin, certificate } = await far.open(folder, new URL(service.origin));
    writeFileSync(join(folder, "tokenbook.yaml"), environment(origin));
    const stopwatch = new Stopwatch(folder, { [KEY_VARIABLE]: KEY, NODE_EXTRA_CA_CERTS: certificate });
    const place = { folder, origin, stopwatch };
    const [read, write] = [await chainRow("read", place), await chainRow("write", place)];
    const heading = [`${AWAY_MS} ms away, over TLS`, "ms", "by hand", "our share", "of the time"];
    process.stdout.write(`${align([heading, read.cells, write.cells])}\n`);
    const rows = [["--jobs", "requests a second", "runs that wait for the service"]];
    for (const jobs of JOBS) rows.push([...(await jobsRow(jobs, read.floorMs, place))]);
    process.stdout.write(align(rows));
  } finally {
    far.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await network();
