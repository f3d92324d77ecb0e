import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  APP,
  type Chain,
  KEY,
  mintBody,
  mintPath,
  receiptPath,
  TOKEN,
  tokenId,
  tokenPath,
  USER,
  WRITE_ROUND,
  WRONG_SYMBOL,
} from "./scenario.ts";

// The same requests and expectations, in the languages of other runners.

const rounds = (requests: number): readonly number[] => Array.from({ length: requests / WRITE_ROUND }, (_, at) => at + 1);

const named = (chain: Chain, requests: number, falsified: boolean): string =>
  `${chain}-${requests}${falsified ? "-falsified" : ""}`;

/** Returns the name of the Arazzo file with this number of requests. */
export const arazzoFile = (requests: number, falsified: boolean): string => `${named("write", requests, falsified)}.arazzo.yaml`;

/** Returns the name of the Hurl file with this number of requests of a chain. */
export const hurlFile = (chain: Chain, requests: number, falsified: boolean): string =>
  `${named(chain, requests, falsified)}.hurl`;

const query = (name: string): object => ({ name, in: "query", required: true, schema: { type: "string" } });

const criteria = (...conditions: readonly string[]): object => ({
  successCriteria: ["$statusCode == 200", ...conditions].map((condition) => ({ condition })),
});

/** Writes the OpenAPI document that the Arazzo files refer to. */
export function writeOpenApi(folder: string, origin: string): void {
  const json = { "application/json": { schema: {} } };
  const responses = { "200": { description: "OK", content: json } };
  const document = {
    openapi: "3.1.0",
    info: { title: "Bench", version: "1.0.0" },
    servers: [{ url: `${origin}/tokenize/${APP}` }],
    paths: {
      "/token/mint": {
        post: { operationId: "mint", parameters: [query("actAs")], requestBody: { content: json }, responses },
      },
      "/asset/receipt": { get: { operationId: "receipt", parameters: [query("receiptId"), query("actAs")], responses } },
      "/token": { get: { operationId: "token", parameters: [query("id"), query("actAs")], responses } },
    },
  };
  writeFileSync(join(folder, "bench.openapi.json"), JSON.stringify(document));
}

/** Writes an Arazzo workflow, for `redocly respect`. */
export function writeArazzo(folder: string, requests: number, falsified = false): void {
  const all = rounds(requests);
  const steps = all.flatMap((number) => arazzoRound(number, falsified && number === all.length ? WRONG_SYMBOL : TOKEN.symbol));
  const document = {
    arazzo: "1.0.1",
    info: { title: "Bench", version: "1.0.0" },
    sourceDescriptions: [{ name: "bench", type: "openapi", url: "./bench.openapi.json" }],
    workflows: [{ workflowId: "chain", steps }],
  };
  writeFileSync(join(folder, arazzoFile(requests, falsified)), JSON.stringify(document, undefined, 1));
}

function arazzoRound(number: number, symbol: string): readonly object[] {
  const id = tokenId(number);
  const common = [
    { name: "actAs", in: "query", value: `userId:${USER}` },
    { name: "X-API-KEY", in: "header", value: KEY },
  ];
  const outputs = { receiptId: "$response.body#/receiptId", transactionId: "$response.body#/transactionId" };
  const receiptId = { name: "receiptId", in: "query", value: `$steps.mint${number}.outputs.receiptId` };
  return [
    {
      stepId: `mint${number}`,
      operationId: "mint",
      parameters: common,
      requestBody: { contentType: "application/json", payload: mintBody(id) },
      ...criteria(),
      outputs,
    },
    {
      stepId: `receipt${number}`,
      operationId: "receipt",
      parameters: [receiptId, ...common],
      ...criteria(
        "$response.body#/status == 'COMMITTED'",
        `$response.body#/transactionId == $steps.mint${number}.outputs.transactionId`,
      ),
    },
    {
      stepId: `get${number}`,
      operationId: "token",
      parameters: [{ name: "id", in: "query", value: id }, ...common],
      ...criteria(
        `$response.body#/id == '${id}'`,
        `$response.body#/symbol == '${symbol}'`,
        `$response.body#/totalSupply == ${TOKEN.totalSupply}`,
      ),
    },
  ];
}

/** Writes a Hurl file for each chain. */
export function writeHurl(folder: string, origin: string, requests: number, falsified = false): void {
  const symbolOf = (number: number, last: number): string => (falsified && number === last ? WRONG_SYMBOL : TOKEN.symbol);
  const read = (number: number, last: number): string => hurlRead(origin, number, symbolOf(number, last));
  const chains = {
    read: rounds(requests * WRITE_ROUND).map((number, _, { length }) => read(number, length)),
    write: rounds(requests).map((number, _, { length }) => `${hurlMint(origin, number)}\n${read(number, length)}`),
  };
  for (const [chain, text] of Object.entries(chains))
    writeFileSync(join(folder, hurlFile(chain as Chain, requests, falsified)), text.join("\n"));
}

function hurlMint(origin: string, number: number): string {
  return `POST ${origin}${mintPath}
X-API-KEY: ${KEY}
${JSON.stringify(mintBody(tokenId(number)))}
HTTP 200
[Captures]
receiptId: jsonpath "$.receiptId"
transactionId: jsonpath "$.transactionId"

GET ${origin}${receiptPath("{{receiptId}}")}
X-API-KEY: ${KEY}
HTTP 200
[Asserts]
jsonpath "$.status" == "COMMITTED"
jsonpath "$.transactionId" == "{{transactionId}}"
`;
}

function hurlRead(origin: string, number: number, symbol: string): string {
  const id = tokenId(number);
  return `GET ${origin}${tokenPath(id)}
X-API-KEY: ${KEY}
HTTP 200
[Asserts]
jsonpath "$.id" == "${id}"
jsonpath "$.symbol" == "${symbol}"
jsonpath "$.totalSupply" == ${TOKEN.totalSupply}
`;
}
