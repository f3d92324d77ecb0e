import { hash } from "node:crypto";
import { chmodSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished, test } from "vitest";
import { closedAddress } from "./proxy.ts";
import {
  COMMAND_LINE,
  COMPILED,
  expectNoneTwice,
  IN_SHELL,
  launch,
  MINT_ONCE,
  newProject,
  operationsOf,
  type Project,
  servedSandbox,
  type Service,
  temporaryFolder,
  type Variables,
} from "./world.ts";

interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

interface Assistant {
  readonly client: Client;
  call(name: string, given?: Readonly<Record<string, unknown>>): Promise<Answer>;
}

/** A real client with its own server, started in the folder of a project. */
async function assistant(project: Project, options: readonly string[] = [], more: Variables = {}): Promise<Assistant> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const [program, ...words] = COMMAND_LINE;
  const env = { PATH: process.env["PATH"] ?? "", ...COMPILED, ...project.variables, ...more };
  const transport = new StdioClientTransport({
    command: program,
    args: [...words, "mcp", ...options],
    cwd: project.folder,
    env,
    stderr: "ignore",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    async call(name, given = {}) {
      const { content, isError } = await client.callTool({ name, arguments: given });
      const [first] = content as readonly { readonly text: string }[];
      return { text: first?.text ?? "", isError: isError === true };
    },
  };
}

async function minting(): Promise<{ readonly project: Project; readonly service: Service }> {
  const service = await servedSandbox();
  const project = newProject();
  project.serviceAt(service.url);
  project.write("mint.yaml", MINT_ONCE);
  return { project, service };
}

const SHOW_FILE = `playbook: 1
inputs: { f: { type: file, format: yaml } }
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps: [{ id: make, uses: ledger.asset.create, with: { assetType: Property, data: { id: "\${{ string(inputs.f) }}" } } }]
`;

const MAKE = `playbook: 1
inputs: { id: { type: string } }
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps: [{ id: make, uses: ledger.asset.create, with: { assetType: Property, data: { id: "\${{ inputs.id }}" } } }]
`;

function digestIn({ text }: Answer): string {
  return /^plan ([0-9a-f]{64})$/m.exec(text)?.[1] ?? "";
}

function runOf({ text }: Answer): string {
  return /run `([\w-]+)`/.exec(text)?.[1] ?? "";
}

test("an assistant checks, plans and looks; without --allow-writes it can change nothing", async () => {
  const { project, service } = await minting();
  project.write("wrong.yaml", MINT_ONCE.replace("ledger.token.mint", "ledger.token.mnt"));
  const { client, call } = await assistant(project);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["operations", "check", "plan", "status", "explain-unknown", "drift"]);
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  expect((await call("operations", { words: "ledger.token.mint" })).text).toContain("Mint tokens to entities");
  const wrong = await call("check", { playbook: "wrong.yaml" });
  expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('did you mean "ledger.token.mint"') as string });
  const planned = await call("plan", { playbook: "mint.yaml" });
  expect(planned).toMatchObject({ isError: false, text: expect.stringContaining("will create") as string });
  for (const [name, given] of [
    ["run", { plan: digestIn(planned), key: "ORDER-1" }],
    ["resume", { run: "latest" }],
    ["resolve", {}],
  ] as const)
    await expect(call(name, given), name).rejects.toThrow(/not offered: this server is read-only|no such tool/);
  expect((await call("status")).text).toBe("no runs yet\n");
  expect((await call("drift")).text).toBe("nothing has been compared here yet\n");
  expect(await service.commits()).toEqual([]);
});

test("the answer of a run is lost, and its server is killed after the commit: the same call returns the same run, with one effect", async () => {
  const { project, service } = await minting();
  const first = await assistant(project, ["--allow-writes", "here"], { TOKENBOOK_FAILPOINT: "before:attempt.answered@mint" });
  const plan = digestIn(await first.call("plan", { playbook: "mint.yaml" }));
  const given = { plan, key: "ORDER-17" };
  await expect(first.call("run", given)).rejects.toThrow("Connection closed");
  expect(operationsOf(await service.commits())).toContain("ledger.token.mint");

  const second = await assistant(project, ["--allow-writes", "here"]);
  const same = await second.call("run", given);
  expect(same, same.text).toMatchObject({ isError: false });
  expect(same.text).toContain("applied, as read back");
  const again = await second.call("run", given);
  expect(runOf(again)).toBe(runOf(same));
  expect((await second.call("status", { key: "ORDER-17" })).text).toContain(runOf(same));
  const other = await second.call("run", { plan, key: "ORDER-18" });
  expect(other).toMatchObject({ isError: true, text: expect.stringContaining("run with the key ORDER-17") as string });
  expect((await second.call("explain-unknown", { run: runOf(same) })).text).toContain("no write of this run is unknown");
  const commits = await service.commits();
  expectNoneTwice(commits, same.text);
  expect(operationsOf(commits).filter((name) => name === "ledger.token.mint")).toHaveLength(1);
});

