import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "parse5";
import { expect, test } from "vitest";
import { comparisonIn } from "./comparison.ts";
import { viewing } from "./viewing.ts";
import { KEYS, newProject, type Project, servedSandbox } from "./world.ts";

const HOSTILE = '<script>alert("1")</script>';
const REGISTER = `playbook: 1
name: Nightly
mode: read-only
actors: { auditor: { ledger: "userId:alice" } }
inputs:
  expected: { type: list, items: { type: object, properties: { token: { type: string }, supply: { type: decimal } } } }
reconcile:
  - id: tokens
    name: Register against ledger
    left: { name: register, rows: inputs.expected, key: { token: row.token }, value: row.supply, combine: sum }
    right: { name: ledger, as: auditor, read: ledger.token.list, key: { token: row.symbol }, value: row.totalSupply }
    totals: token
    recheck: 10ms
`;
const MINTED = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - id: token
    uses: ledger.token.create
    with: { name: Gold, symbol: GLD, behaviour: { decimal: 2, maxMintQuantity: "1000.00", transferable: true, burnable: true } }
  - id: mint
    uses: ledger.token.mint
    with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: "100.25" }
`;
const ELSEWHERE = `playbook: 1
mode: read-only
reconcile:
  - id: totals
    left: { rows: '[{"v": 5}]', key: { all: '"all"' }, value: row.v }
    right: { rows: '[{"v": 5}]', key: { all: '"all"' }, value: row.v }
