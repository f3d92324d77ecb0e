// Runs a part of the campaign (`npm run calibrate:campaign`), and calibrates services that answer as no service should.
import { expect, test } from "vitest";
import { calibrate, type Calibration } from "../../src/calibrate/calibrate.ts";
import { isChange } from "../../src/calibrate/finding.ts";
import { secretsOf } from "../../src/environment/target.ts";
import { NO_SECRETS } from "../../src/playbook/settings/open-secrets.ts";
import { REFUSAL_STATUS } from "../../src/sandbox/refusal.ts";
import { clockWithoutWaiting, targetAt } from "../engine-parts.ts";
import { type Given, NOT_STOPPING, serve, transportForTest } from "../unit/engine/server.ts";
import { type Answered, calibrated, isRight, type Speaking, USUAL, varied } from "./services.ts";

function wrongIn({ findings }: Calibration, speaking: Speaking): readonly string[] {
  return findings
    .filter((finding) => finding.strength !== "undecided" && !isRight(finding, speaking))
    .map(({ setting, found }) => `${setting.join(".")}: ${JSON.stringify(found)}`);
}

const many = (speaking: Speaking, ...others: readonly (readonly [string, unknown])[]): Speaking =>
  others.reduce((so, [path, value]) => varied(so, path.split("."), value), speaking);

const SERVICES: readonly (readonly [string, Speaking])[] = [
  ["speaks as usual", USUAL],
  [
    "ignores what it does not know, writes numbers as texts, and ends lists with a word",
    many(
      USUAL,
      ["dialect.unknownParameters", "ignored"],
      ["profile.numbers", "text"],
      ["profile.booleans", "text"],
      ["profile.ledger.lastBookmark", "nil"],
      ["profile.ledger.parameters.pendingOnly", "zzOpen"],
      ["profile.ledger.onBehalfOf", { in: "header", name: "X-Act-As" }],
    ),
  ],
  [
    "answers every write early, hides pending receipts, and accepts everything twice",
    many(
      USUAL,
      ["dialect.writes", "early"],
      ["dialect.pendingReceipt", "not-found"],
      ["dialect.accepts", ["second token", "second vault", "second deposit", "over-mint"]],
      ["profile.ledger.receipt.committed", ["Valid"]],
      ["profile.ledger.receipt.failed", ["YY"]],
      ["profile.ledger.newOwner", "data.zz"],
    ),
  ],
  [
    "says little in its errors, and has names that are in no list",
    many(
      USUAL,
      ["dialect.errorFields", "form"],
      ["profile.ledger.errors", [{ message: true }]],
      ["profile.ledger.parameters.pageSize", "zzSize"],
      ["profile.investor.parameters.status", "zzState"],
      ["dialect.createdAt", "null"],
      ["dialect.lastBookmark", "repeated"],
    ),
  ],
];

test.for(SERVICES)("calibrate finds no wrong value for a service that %s", async ([, speaking]) => {
  const found = await calibrated(speaking, true);
  expect(wrongIn(found, speaking)).toEqual([]);
  expect(found.findings.filter(({ strength }) => strength !== "undecided").length).toBeGreaterThan(25);
});

test("calibrate leaves a setting undecided if a gateway could explain it or its name is unknown", async () => {
  const [, speaking] = SERVICES[3] as readonly [string, Speaking];
  const { findings } = await calibrated(speaking, false);
  const undecided = findings.filter(({ strength }) => strength === "undecided").map(({ setting }) => setting.join("."));
  for (const setting of ["ledger.errors", "ledger.parameters.pageSize", "investor.parameters.status"])
    expect(undecided).toContain(setting);
});

test.for<Readonly<Record<string, string | true>>>([
  { type: "about:blank", title: true, detail: true },
  { success: true, message: true, traceId: true },
])("calibrate does not decide about error fields that a gateway could also write: %o", async (form) => {
  const speaking = many(USUAL, ["profile.ledger.errors", [form]], ["dialect.errorFields", "form"]);
  const { findings } = await calibrated(speaking, false);
  expect(findings.find(({ setting }) => setting.join(".") === "ledger.errors")).toMatchObject({ strength: "undecided" });
});