test("a client that no longer waits for an answer gets the same run by the same call", async () => {
  const { project, service } = await minting();
  const { client, call } = await assistant(project, ["--allow-writes", "here"]);
  const given = { plan: digestIn(await call("plan", { playbook: "mint.yaml" })), key: "ORDER-1" };
  const impatient = client.callTool({ name: "run", arguments: given }, undefined, { timeout: 1 });
  await expect(impatient).rejects.toThrow("timed out");
  const [one, two] = await Promise.all([call("run", given), call("run", given)]);
  expect(one, one.text).toMatchObject({ isError: false });
  expect(runOf(two)).toBe(runOf(one));
  expect(operationsOf(await service.commits()).filter((name) => name === "ledger.token.mint")).toHaveLength(1);
});

test("hostile calls change nothing and show nothing", async () => {
  const { project, service } = await minting();
  const outside = temporaryFolder();
  project.within("..").write("outside.yaml", "secret: c4nary-outside\n");
  symlinkSync(join(project.folder, "..", "outside.yaml"), join(project.folder, "link.yaml"));
  const { client, call } = await assistant(project, ["--allow-writes", "here"]);
  const plan = digestIn(await call("plan", { playbook: "mint.yaml" }));
  const calls: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ...["../outside.yaml", join(outside, "x.yaml"), "link.yaml", ".env", "/etc/passwd", "--help", "-", "."].flatMap(
      (playbook) => [["check", { playbook }] as const, ["plan", { playbook }] as const],
    ),
    ["check", { playbook: ["mint.yaml"] }],
    ["check", { playbook: "mint.yaml", explain: "all" }],
    ["plan", { playbook: "mint.yaml", inputs: { constructor: "x" } }],
    ["plan", { playbook: "mint.yaml", inputs: { n: 1 } }],
    ["plan", { playbook: "mint.yaml", environment: "__proto__" }],
    ["plan", { playbook: "mint.yaml", out: "plan.json" }],
    ["run", { plan: "../../journal", key: "ORDER-1" }],
    ["run", { plan: "f".repeat(64), key: "ORDER-1" }],
    ["run", { plan, key: "--anyway" }],
    ["run", { plan, key: "a\nb" }],
    ["run", { plan, key: "ORDER-1", yes: true }],
    ["run", { plan }],
    ["resume", { run: "'; DROP TABLE run; --" }],
    ["status", { run: "\u001b[2J" }],
    ["drift", { drift: "x".repeat(2_000) }],
  ];
  for (const [name, given] of calls) {
    const answer = await call(name, given);
    expect(answer.isError, `${name} ${JSON.stringify(given)}: ${answer.text}`).toBe(true);
    expect(answer.text).not.toMatch(/c4nary|sandbox-ledger-key|root:/);
    expect(answer.text).not.toContain("\u001b");
    expect(answer.text).not.toMatch(/^\s+at .+:\d+:\d+/m);
  }
  await expect(client.callTool({ name: "constructor", arguments: {} })).rejects.toThrow("no such tool");
  expect(await service.commits()).toEqual([]);
  expect((await call("status")).text).toBe("no runs yet\n");
});

test("a plan is run by its digest only while its file has that digest", async () => {
  const { project, service } = await minting();
  project.write("make.yaml", MAKE);
  const { call } = await assistant(project, ["--allow-writes", "here"]);
  const [small, large] = [
    digestIn(await call("plan", { playbook: "make.yaml", inputs: { id: "Small" } })),
    digestIn(await call("plan", { playbook: "make.yaml", inputs: { id: "Large" } })),
  ];
  const file = (digest: string): string => join(project.folder, ".tokenbook/plans", `${digest}.plan`);
  const own = readFileSync(file(small), "utf8");
  for (const text of [readFileSync(file(large), "utf8"), own.replace('"id": "Small"', '"id": "Large"'), `${own} `, ""]) {
    writeFileSync(file(small), text);
    const refused = await call("run", { plan: small, key: "ORDER-1" });
    expect(refused, refused.text).toMatchObject({ isError: true, text: expect.stringContaining("mcp.plan-unknown") as string });
  }
  expect(await service.commits()).toEqual([]);
  writeFileSync(file(small), own);
  const run = await call("run", { plan: small, key: "ORDER-1" });
  expect(run, run.text).toMatchObject({ isError: false });
});