`;
const HAS_TOOLS = ["openssl", "ssh-keygen"].every((tool) => spawnSync("which", [tool]).status === 0);
if (!HAS_TOOLS) process.stderr.write("\nno openssl or no ssh-keygen: the tests of signed pages are skipped\n");

/** A project with two nights of a comparison, and the run of the last night. */
async function nights(): Promise<{ readonly project: Project; readonly run: string; readonly drifts: readonly string[] }> {
  const { url } = await servedSandbox();
  const project = newProject();
  project.serviceAt(url);
  project.write("mint.yaml", MINTED);
  project.write("nightly.yaml", REGISTER);
  // More rows than a run keeps, most of them without a value (a sum of 0), and two texts that a page must escape.
  const rows = Array.from({ length: 210 }, (_, at) => ({ token: `T${at}`, supply: "0" }));
  const odd = [HOSTILE, KEYS["LEDGER_KEY"] ?? ""].map((token) => ({ token, supply: "2" }));
  project.write(
    "expected.json",
    JSON.stringify({ expected: [{ token: "GLD", supply: "100.500000000000000001" }, ...odd, ...rows] }),
  );
  expect((await project.run("run", "mint.yaml")).code).toBe(0);
  await project.run("run", "nightly.yaml", "--inputs", "expected.json");
  const last = await project.json("run", "nightly.yaml", "--inputs", "expected.json");
  expect(last.code, last.transcript).toBe(3);
  const drifts = comparisonIn(last.data, "reconcile.tokens").drifts;
  return { project, run: last.data.reports[0]?.run.id ?? "", drifts: drifts.map(({ id }) => id) };
}

function textOf(html: string): string {
  const texts: string[] = [];
  const walk = (node: object): void => {
    if ("value" in node) texts.push(String(node.value));
    if ("childNodes" in node) for (const child of node.childNodes as object[]) walk(child);
  };
  walk(parse(html));
  return texts.join(" ").replaceAll(/\s+/g, " ");
}

test("an auditor finds the totals, the reads, the rows, the drifts with both records, who acknowledged them, and the digest", async () => {
  const { project, run, drifts } = await nights();
  const listed = await project.json("drift", "list", "--limit", "300");
  const { drifts: known } = JSON.parse(listed.stdout) as { drifts: { id: string; key: { token?: string } }[] };
  const differing = known.find(({ key }) => key.token === "GLD")?.id ?? "";
  expect(drifts).toContain(differing);
  await project.run("drift", "ack", differing, "--because", `a ${HOSTILE} refund`, "--until", "2099-01-01");
  await project.run("drift", "ack", differing, "--because", `a ${HOSTILE} refund`, "--until", tomorrow());
  const made = await project.run("drift", "page", "--out", "pages/tokens.html");
  expect(made.code, made.transcript).toBe(0);
  expect(made.stdout).toBe("the page is in pages/tokens.html\n");

  const html = project.read("pages/tokens.html");
  const text = textOf(html);
  expect(html).not.toContain(HOSTILE);
  expect(html).not.toContain(KEYS["LEDGER_KEY"]);
  expect(text).toContain(`a ${HOSTILE} refund`);
  expect(text).toContain(` ${tomorrow()} `);
  expect(text).toContain("register 213 213 104.500000000000000001");
  expect(text).toContain("ledger 1 1 100.25");
  expect(text).toContain("inputs.expected");
  expect(text).toMatch(/ledger ledger\.token\.list auditor 1 1 \d+ /);
  expect(text).toContain("token GLD 100.500000000000000001 100.25 0.250000000000000001");
  expect(text).toContain("The first 200 of 213 keys; a run keeps no more.");
  // The command reads as the entity. Its name may differ from the actor's name.
  const [, again = ""] = /tokenbook (call ledger\.token\.list \S+ \S+ --env here)/.exec(text) ?? [];
  expect(again).toBe("call ledger.token.list --as userId:alice --env here");
  const called = await project.run(...again.split(" "));
  expect(called.stdout, called.transcript).toContain('"totalSupply": 100.25');
  expect(text).toContain(`Drift ${differing}: token GLD`);
  expect(text).toContain('"totalSupply": 100.25');
  expect(text).toContain("The last 2 runs that compared This page does not list runs that ended before they compared");
  expect(html.match(/<svg /g)).toHaveLength(2);
  const verified = await project.run("runs", "verify", run);
  const [, digest = ""] = /the last ([0-9a-f]{64})/.exec(verified.stdout) ?? [];
  expect(digest, verified.transcript).not.toBe("");
  expect(html.split(`title="${digest}"`)).toHaveLength(3); // at the head, and in the list of runs
});

function tomorrow(): string {
  return new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
}

test("drift page refuses an ambiguous or misspelt comparison, and one whose run is gone", async () => {
  const project = newProject();
  const none = await project.run("drift", "page", "--out", "page.html");
  expect(none.code, none.transcript).toBe(2);
  expect(none.stderr).toContain("nothing has been compared here yet");
  project.write("one.yaml", ELSEWHERE);
  project.write("two.yaml", ELSEWHERE);
  for (const file of ["one.yaml", "two.yaml"]) expect((await project.run("run", file)).code).toBe(0);
  const several = await project.run("drift", "page", "totals", "--out", "page.html");
  expect(several.stderr, several.transcript).toContain("several comparisons fit");
  expect(several.stderr).toContain("tokenbook drift page totals two.yaml sandbox --out page.html");
  const misspelt = await project.run("drift", "page", "total", "--out", "page.html");
  expect(misspelt.stderr, misspelt.transcript).toContain("did you mean totals?");
  const unnamed = await project.run("drift", "page", "totals");
  expect(unnamed.stderr, unnamed.transcript).toContain("name the file of the page");
  expect(existsSync(join(project.folder, "page.html"))).toBe(false);
  const only = await project.run("drift", "page", "two.yaml", "--out", "page.html");
  expect(only.code, only.transcript).toBe(0);
  expect(textOf(project.read("page.html"))).toContain("1 key compared in 1 look: no drift");
  rmSync(join(project.folder, ".tokenbook/journal.db"));
  rmSync(join(project.folder, ".tokenbook/journal.tail"), { force: true });
  const lost = await project.run("drift", "page", "two.yaml", "--out", "page.html");
  expect(lost.code, lost.transcript).toBe(2);
});

test("a run that could not compare leaves no page on which all is well", async () => {
  const project = await compared();
  project.write("one.yaml", ELSEWHERE.replaceAll(/\[\{"v": 5\}\]/g, '[{"v": 5}].filter(r, r.v > 5)'));
  const empty = await project.run("run", "one.yaml");
  expect(empty.code, empty.transcript).toBe(1);
  expect(empty.transcript).toContain("reconcile.empty");
  await project.run("drift", "page", "--out", "page.html");
  const text = textOf(project.read("page.html"));
  expect(text).toContain("✗ failed totals A later run has not finished this comparison.");
  expect(text).not.toContain("✓ ok");
  project.write("one.yaml", ELSEWHERE);
  expect((await project.run("run", "one.yaml")).code).toBe(0);
  await project.run("drift", "page", "--out", "page.html");
  expect(textOf(project.read("page.html"))).toContain("✓ ok totals 1 key compared");
  expect((await project.run("drift", "list")).stdout).toBe("no drift\n");

  project.write(
    "one.yaml",
    ELSEWHERE.replace("reconcile:", "steps: [{ uses: ledger.token.get, with: { id: Missing } }]\nreconcile:"),
  );
  const before = await project.run("run", "one.yaml");
  expect(before.code, before.transcript).toBe(1);
  await project.run("drift", "page", "--out", "page.html");
  expect(textOf(project.read("page.html"))).toContain("totals A later run has not finished this comparison.");
  expect((await project.run("drift", "list")).stdout).toMatch(/^1 comparison was not finished by its last run/);
});

test("the first page of the web view names a comparison that a passed run skipped", async () => {
  const project = newProject();
  project.write("one.yaml", ELSEWHERE);
  const inputs = "inputs: { go: { type: boolean, default: true } }";
  project.write(
    "some.yaml",
    `playbook: 1\nmode: read-only\n${inputs}\nsteps: [{ id: may, if: inputs.go, uses: ./one.yaml }, { id: does, uses: ./one.yaml }]\n`,
  );
  for (const go of ["true", "false"]) {
    const run = await project.run("run", "some.yaml", "--input", `go=${go}`);
    expect(run.code, run.transcript).toBe(0);
  }
  const { get } = await viewing(project);
  const overview = textOf(await (await get("overview/")).text());
  expect(overview).toContain("! not compared 1 comparison was not finished by its last run");
  expect(overview).not.toContain("Nothing needed attention");
});

async function compared(): Promise<Project> {
  const project = newProject();
  project.write("one.yaml", ELSEWHERE);
  expect((await project.run("run", "one.yaml")).code).toBe(0);
  return project;
}

function sshKey({ folder }: Project, name: string, ...options: string[]): string {
  execFileSync("ssh-keygen", ["-q", "-f", join(folder, name), "-C", "auditor", ...options]);
  return name;
}

function pemKey({ folder }: Project, name: string, ...options: string[]): string {
  execFileSync("openssl", [...options, "-out", join(folder, name)], { stdio: "ignore" });
  chmodSync(join(folder, name), 0o600);
  return name;
}

const SIGNING: Readonly<Record<string, (project: Project) => string>> = {
  "OpenSSH Ed25519": (project) => sshKey(project, "ssh-ed25519", "-t", "ed25519", "-N", ""),
  "OpenSSH ECDSA": (project) => sshKey(project, "ssh-ecdsa", "-t", "ecdsa", "-b", "521", "-N", ""),
  "OpenSSH RSA": (project) => sshKey(project, "ssh-rsa", "-t", "rsa", "-b", "2048", "-N", ""),
  "PEM Ed25519": (project) => pemKey(project, "ed25519.pem", "genpkey", "-algorithm", "ed25519"),
  "PEM EC, after its parameters": (project) => pemKey(project, "ec.pem", "ecparam", "-genkey", "-name", "prime256v1"),
  "PEM RSA": (project) => pemKey(project, "rsa.pem", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"),
};

test.skipIf(!HAS_TOOLS)("the printed commands accept a signed page, and reject it after a change", async () => {
  const project = await compared();
  for (const [kind, make] of Object.entries(SIGNING)) {
    const made = await project.run("drift", "page", "--out", "it's signed.html", "--sign", make(project));
    expect(made.code, `${kind}: ${made.transcript}`).toBe(0);
    const verify = (): number | null =>
      spawnSync("bash", ["-e"], { cwd: project.folder, input: made.lines.slice(1).join("\n") }).status;
    expect(verify(), `${kind}: ${made.transcript}`).toBe(0);
    const page = join(project.folder, "it's signed.html");
    writeFileSync(page, readFileSync(page, "utf8").replace("no drift", "no drifts"));
    expect(verify(), `${kind}: ${made.transcript}`).not.toBe(0);
  }
});

const REFUSED: Readonly<Record<string, readonly [words: string, make: (project: Project) => string]>> = {
  "an OpenSSH key with a passphrase": [
    "is protected by a passphrase, and tokenbook asks for none",
    (project) => sshKey(project, "locked", "-t", "ed25519", "-N", "sesame"),
  ],
  "a PEM key with a passphrase": [
    "is protected by a passphrase, and tokenbook asks for none",
    (project) => pemKey(project, "locked.pem", "genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:sesame"),
  ],
  "a public key": ["is a public key or a certificate", (project) => `${sshKey(project, "pair", "-t", "ed25519", "-N", "")}.pub`],
  "a key that others may read": [
    "others than its owner may read or write the key open",
    (project) => {
      chmodSync(join(project.folder, sshKey(project, "open", "-t", "ed25519", "-N", "")), 0o644);
      return "open";
    },
  ],
  "a key without one of its parts": [
    "is damaged, or not whole",
    (project) => {
      const file = join(project.folder, sshKey(project, "part", "-t", "ed25519", "-N", ""));
      writeFileSync(file, readFileSync(file, "utf8").replace(/\n.*\n(?=-----END)/, "\n"));
      return "part";
    },
  ],
  "a short key": [
    "has fewer than 2048 bits",
    (project) => pemKey(project, "short.pem", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"),
  ],
  "an EC key of 112 bits": [
    "fewer than 256 bits",
    (project) => pemKey(project, "ec112.pem", "ecparam", "-genkey", "-noout", "-name", "secp112r1"),
  ],
  "an EC key of 192 bits": [
    "fewer than 256 bits",
    (project) => pemKey(project, "ec192.pem", "ecparam", "-genkey", "-noout", "-name", "prime192v1"),
  ],
  "an EC key with a curve of its own": [
    "is not known here",
    (project) => pemKey(project, "own.pem", "ecparam", "-genkey", "-noout", "-name", "prime192v1", "-param_enc", "explicit"),
  ],
  "a key that cannot sign": [
    "is of a kind that cannot sign here",
    (project) => pemKey(project, "x.pem", "genpkey", "-algorithm", "x25519"),
  ],
  "a text": ["holds no private key", () => "one.yaml"],
  "no file": ["cannot be read", () => "nowhere"],
  "a folder": ["only regular files are read", () => ".tokenbook"],
};

test.skipIf(!HAS_TOOLS)("drift page writes no page when its key cannot sign", async () => {
  const project = await compared();
  for (const [kind, [words, make]] of Object.entries(REFUSED)) {
    const refused = await project.run("drift", "page", "--out", "never.html", "--sign", make(project));
    expect(refused.code, `${kind}: ${refused.transcript}`).toBe(2);
    expect(refused.stderr, kind).toContain(words);
    expect(refused.stderr, kind).not.toContain("PRIVATE KEY-----");
    expect(existsSync(join(project.folder, "never.html")), kind).toBe(false);
  }
});