const edited = (answer: Answered, pattern: RegExp, text: string): Answered => ({
  ...answer,
  text: answer.text.replaceAll(pattern, text),
});
const silent = (answer: Answered): Answered => edited(answer, /"transactionId":"[^"]*",?/g, "");
const ignoring = many(USUAL, ["dialect.unknownParameters", "ignored"]);
const FORBIDDEN = '{"status":"Error","condition":"access denied","message":"access denied"}';

/** Returns a manner in which only the first receipt names its transaction, or all others do. */
function naming({ onlyTheFirst }: { readonly onlyTheFirst: boolean }): ReturnType<ChangingService["manner"]> {
  let first: string | undefined;
  return (path, answer) => {
    if (!path.includes("/receipt?") || path.includes("Nothing")) return answer;
    first ??= path;
    return (path === first) === onlyTheFirst ? answer : silent(answer);
  };
}

interface ChangingService {
  readonly settings: readonly string[];
  readonly speaking?: Speaking;
  /** Returns how it changes an answer. Each calibration gets one of its own. */
  readonly manner: () => (path: string, answer: Answered) => Answered;
}

const CHANGING: Readonly<Record<string, ChangingService>> = {
  "names the transaction in all receipts but the first": {
    settings: ["ledger.receipt.namesTransaction"],
    manner: () => naming({ onlyTheFirst: false }),
  },
  "names the transaction in the first receipt only": {
    settings: ["ledger.receipt.namesTransaction"],
    manner: () => naming({ onlyTheFirst: true }),
  },
  "writes its numbers as texts after some answers": {
    settings: ["numbers"],
    manner: () => {
      let answers = 0;
      return (_, answer) => ((answers += 1) < 9 ? answer : edited(answer, /:(\d+)(?=[,}])/g, ':"$1"'));
    },
  },
  "succeeds with two codes": {
    settings: ["successStatus.ledger.asset.list"],
    manner: () => {
      let lists = 0;
      return (path, answer) => (path.includes("/asset/all") && (lists += 1) % 2 === 0 ? { ...answer, status: 201 } : answer);
    },
  },
  "refuses everything after the first token": {
    settings: ["ledger.capabilities.tokenIdUnique", "ledger.capabilities.overMintRefused"],
    manner: () => {
      let tokens = 0;
      return (path, answer) => {
        if (/^POST .*\/tokens?(?:\?|$)/.test(path)) tokens += 1;
        return tokens > 1 && !path.startsWith("GET") ? { ...answer, status: 403, text: FORBIDDEN } : answer;
      };
    },
  },
  "lets this entity mint nothing": {
    settings: ["ledger.capabilities.overMintRefused"],
    manner: () => (path, answer) => (path.includes("/mint") ? { ...answer, status: 403, text: FORBIDDEN } : answer),
  },
  "gives one record once": {
    settings: ["ledger.parameters.pageSize"],
    speaking: many(ignoring, ["profile.ledger.parameters.pageSize", "zzSize"]),
    manner: () => {
      let isDone = false;
      return (path, answer) => {
        const page = isDone || !/[?&]limit=1(?:&|$)/.test(path) ? undefined : JSON.parse(answer.text);
        if (page?.records === undefined) return answer;
        isDone = true;
        return { ...answer, text: JSON.stringify({ ...page, records: page.records.slice(0, 1) }) };
      };
    },
  },
  "gives one sale once": {
    settings: ["investor.parameters.limit"],
    speaking: many(ignoring, ["profile.investor.parameters.limit", "zzSize"]),
    manner: () => {
      let isDone = false;
      return (path, answer) => {
        if (isDone || !/token-sales\?limit=1(?:&|$)/.test(path)) return answer;
        isDone = true;
        const list = JSON.parse(answer.text);
        return {
          ...answer,
          text: JSON.stringify({ ...list, response: { ...list.response, sales: list.response.sales.slice(0, 1) } }),
        };
      };
    },
  },
  "refuses a header once": {
    settings: ["ledger.onBehalfOf.in", "ledger.onBehalfOf.name"],
    speaking: many(ignoring, ["profile.ledger.onBehalfOf", { in: "header", name: "X-Zz" }]),
    manner: () => {
      let isDone = false;
      return (path, answer) => {
        if (isDone || !path.includes("actAs=tokenbook")) return answer;
        isDone = true;
        return { ...answer, status: 400, text: FORBIDDEN };
      };
    },
  },
};

