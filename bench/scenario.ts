import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The kinds of work: reads, one step each; the same reads as rounds of one step; or mints with their receipts and a read of each token. */
export type Chain = "read" | "loop" | "write";

/** How many requests of each kind reached the server. */
export interface Counts {
  readonly mint: number;
  readonly receipt: number;
  readonly token: number;
  readonly status: number;
  readonly other: number;
}

export const APP = "app";
export const ORGANIZATION = "org1";
export const USER = "alice";
export const KEY_VARIABLE = "BENCH_KEY";
export const KEY = "a-key-of-the-bench";
/** The symbol that the server gives every token. */
export const TOKEN = { symbol: "LFT", totalSupply: 1000 } as const;
/** A symbol that no token has, so an expectation of it must fail. */
export const WRONG_SYMBOL = "XXX";

const ACT_AS = `actAs=userId%3A${USER}`;

/** The requests of one round of the write chain: mint, receipt, token. */
export const WRITE_ROUND = 3;

export const mintPath: string = `/tokenize/${APP}/token/mint?${ACT_AS}`;
export const receiptPath = (receiptId: string): string => `/tokenize/${APP}/asset/receipt?receiptId=${receiptId}&${ACT_AS}`;
export const tokenPath = (id: string): string => `/tokenize/${APP}/token?id=${id}&${ACT_AS}`;
export const tokenId = (number: number): string => `t${number}`;
/** The body of a mint: a list with one element. */
export const mintBody = (id: string): readonly object[] => [{ id, to: { orgId: ORGANIZATION, userId: USER }, value: 1.5 }];

/**
 * Returns which requests a chain of `requests` must have made, once for each file. A runner that guards its writes also reads the status in each file
 * that writes, and the token before each mint.
 */
export function expectedCounts(chain: Chain, requests: number, files: number, guards: boolean): Counts {
  const rounds = (requests / WRITE_ROUND) * files;
  return chain === "write"
    ? { mint: rounds, receipt: rounds, token: guards ? rounds * 2 : rounds, status: guards ? files : 0, other: 0 }
    : { mint: 0, receipt: 0, token: requests * files, status: 0, other: 0 };
}

/** Returns the playbook of a chain. A falsified playbook expects a wrong symbol of its last token. */
export function playbook(chain: Chain, requests: number, falsified = false): string {
  return `playbook: 1
name: A ${chain} chain of ${requests} requests
actors:
  issuer: { ledger: "userId:${USER}" }
defaults: { as: issuer }
steps:
${chain === "loop" ? loopStep(requests, falsified) : steps(chain, requests, falsified)}`;
}

function steps(chain: "read" | "write", requests: number, falsified: boolean): string {
  const rounds = chain === "read" ? requests : requests / WRITE_ROUND;
  const each = Array.from({ length: rounds }, (_, at) => {
    const symbol = falsified && at === rounds - 1 ? WRONG_SYMBOL : TOKEN.symbol;
    return (chain === "write" ? mintStep(at + 1) : "") + readStep(at + 1, symbol);
  });
  return each.join("");
}

function loopStep(requests: number, falsified: boolean): string {
  const ids = Array.from({ length: requests }, (_, at) => tokenId(at + 1));
  const symbol = `"${TOKEN.symbol}"`;
  return `  - id: get
    foreach:
      token: [${ids.join(", ")}]
      key: token
    uses: ledger.token.get
    with: { id: "\${{ token }}" }
    expect:
      - response.id == token
      - 'response.symbol == ${falsified ? `(token == "${tokenId(requests)}" ? "${WRONG_SYMBOL}" : ${symbol})` : symbol}'
      - response.totalSupply == ${TOKEN.totalSupply}.00
`;
}

function readStep(number: number, symbol: string): string {
  return `  - id: get${number}
    uses: ledger.token.get
    with: { id: ${tokenId(number)} }
    expect:
      - response.id == "${tokenId(number)}"
      - response.symbol == "${symbol}"
      - response.totalSupply == ${TOKEN.totalSupply}.00
`;
}

function mintStep(number: number): string {
  return `  - id: mint${number}
    uses: ledger.token.mint
    with: { id: ${tokenId(number)}, to: "\${{ actors.issuer }}", value: 1.5 }
    expect:
      - has(steps.mint${number}.receipt) && steps.mint${number}.receipt.status == "COMMITTED"
      - has(steps.mint${number}.receipt) && steps.mint${number}.receipt.transactionId == response.transactionId
`;
}

/** Returns the environment file for the bench's server. */
export function environment(origin: string): string {
  return `environments:
  bench:
    ledger: { baseUrl: "${origin}", appId: ${APP}, orgId: ${ORGANIZATION}, apiKey: "env:${KEY_VARIABLE}" }
`;
}

/** A chain that is written to disk. */
export interface ScenarioFile {
  readonly chain: Chain;
  readonly requests: number;
  readonly falsified?: boolean;
}

export const playbookFile = ({ chain, requests, falsified }: ScenarioFile): string =>
  `${chain}-${requests}${falsified === true ? "-falsified" : ""}.yaml`;

/** Writes the project: the environment file, one playbook for each chain, and a folder of `files` short playbooks for each kind. */
export function writeProject(
  folder: string,
  origin: string,
  chains: readonly ScenarioFile[],
  many: { files: number; requests: number },
): void {
  writeFileSync(join(folder, "tokenbook.yaml"), environment(origin));
  for (const file of chains) writeFileSync(join(folder, playbookFile(file)), playbook(file.chain, file.requests, file.falsified));
  for (const chain of ["read", "write"] as const) {
    const inside = join(folder, `many-${chain}`);
    mkdirSync(inside);
    const text = playbook(chain, many.requests);
    for (let number = 1; number <= many.files; number++) writeFileSync(join(inside, `f${number}.yaml`), text);
  }
}
