import { createHash } from "node:crypto";
import type { Random } from "../../base/ports.ts";
import { isoTime } from "../../base/time/date.ts";
import type { GivenNames } from "../../services/given-names.ts";
import { parseAddress } from "../../protocol/address.ts";

const KEY_LENGTH = 8;
const SUFFIX_LENGTH = 12;

/** The names of a run, from which it derives all ids and marks that it chooses. */
export interface RunName {
  /** The time and a random part, such as `20260131T120000-k3v9x2pq`. */
  readonly runId: string;
  /** The value of `run.key` in playbooks: lower-case letters and digits. */
  readonly runKey: string;
}

/** Returns the names of a new run. */
export function newRunName(now: number, random: Random): RunName {
  const runKey = base36(random.bytes(KEY_LENGTH)).slice(-KEY_LENGTH).padStart(KEY_LENGTH, "0");
  const stamp = isoTime(now).replaceAll(/[-:]/g, "").slice(0, 15);
  return { runId: `${stamp}-${runKey}`, runKey };
}

/** Returns the names that a step gives to what it creates. They depend only on the run and the step, so a resumed run gives the same names. */
export function namesOf(runId: string, address: string): GivenNames {
  const word = parseAddress(address).id.replaceAll("_", "");
  return {
    id: (part = "") => {
      const digest = createHash("sha256").update(`${runId}\n${address}\n${part}`).digest();
      return `${word}${part}${base36(digest).slice(0, SUFFIX_LENGTH)}`;
    },
    mark: `tokenbook:${runId}/${address}`,
  };
}

function base36(bytes: Uint8Array): string {
  return BigInt(`0x${Buffer.from(bytes).toString("hex")}`).toString(36);
}
