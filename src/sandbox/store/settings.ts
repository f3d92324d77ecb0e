import { parseJson, writeJson } from "../../base/json/json.ts";
import { systemClock, type Clock } from "../../base/ports.ts";
import type { Database } from "../../sqlite/database.ts";
import { SANDBOX_LIMITS } from "../limits.ts";
import type { StoredEntity } from "./ledger-resources.ts";

/** By asset type, the fields whose values are ids of assets, each with the type of those assets. */
export type References = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What was fixed when the file was made, and never changes. */
export interface Settings {
  /** The organization whose ledger this is. */
  readonly orgId: string;
  /** The tokenization app: the last part of the ledger's address. */
  readonly appId: string;
  /** The token store, which the paths of payout schedules name. */
  readonly storeId: string;
  /** The key that opens the ledger interface, the control routes and the page. */
  readonly ledgerApiKey: string;
  /** Who acts when a ledger call names no entity. */
  readonly ledgerEntity: StoredEntity;
  /** Whose part of the ledger is down. */
  readonly cutOff: readonly StoredEntity[];
  /** The names of the asset types of the tokenization app. */
  readonly assetTypes: readonly string[];
  /** By asset type, the fields whose values are ids of assets, each with the type of those assets. */
  readonly references: References;
  /** Name of each investor credential, and its API key. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** Fixes the settings of a new file. */
export function writeSettings(database: Database, settings: Settings): void {
  database.run("INSERT INTO settings (name, value) VALUES ('service', ?)", writeJson(settings));
}

/** The settings of a file that has been filled; a file of an earlier version knows neither references nor outages. */
export function readSettings(database: Database): Settings {
  const row = database.get("SELECT value FROM settings WHERE name = 'service'");
  const settings = parseJson(String(row?.["value"])) as unknown as Omit<Settings, "references" | "cutOff"> & Partial<Settings>;
  return { references: {}, cutOff: [], ...settings };
}

/** A clock that runs with the system's, ahead by an offset that lies in the file: every process on the file sees the same time. */
export class VirtualClock implements Clock {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns virtual milliseconds since the Unix epoch: the system's time with the offset. */
  now(): number {
    const row = this.#database.get("SELECT value FROM settings WHERE name = 'clockOffsetMs'");
    return Date.now() + Number(row?.["value"] ?? 0);
  }

  /** Returns milliseconds since some fixed moment. The offset has no part in it. */
  elapsed(): number {
    return systemClock.elapsed();
  }

  /** Not known: the offset has a part in what passes. */
  uptime(): undefined {
    return undefined;
  }

  /** Sleeps for a while at most: the clock may be moved meanwhile, by whichever process. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await systemClock.sleep(Math.min(ms, SANDBOX_LIMITS.clockPollMs), signal);
  }

  /** Moves the clock ahead by so many milliseconds, for every process on the file. */
  advance(ms: number): void {
    this.#database.run(
      `INSERT INTO settings (name, value) VALUES ('clockOffsetMs', ?1)
       ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + CAST(?1 AS INTEGER) AS TEXT)`,
      String(Math.round(ms)),
    );
  }
}
