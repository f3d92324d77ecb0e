import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { artefact, sizeOf } from "../scripts/release/place.ts";
import type { FloorThrough, FloorWrites } from "./floor.ts";
import { arazzoFile, hurlFile } from "./peers.ts";
import { type Chain, playbookFile } from "./scenario.ts";

/** One task for a runner: a chain of `requests`, in `files` files at the same time. */
export interface Task {
  readonly requests: number;
  readonly files: number;
  readonly falsified: boolean;
  /** A state directory for this task alone. */
  readonly state: string;
}

/** A program that runs a chain. */
export interface Runner {
  readonly name: string;
  readonly chain: Chain;
  /** The largest number of requests in one file that is worth the wait. */
  readonly upTo: number;
  /** Whether it takes part in the run of many files. */
  readonly parallel: boolean;
  /**
   * Whether the runner reads the service's status before it writes, and before each write the baseline that would show its effect if its answer were
   * lost.
   */
  readonly guards: boolean;
  readonly command: (task: Task) => readonly string[];
}

/** Where the service and the floors are. */
export interface Places {
  readonly origin: string;
  /** The floor, built like tokenbook. */
  readonly floor: string;
  /** The floor as most people would run it: not bundled, and without a compile cache. */
  readonly floorAsItComes: string;
}

const root = fileURLToPath(new URL("../", import.meta.url));
const TOKENBOOK = join(root, "bin/tokenbook.js");
const BINARY = artefact("binary");
const REDOCLY = join(root, "node_modules/@redocly/cli/bin/cli.js");
/** Runs all files at once, as people run scenarios: hundreds of them in one process. */
const JOBS = "100";
const HURL_JOBS = "8";

/** The loop written by hand with undici's `request`, which is the unit of the targets. */
export const FLOOR = "floor";
/** The unit of the start-up target. */
export const FLOOR_AS_IT_COMES = "floor, not bundled";
export const FLOOR_CLIENT = "floor, one client";
const FLOOR_FRESH = "floor, fresh connection";
export const FLOOR_DURABLE = "floor, fresh, 2 commits";
export const OURS = "tokenbook";
export const RESPECT = "redocly respect";
export const HURL = "hurl";

/** Returns all runners of this machine, in the order of the table. */
export function runners(places: Places): readonly Runner[] {
  return [
    floor(FLOOR, "read", {}, places),
    { ...floor(FLOOR_AS_IT_COMES, "read", {}, { ...places, floor: places.floorAsItComes }), upTo: 3, parallel: false },
    floor(FLOOR_CLIENT, "read", { through: "client" }, places),
    tokenbook("read"),
    ...(hasBinary() ? [binary()] : []),
    tokenbook("loop"),
    floor(FLOOR, "write", {}, places),
    floor(FLOOR_CLIENT, "write", { through: "client" }, places),
    floor(FLOOR_FRESH, "write", { writes: "fresh" }, places),
    floor(FLOOR_DURABLE, "write", { writes: "durable" }, places),
    tokenbook("write"),
    respect,
    ...(hasHurl() ? [hurl("read"), hurl("write")] : []),
  ];
}

interface How {
  readonly through?: FloorThrough;
  readonly writes?: FloorWrites;
}

function floor(name: string, chain: Chain, { through = "request", writes = "shared" }: How, places: Places): Runner {
  const { floor: script, origin } = places;
  const command = ({ requests, files, falsified, state }: Task): readonly string[] => {
    const what = [
      "--chain",
      chain,
      "--requests",
      String(requests),
      "--files",
      String(files),
      "--through",
      through,
      "--writes",
      writes,
      "--state",
      state,
    ];
    return [process.execPath, script, "--origin", origin, ...what, ...(falsified ? ["--falsified"] : [])];
  };
  return { name, chain, upTo: Infinity, parallel: true, guards: false, command };
}

function tokenbook(chain: Chain, program: readonly string[] = [process.execPath, TOKENBOOK]): Runner {
  const command = ({ requests, files, falsified, state }: Task): readonly string[] => {
    const what = files === 1 ? [playbookFile({ chain, requests, falsified })] : [`many-${chain}`, "--jobs", JOBS];
    const where = ["--env", "bench", "--state", state, "--report", `json=${state}/report.json`];
    return [...program, "run", ...what, ...where];
  };
  return { name: OURS, chain, upTo: Infinity, parallel: chain !== "loop", guards: true, command };
}

// Only its start-up is measured, because the rest is the same.
function binary(): Runner {
  return { ...tokenbook("read", [BINARY]), name: `${OURS}, binary (${sizeOf(BINARY)})`, upTo: 3, parallel: false };
}

/** Returns whether `npm run release -- binary` has built the single binary. */
export function hasBinary(): boolean {
  return existsSync(BINARY);
}

const respect: Runner = {
  name: RESPECT,
  chain: "write",
  upTo: 300,
  parallel: false,
  guards: false,
  command: ({ requests, falsified }) => [process.execPath, REDOCLY, "respect", arazzoFile(requests, falsified)],
};

function hurl(chain: Chain): Runner {
  const command = ({ requests, files, falsified }: Task): readonly string[] => {
    const many = Array.from({ length: files }, () => hurlFile(chain, requests, falsified));
    return [HURL, "--test", "--jobs", files === 1 ? "1" : HURL_JOBS, ...many];
  };
  return { name: HURL, chain, upTo: Infinity, parallel: true, guards: false, command };
}

/** Returns whether the fastest peer is installed. */
export function hasHurl(): boolean {
  return spawnSync(HURL, ["--version"]).status === 0;
}
