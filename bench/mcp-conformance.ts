// npm run mcp:conformance: runs the conformance suite of the Model Context Protocol against `tokenbook mcp`. The suite speaks only HTTP, so a bridge
// forwards each message unchanged. npm fetches the suite for the run, because the suite has many packages that the product does not need.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

const SUITE = "@modelcontextprotocol/conformance@0.1.16";
/**
 * The scenarios that the suite runs against every server. The others call tools, prompts and resources of a demonstration server, or test HTTP
 * itself.
 */
const SCENARIOS = ["server-initialize", "ping", "tools-list"] as const;
const COMMAND = fileURLToPath(new URL("../bin/tokenbook.js", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "tokenbook-mcp-"));
writeFileSync(join(folder, "tokenbook.yaml"), "environments: { sandbox: embedded }\n");
const sessions = new Map<string, StreamableHTTPServerTransport>();

/** Starts `tokenbook mcp` for a new session, and forwards messages in both directions. */
async function bridge(): Promise<StreamableHTTPServerTransport> {
  const http = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, http),
  });
  const program = new StdioClientTransport({ command: process.execPath, args: [COMMAND, "mcp"], cwd: folder });
  Object.assign(http, {
    onmessage: (message: JSONRPCMessage) => void program.send(message),
    onclose: () => void program.close(),
  });
  Object.assign(program, { onmessage: (message: JSONRPCMessage) => void http.send(message) });
  await Promise.all([program.start(), http.start()]);
  return http;
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = request.headers["mcp-session-id"];
  const session = typeof id === "string" ? sessions.get(id) : undefined;
  await (session ?? (await bridge())).handleRequest(request, response);
}

const server = createServer((request, response) => void serve(request, response)).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
try {
  for (const scenario of SCENARIOS) {
    const words = ["--yes", SUITE, "server", "--url", url, "--scenario", scenario, "--output-dir", join(folder, scenario)];
    const [code] = (await once(spawn("npx", words, { stdio: "inherit" }), "close")) as [number | null];
    console.log(`${code === 0 ? "passed" : "FAILED"}  ${scenario}`);
    if (code !== 0) process.exitCode = 1;
  }
} finally {
  await Promise.all(Array.from(sessions.values(), (session) => session.close()));
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}