test.for(Object.entries(CHANGING))(
  "calibrate does not decide what a service changes that %s",
  async ([, { settings, speaking = USUAL, manner }]) => {
    const { findings } = await calibrated(speaking, true, { spoil: manner() });
    const strengths = settings.map((name) => findings.find(({ setting }) => setting.join(".") === name)?.strength);
    expect(strengths).toEqual(settings.map(() => "undecided"));
  },
);

test("calibrate does not take the refusal of a gateway for one of the service", async () => {
  const twice = many(USUAL, ["dialect.accepts", ["second token", "second vault", "second deposit"]]);
  const faults = ["ledger.token.create", "ledger.vault.create", "ledger.vault.deposit"].map((operation) => ({
    operation,
    nth: 2,
    fault: { gateway: 403 },
  }));
  const { findings } = await calibrated(twice, true, { faults });
  expect(wrongIn({ findings } as Calibration, twice)).toEqual([]);
  const unclear = findings.filter(({ why }) => why.startsWith("a gateway may have refused"));
  expect(unclear.map(({ setting }) => setting.at(-1))).toEqual(["tokenIdUnique", "vaultIdUnique", "sameVaultDepositRefused"]);
});

test("calibrate does not repeat a write whose answer is lost, decides nothing by it, and names it", async () => {
  let commits: readonly string[] = [];
  let assets: readonly string[] = [];
  const lost = [
    { operation: "ledger.token.create", fault: "drop-after", times: 1 },
    { operation: "ledger.approval.create", fault: { "gateway-after": 429 }, times: 1 },
    { operation: "ledger.asset.create", fault: "drop-after", times: 1 },
  ] as const;
  const found = await calibrated(USUAL, true, {
    faults: lost,
    look: (contents) => {
      commits = contents.commits.map(({ operation }) => operation);
      assets = contents.resources.filter(({ kind, id }) => kind === "asset" && id.includes("tokenbook")).map(({ id }) => id);
    },
  });
  expect(wrongIn(found, USUAL)).toEqual([]);
  for (const name of ["ledger.capabilities.tokenIdUnique", "ledger.receipt.committed", "ledger.requestStatus.approved"])
    expect(found.findings.find(({ setting }) => setting.join(".") === name)?.strength, name).toBe("undecided");
  expect(found.left.filter((each) => each.startsWith("perhaps, because its answer was lost: "))).toHaveLength(2);
  expect(
    found.left.filter((each) => each.startsWith("perhaps, because HTTP 429 does not say whether it was done: ")),
  ).toHaveLength(1);
  expect(commits.filter((operation) => operation === "ledger.token.create")).toHaveLength(1);
  expect(assets).toEqual([]);
});

test.for([
  ["not-found", "ACCEPTED"],
  ["not-found", "UNCONFIRMED"],
  ["word", "COMMITTING"],
  ["word", "NOT_FINAL"],
] as const)("calibrate stops writing when no receipt says that a write is committed: %s, then %s", async ([pending, word]) => {
  let commits: readonly string[] = [];
  const unclear = many(USUAL, ["dialect.pendingReceipt", pending], ["profile.ledger.receipt.committed", [word]]);
  const found = await calibrated(unclear, true, {
    look: (contents) => void (commits = contents.commits.map(({ operation }) => operation)),
  });
  expect(new Set(commits)).toEqual(new Set(["ledger.asset.create", "ledger.asset.delete"]));
  expect(found.facts).toContainEqual({
    about: "writes",
    says: "no receipt shows in known words that a write is committed, so nothing more was written",
  });
  expect(found.left.join()).not.toContain("vault");
});

async function calibratedAt(answer: Given | ((path: string, query: URLSearchParams) => Given)): Promise<Calibration> {
  const { url } = await serve(({ path, query }) => (typeof answer === "function" ? answer(path, query) : answer));
  const transport = transportForTest();
  const target = targetAt(url);
  const ports = {
    clock: clockWithoutWaiting(),
    exchange: transport.exchange.bind(transport),
    secrets: NO_SECRETS.with(secretsOf(target)),
    stopping: NOT_STOPPING,
  };
  return calibrate(target, { mayWrite: true, usualStatus: REFUSAL_STATUS, announce: () => {}, onBrokenOff: () => {} }, ports);
}

