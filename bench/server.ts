// The service for all runners: it sends canned answers with the shapes of the contract, and counts the requests. It is a separate process, prints its
// port, and ends when its standard input ends.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { APP, type Counts, ORGANIZATION, TOKEN, USER } from "./scenario.ts";

const ROOT = `/tokenize/${APP}`;
const ENTITY = { orgId: ORGANIZATION, userId: USER };

let counts = none();
let minted = 0;
let connections = 0;
const tokenTail = JSON.stringify(tokenFields()).slice(1);

const server = createServer({ keepAliveTimeout: 60_000, noDelay: true }, (request, response) => {
  if (request.method === "GET") return answer(request, response);
  request.on("end", () => answer(request, response));
  request.resume();
});
server.on("connection", () => connections++);
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.stdin.on("end", () => process.exit(0)).resume();

function none(): { -readonly [Name in keyof Counts]: number } {
  return { mint: 0, receipt: 0, token: 0, status: 0, other: 0 };
}

function answer({ method, url = "" }: IncomingMessage, response: ServerResponse): void {
  const path = url.slice(0, url.indexOf("?") >= 0 ? url.indexOf("?") : undefined);
  switch (`${method} ${path}`) {
    case `GET ${ROOT}/token`:
      counts.token++;
      return send(response, `{"docType":"asset","id":"${parameter(url, "id")}",${tokenTail}`);
    case `GET ${ROOT}/asset/receipt`:
      counts.receipt++;
      return send(
        response,
        `{"transactionId":"tx-${parameter(url, "receiptId").slice(3)}","status":"COMMITTED","message":"Success"}`,
      );
    case `POST ${ROOT}/token/mint`:
      counts.mint++;
      minted++;
      return send(response, `{"transactionId":"tx-${minted}","receiptId":"rc-${minted}"}`);
    case `GET ${ROOT}/status`:
      counts.status++;
      response.writeHead(204).end();
      return;
    case "GET /__stats":
      return stats(response);
    default:
      counts.other++;
      return send(response, '{"message":"not found"}', 404);
  }
}

function stats(response: ServerResponse): void {
  send(response, JSON.stringify({ counts, connections }));
  counts = none();
  connections = 0;
}

function send(response: ServerResponse, text: string, status = 200): void {
  response.writeHead(status, ["content-type", "application/json", "content-length", String(Buffer.byteLength(text))]);
  response.end(text);
}

function parameter(url: string, name: string): string {
  const start = url.indexOf(`${name}=`) + name.length + 1;
  const end = url.indexOf("&", start);
  return url.slice(start, end < 0 ? undefined : end);
}

// A Token of the contract without `docType` and `id`: 1.5 KB as JSON.
function tokenFields(): object {
  const at = "2026-01-15T09:30:00.000Z";
  const properties = Object.fromEntries(
    Array.from({ length: 17 }, (_, number) => [`attribute${number}`, `value ${number} of this token`]),
  );
  return {
    name: "Rights in Loft",
    description: "A share of a property in Lisbon, held by its custodian; the bench reads it again and again.",
    symbol: TOKEN.symbol,
    classification: { type: "fungible", unit: "fractional", valueType: "intrinsic", supply: "capped-variable" },
    behaviour: {
      decimal: 2,
      maxMintQuantity: 100_000,
      transferable: true,
      burnable: true,
      rolesMap: { minter_role_name: "minter", burner_role_name: "burner" },
    },
    properties,
    tokenPermissions: [
      { entity: ENTITY, roles: ["minter", "burner"] },
      { entity: { orgId: ORGANIZATION, userId: "carol" }, roles: ["transfer"] },
    ],
    totalSupply: TOKEN.totalSupply,
    totalMintedAmount: TOKEN.totalSupply,
    owners: [{ entity: ENTITY }],
    createdAt: at,
    updatedAt: at,
    createdBy: ENTITY,
    updatedBy: ENTITY,
  };
}
