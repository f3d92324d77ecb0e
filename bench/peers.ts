import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  APP,
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

// The write chain in the languages of other runners: the same requests, the same expectations.

const rounds = (requests: number): readonly number[] => Array.from({ length: requests / WRITE_ROUND }, (_, at) => at + 1);

/** The name of a peer's file of so many requests. */
export function peerFile(peer: "arazzo" | "hurl", requests: number, falsified = false): string {
  const name = `write-${requests}${falsified ? "-falsified" : ""}`;
  return peer === "hurl" ? `${name}.hurl` : `${name}.arazzo.yaml`;
}

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
  writeFileSync(join(folder, peerFile("arazzo", requests, falsified)), JSON.stringify(document, undefined, 1));
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

/** Writes a Hurl file. */
export function writeHurl(folder: string, origin: string, requests: number, falsified = false): void {
  const all = rounds(requests);
  const text = all.map((number) => hurlRound(origin, number, falsified && number === all.length ? WRONG_SYMBOL : TOKEN.symbol));
  writeFileSync(join(folder, peerFile("hurl", requests, falsified)), text.join("\n"));
}

function hurlRound(origin: string, number: number, symbol: string): string {
  const id = tokenId(number);
  return `POST ${origin}${mintPath}
X-API-KEY: ${KEY}
${JSON.stringify(mintBody(id))}
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

GET ${origin}${tokenPath(id)}
X-API-KEY: ${KEY}
HTTP 200
[Asserts]
jsonpath "$.id" == "${id}"
jsonpath "$.symbol" == "${symbol}"
jsonpath "$.totalSupply" == ${TOKEN.totalSupply}
`;
}