test("a plan that an earlier version has kept, with its request in a file of its own, can be run", async () => {
  const { project } = await minting();
  project.write("make.yaml", MAKE);
  const planned = await project.run("plan", "make.yaml", "--input", "id=Small", "--json");
  const digest = hash("sha256", planned.stdout);
  const { call } = await assistant(project, ["--allow-writes", "here"]);
  await call("plan", { playbook: "mint.yaml" });
  const keep = (part: string, text: string): void => project.write(`.tokenbook/plans/${digest}.${part}`, text);
  keep("plan", planned.stdout);
  keep("request", JSON.stringify({ playbook: "make.yaml", inputs: { id: "Large" }, environment: "here" }));
  for (const part of ["plan", "request"]) chmodSync(join(project.folder, `.tokenbook/plans/${digest}.${part}`), 0o600);
  const other = await call("run", { plan: digest, key: "ORDER-1" });
  expect(other, other.text).toMatchObject({ isError: true, text: expect.stringContaining("another value of id") as string });
  keep("request", JSON.stringify({ playbook: "make.yaml", inputs: { id: "Small" }, environment: "here" }));
  const run = await call("run", { plan: digest, key: "ORDER-2" });
  expect(run, run.text).toMatchObject({ isError: true, text: expect.stringContaining("run with the key ORDER-1") as string });
  const same = await call("run", { plan: digest, key: "ORDER-1" });
  expect(same, same.text).toMatchObject({ isError: false });
});

// Decision 201.
test("an assistant that may write in an environment does not write in another project's environment of the same name", async () => {
  const { project, service } = await minting();
  const inner = project.within("inner");
  for (const file of ["tokenbook.yaml", "mint.yaml"]) inner.write(file, project.read(file));
  project.write("tokenbook.yaml", "environments: { here: embedded }\n");
  project.write("mint.yaml", project.read("mint.yaml").replace("playbook: 1", "playbook: 1\nid: other"));
  const state = temporaryFolder();
  const stopping = project.as({ ...project.variables, TOKENBOOK_FAILPOINT: "before:attempt.intended@mint" });
  const stopped = await stopping.start("run", "inner/mint.yaml", "--state", state).ended;
  expect(stopped.code, stopped.transcript).not.toBe(0);
  const before = await service.commits();
  const { call } = await assistant(project, ["--allow-writes", "here", "--state", state]);
  for (const [name, given] of [
    ["check", { playbook: "inner/mint.yaml" }],
    ["plan", { playbook: "inner/mint.yaml" }],
    ["plan", { playbook: "inner/mint.yaml", environment: "here" }],
    ["resume", { run: "latest" }],
  ] as const) {
    const refused = await call(name, given);
    expect(refused, refused.text).toMatchObject({ isError: true, text: expect.stringContaining("another project") as string });
  }
  expect((await call("plan", { playbook: "mint.yaml" })).isError).toBe(false);
  expect(await service.commits()).toEqual(before);
});

// Decision 200.
test("plan and run apply the rules for a playbook's own files to a file that an assistant gives as an input", async () => {
  const { project, service } = await minting();
  const outside = join(temporaryFolder(), "id_ed25519");
  writeFileSync(outside, "c4nary-outside\n");
  project.write("show.yaml", SHOW_FILE);
  for (const file of ["here.txt", ".hidden/notes.txt", ".env.local"]) project.write(file, "c4nary-inside\n");
  symlinkSync(outside, join(project.folder, "link.txt"));
  const { call } = await assistant(project, ["--allow-writes", "here"]);
  const plan = (f: string): Promise<Answer> => call("plan", { playbook: "show.yaml", inputs: { f } });
  for (const [file, why] of [
    [outside, "lies outside of the project"],
    [relative(project.folder, outside), "lies outside of the project"],
    ["link.txt", "lies outside of the project"],
    [".hidden/notes.txt", "lies in a hidden folder"],
    [".env.local", "is a file of settings"],
    ["/etc/passwd", "lies outside of the project"],
  ] as const) {
    const refused = await plan(file);
    expect(refused, refused.text).toMatchObject({ isError: true, text: expect.stringContaining(why) as string });
    expect(refused.text).not.toMatch(/c4nary|root:/);
  }
  const planned = await plan("here.txt");
  expect(planned, planned.text).toMatchObject({ isError: false, text: expect.stringContaining("will create") as string });
  rmSync(join(project.folder, "here.txt"));
  symlinkSync(outside, join(project.folder, "here.txt"));
  const run = await call("run", { plan: digestIn(planned), key: "ORDER-1" });
  expect(run, run.text).toMatchObject({ isError: true, text: expect.stringContaining("outside of the project") as string });
  expect(run.text).not.toContain("c4nary");
  expect(await service.commits()).toEqual([]);
  const person = await project.run("plan", "show.yaml", "--input", `f=${outside}`);
  expect(person.code, person.transcript).toBe(0);
});

