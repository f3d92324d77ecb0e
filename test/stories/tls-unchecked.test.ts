// With NODE_TLS_REJECT_UNAUTHORIZED=0, Node accepts any server as the service.
import { once } from "node:events";
import { createServer as createPlainServer, type IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { hasOpenssl, selfSigned } from "../certificate.ts";
import { environmentAt, KEYS, MINT_ONCE, newProject, temporaryFolder } from "./world.ts";

const UNCHECKED = { ...KEYS, NODE_TLS_REJECT_UNAUTHORIZED: "0" };

/** A server with a self-signed certificate, and the requests that it received. */
async function impostor(): Promise<{ readonly url: string; readonly heard: readonly IncomingMessage[] }> {
  const { key, cert } = selfSigned(temporaryFolder(), 30);
  const heard: IncomingMessage[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    heard.push(request);
    response.end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, heard };
}

test.runIf(hasOpenssl)("no command that would send a key begins, and an impostor of the service receives nothing", async () => {
  const { url, heard } = await impostor();
  const project = newProject(UNCHECKED);
  project.serviceAt(url);
  project.write("mint.yaml", MINT_ONCE);
  for (const command of [
    ["run", "mint.yaml"],
    ["plan", "mint.yaml"],
    ["schedule", "--once", "mint.yaml"],
  ]) {
    const ended = await project.run(...command);
    expect(ended.code, ended.transcript).toBe(2);
    expect(ended.stderr, ended.transcript).toContain("error environment.tls-unchecked\n  NODE_TLS_REJECT_UNAUTHORIZED is 0");
    expect(ended.stderr, ended.transcript).toContain("next: unset NODE_TLS_REJECT_UNAUTHORIZED");
  }
  const looked = await project.run("doctor");
  expect(looked.stdout, looked.transcript).toContain("✗ NODE_TLS_REJECT_UNAUTHORIZED is 0");
  expect(heard.map(({ headers }) => headers["x-api-key"])).toEqual([]);
});

test.runIf(hasOpenssl)("no notification and no trace is sent to an impostor while certificates are not checked", async () => {
  const { url, heard } = await impostor();
  const project = newProject({ ...UNCHECKED, OTEL_EXPORTER_OTLP_ENDPOINT: url, HOOK: `${url}/notified` });
  project.write("mint.yaml", MINT_ONCE);
  project.write("tokenbook.yaml", "environments:\n  here: embedded\nnotifications:\n  desk: { url: env:HOOK }\n");
  const run = await project.run("run", "mint.yaml");
  expect(heard, run.transcript).toEqual([]);
  project.write("mint.yaml", MINT_ONCE.replace("totalSupply == 10]", "totalSupply == 11]"));
  const fired = await project.run("schedule", "--once", "mint.yaml");
  expect(fired.code, fired.transcript).toBe(1);
  expect(heard, fired.transcript).toEqual([]);
});

test("where nothing is encrypted, and in the sandbox inside tokenbook, the variable keeps nobody from working", async () => {
  const project = newProject(UNCHECKED);
  project.write("mint.yaml", MINT_ONCE);
  const embedded = await project.run("run", "mint.yaml");
  expect(embedded.code, embedded.transcript).toBe(0);
  project.write("tokenbook.yaml", environmentAt("http://127.0.0.1:9"));
  const local = await project.run("run", "mint.yaml");
  expect(local.stderr, local.transcript).not.toContain("environment.tls-unchecked");
});

// An address of this machine that other machines can reach.
const outside = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.internal === false && each.family === "IPv4")?.address;

test.runIf(outside !== undefined)("doctor warns of a key that leaves this machine without encryption", async () => {
  const server = createPlainServer((_request, response) => void response.end("{}"));
  await once(server.listen(0, "0.0.0.0"), "listening");
  onTestFinished(() => void server.close());
  const project = newProject();
  const { port } = server.address() as AddressInfo;
  project.serviceAt(`http://${outside ?? ""}:${port}`);
  const far = await project.run("doctor");
  expect(far.stdout, far.transcript).toContain("is not encrypted: anyone on the network path can read the key");
  project.serviceAt(`http://127.0.0.1:${port}`);
  const near = await project.run("doctor");
  expect(near.stdout, near.transcript).not.toContain("is not encrypted");
});
