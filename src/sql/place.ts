import { hash } from "node:crypto";
import type { Secret } from "../base/secret.ts";

/** A schema of a PostgreSQL database, in which the state of many machines is. */
export interface ServerPlace {
  /** The address, with its password. */
  readonly url: Secret;
  /** The name of the schema. */
  readonly schema: string;
  /** The risks to lose records that the project accepts. */
  readonly accepted: readonly Risk[];
  /** The folder in which this machine remembers what it has written there; left out if only each process remembers it. */
  readonly memory?: string | undefined;
}

const DEFAULT_PORT = "5432";

/** Returns a name of a place without its secrets. It is the same for all users of the schema, and does not depend on their passwords. */
export function nameOfPlace({ url, schema }: ServerPlace): string {
  const { hostname, port, pathname, searchParams } = new URL(url.reveal());
  const host = [searchParams.get("host") ?? hostname, searchParams.get("port") ?? (port || DEFAULT_PORT)];
  return hash("sha256", JSON.stringify([...host, pathname, schema]));
}

/** The settings of a server that can lose a record which was durable, and a write that followed it. */
export const RISKS = ["fsync", "full-page-writes", "asynchronous-standby"] as const;

/** One of {@link RISKS}. */
export type Risk = (typeof RISKS)[number];

/** Returns whether a text is the address of a PostgreSQL database: it names the user, the host and the database. */
export function isDatabaseAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\/[^/\s]+\/[^/\s]+$/.test(text) && URL.canParse(text);
}

/** Where state is: the path of a folder, or a schema of a server. */
export type StatePlace = string | ServerPlace;