test("an assistant writes in one environment only, and in a protected one only what somebody else has approved", async () => {
  const service = await servedSandbox();
  const project = newProject();
  project.serviceAt(service.url);
  const here = project.read("tokenbook.yaml");
  const [, body = ""] = /^ {2}here:\n([\s\S]*)$/m.exec(here) ?? [];
  project.write("tokenbook.yaml", `${here}\n  guarded:\n    protected: true\n${body}`);
  project.write("mint.yaml", MINT_ONCE);
  const { call } = await assistant(project, ["--allow-writes", "guarded"]);
  const elsewhere = digestIn(await call("plan", { playbook: "mint.yaml", environment: "here" }));
  const refused = await call("run", { plan: elsewhere, key: "ORDER-1" });
  expect(refused).toMatchObject({
    isError: true,
    text: expect.stringContaining("this server may write in guarded only") as string,
  });
  const plan = digestIn(await call("plan", { playbook: "mint.yaml", environment: "guarded" }));
  const alone = await call("run", { plan, key: "ORDER-1" });
  expect(alone).toMatchObject({ isError: true, text: expect.stringContaining("nobody has approved the plan") as string });
  expect(await service.commits()).toEqual([]);
  const approved = await project
    .as({ ...project.variables, USER: "somebody-else" })
    .run("approve", `.tokenbook/plans/${plan}.plan`, "--because", "reviewed");
  expect(approved.code, approved.transcript).toBe(0);
  const run = await call("run", { plan, key: "ORDER-1" });
  expect(run, run.text).toMatchObject({ isError: false });
  expect(operationsOf(await service.commits()).filter((name) => name === "ledger.token.mint")).toHaveLength(1);
});

test("every tool looks where the file of variables says that the server was started with", async () => {
  const project = newProject();
  project.write("tokenbook.yaml", "state: { postgres: env:RUNS_AT }\nenvironments: { here: embedded }\n");
  project.write("other.env", `RUNS_AT=${(await closedAddress()).replace("http", "postgres")}/runs\n`);
  for (const [name, given] of [
    ["status", {}],
    ["status", { run: "latest" }],
    ["status", { key: "ORDER-1" }],
    ["explain-unknown", { run: "latest" }],
    ["drift", {}],
  ] as const) {
    const { call } = await assistant(project, ["--dotenv", "other.env"]);
    const { text } = await call(name, given);
    expect(text, `${name} ${JSON.stringify(given)}`).toContain("database.unreachable");
  }
});

test("stdout holds the protocol only, whatever comes in; the end of stdin ends the server", async () => {
  const project = newProject();
  const initialize = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const messages = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "status", arguments: {} } },
    { jsonrpc: "2.0", id: 3, method: "nowhere" },
    { jsonrpc: "2.0", id: 4, method: "ping" },
  ].map((message) => JSON.stringify(message));
  project.write("in.txt", [...messages.slice(0, 3), "no JSON", "{}", "[1", ...messages.slice(3), ""].join("\n"));
  const running = launch(["-c", `exec ${IN_SHELL} mcp < in.txt`], {
    cwd: project.folder,
    program: "bash",
    variables: COMPILED,
  });
  const ended = await running.ended;
  expect(ended.code, ended.transcript).toBe(0);
  const answers = ended.lines.filter((line) => line !== "").map((line) => JSON.parse(line) as { id: number; error?: object });
  expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 2, 3, 4]));
  expect(answers.find(({ id }) => id === 3)?.error).toMatchObject({ code: -32_601 });
  const unknown = await project.run("mcp", "--allow-writes", "production");
  expect(unknown.code, unknown.transcript).toBe(2);
  expect(unknown.stderr).toContain('there is no environment "production" here');
});