const HTML = { status: 200, headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" };

test.for<readonly [string, Given, RegExp]>([
  ["a web page", HTML, /HTML|web page|not JSON/],
  ["a failure", { status: 500, body: '{"message":"no"}' }, /HTTP 500/],
  ["a redirect", { status: 302, headers: { location: "https://elsewhere.example" }, body: "" }, /302|redirect/i],
  ["that it is too busy", { status: 429, body: '{"message":"slow down"}' }, /429/],
  ["that the key is wrong", { status: 401, body: '{"message":"who are you"}' }, /401|key/],
])("a service that always answers %s ends a calibration with one message", async ([, answer, says]) => {
  await expect(calibratedAt(answer)).rejects.toThrow(says);
});

test.for(["{}", "[]", "42", "null", '{"status":"SUCCESS","response":{}}'])(
  "calibrate proposes no change for a service that answers %s to everything",
  async (body) => {
    const { findings } = await calibratedAt({ status: 200, body });
    expect(findings.filter(isChange)).toEqual([]);
  },
);

test("calibrate ends although a list of the service has no end, and proposes no change", async () => {
  let made = 0;
  const row = (): object => ({ id: `A${(made += 1)}`, assetType: "Bond", data: { id: `A${made}` } });
  const { findings } = await calibratedAt((path) => {
    if (path.endsWith("/stats")) return { body: '{"totalCount":1,"countByType":[]}' };
    return { body: JSON.stringify({ status: "SUCCESS", count: 2, bookmark: `b${made}`, records: [row(), row()], response: {} }) };
  });
  expect(findings.filter(isChange)).toEqual([]);
});

test("calibrate takes no first page with a new record for the page after it", async () => {
  let newest = 9;
  const row = (at: number): object => ({ id: `A${at}`, assetType: "Bond", data: { id: `A${at}` } });
  const { findings } = await calibratedAt((path) => {
    if (path.endsWith("/stats")) return { body: '{"totalCount":9,"countByType":[]}' };
    newest += 1;
    const records = [row(newest), row(newest - 1), row(newest - 2)];
    return { body: JSON.stringify({ status: "SUCCESS", count: 3, bookmark: "more", records, response: {} }) };
  });
  expect(findings.find(({ setting }) => setting.join(".") === "ledger.parameters.bookmark")).toMatchObject({
    strength: "undecided",
  });
});

test.for([
  [1, "consistent"],
  [2, "observed"],
] as const)("calibrate proves the attribute of ids by several assets only: %i, %s", async ([count, strength]) => {
  const records = Array.from({ length: count }, (_, at) => ({ id: `A${at}`, assetType: "Bond", data: { name: `A${at}` } }));
  const { findings } = await calibratedAt((path) => {
    if (path.endsWith("/stats")) return { body: '{"totalCount":1,"countByType":[]}' };
    return { body: JSON.stringify({ status: "SUCCESS", count, bookmark: "", records, response: {} }) };
  });
  expect(findings.find(({ setting }) => setting.join(".") === "ledger.primaryKey.Bond")).toMatchObject({
    found: "name",
    strength,
  });
});

// The calibration writes the form of errors into tokenbook.yaml, so the form must not hold a key.
test("calibrate takes no key that a service repeats for a word of the service", async () => {
  const key = "ledger-key-1";
  const reached = JSON.stringify({ status: "SUCCESS", totalCount: 1, countByType: [], response: {} });
  const { findings } = await calibratedAt((path) => {
    if (!/^\/(?:asset|token)$/.test(path)) return { body: reached };
    const condition = `${path.split("/")[1] ?? ""} not found`;
    return { status: 404, body: JSON.stringify({ status: key, message: condition, condition }) };
  });
  expect(findings.find(({ setting }) => setting.join(".") === "ledger.errors")).toMatchObject({ strength: "observed" });
  expect(JSON.stringify(findings)).not.toContain(key);
});
