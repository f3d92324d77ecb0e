import type { ContractOperation } from "../contract/contract.ts";
import { Database } from "../sqlite/database.ts";
import { answerOf, type WireAnswer } from "./http/face.ts";
import { DEFAULT_SEED } from "./seed/default.ts";
import { plant } from "./seed/plant.ts";
import { openService, type ServiceOptions } from "./service.ts";
import type { Settings } from "./store/settings.ts";
import { migrate, SANDBOX } from "./store/tables.ts";

/** The options of an empty ledger in this process. */
export type LocalLedgerOptions = Pick<ServiceOptions, "clock" | "profile" | "rules"> &
  Pick<Settings, "orgId" | "appId" | "assetTypes">;

/** A ledger call as it would be sent to the service. */
interface LocalLedgerCall {
  readonly operation: ContractOperation;
  /** The text after `?`. */
  readonly query: string;
  /** The headers, by their names in lower case. The key is added to them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the JSON document; undefined for a call without a body. */
  readonly body: string | undefined;
}

/** An empty ledger of the sandbox in memory, without a server. */
interface LocalLedger {
  /** Returns the answer to a call. A refusal is an answer too. */
  readonly answer: (call: LocalLedgerCall) => Promise<WireAnswer>;
  readonly close: () => void;
}

const KEY = "local";

/** Opens an empty ledger in this process. Writes are committed at once. */
export function openLocalLedger({ orgId, appId, assetTypes, ...options }: LocalLedgerOptions): LocalLedger {
  const database = Database.open(":memory:", SANDBOX);
  const seed = { ...DEFAULT_SEED, orgId, appId, assetTypes, ledgerApiKey: KEY, cutOff: [], investors: [], tokens: [], sales: [] };
  migrate(database, () => plant(database, seed, { profile: options.profile.ledger, now: options.clock.now() }));
  const closing = new AbortController().signal;
  const { faces } = openService(database, { ...options, commitDelayMs: 0, closing });
  const answer = ({ operation, query, headers, body }: LocalLedgerCall): Promise<WireAnswer> =>
    answerOf(faces.ledger, operation, {
      params: { appId },
      query: Object.fromEntries(new URLSearchParams(query)),
      headers: { ...headers, "x-api-key": KEY },
      body,
    });
  return { answer, close: () => database.close() };
}
