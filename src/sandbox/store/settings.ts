import { parseJson, writeJson } from "../../base/json/json.ts";
import { systemClock, type Clock } from "../../base/ports.ts";
import type { Database } from "../../sqlite/database.ts";
import { SANDBOX_LIMITS } from "../limits.ts";
import type { StoredEntity } from "./ledger-resources.ts";

/** For each asset type, the fields with ids of other assets, and the type of those assets. */
export type References = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The settings that were fixed when the file was created, and never change. */
export interface Settings {
  /** The organization whose ledger this is. */
  readonly orgId: string;
  /** The tokenization app, which is the last part of the ledger's address. */
  readonly appId: string;
  /** The token store, which is in the paths of payout schedules. */
  readonly storeId: string;
  /** The key for the ledger interface, the control routes and the page. */
  readonly ledgerApiKey: string;
  /** The entity that acts when a ledger call names none. */
  readonly ledgerEntity: StoredEntity;
  /** The entities whose part of the ledger is down. */
  readonly cutOff: readonly StoredEntity[];
  /** The names of the asset types of the tokenization app. */
  readonly assetTypes: readonly string[];
  /** For each asset type, the fields with ids of other assets, and the type of those assets. */
  readonly references: References;
  /** The API key of each investor credential, by name. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** Stores the settings of a new file. */
export function writeSettings(database: Database, settings: Settings): void {
  database.run("INSERT INTO settings (name, value) VALUES ('service', ?)", writeJson(settings));
}

/** Reads the settings of a filled file. A file of an earlier version has neither references nor outages. */
export function readSettings(database: Database): Settings {
  const row = database.get("SELECT value FROM settings WHERE name = 'service'");
  const settings = parseJson(String(row?.["value"])) as unknown as Omit<Settings, "references" | "cutOff"> & Partial<Settings>;
  return { references: {}, cutOff: [], ...settings };
}

/** The system's clock, moved forward by an offset that is stored in the file. So every process that serves the file has the same time. */
export class VirtualClock implements Clock {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns virtual milliseconds since the Unix epoch: the system's time plus the offset. */
  now(): number {
    const row = this.#database.get("SELECT value FROM settings WHERE name = 'clockOffsetMs'");
    return Date.now() + Number(row?.["value"] ?? 0);
  }

  /** Returns milliseconds since some fixed moment. The offset does not affect it. */
  elapsed(): number {
    return systemClock.elapsed();
  }

  /** Unknown, because the offset affects how much time has passed. */
  uptime(): undefined {
    return undefined;
  }

  /** Sleeps for a short time at most, because any process may move the clock meanwhile. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await systemClock.sleep(Math.min(ms, SANDBOX_LIMITS.clockPollMs), signal);
  }

  /** Moves the clock forward for every process that serves the file. */
  advance(ms: number): void {
    this.#database.run(
      `INSERT INTO settings (name, value) VALUES ('clockOffsetMs', ?1)
       ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + CAST(?1 AS INTEGER) AS TEXT)`,
      String(Math.round(ms)),
    );
  }
}
