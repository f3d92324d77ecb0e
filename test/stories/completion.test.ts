import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { losingMint } from "./desk.ts";
import { proxyTo } from "./proxy.ts";
import { inShellOf, isThere, scriptOf, shellProject } from "./shells.ts";
import { MINT_ONCE, newProject, type Project, runIn, servedSandbox, temporaryFolder } from "./world.ts";

/** What a shell offers at the end of a command line. */
type Offers = (project: Project, line: string) => readonly string[];

interface ShellAtHand {
  readonly name: "bash" | "zsh" | "fish";
  readonly offers: Offers;
}

const SHELLS: readonly ShellAtHand[] = [
  {
    name: "bash",
    offers: (project, line) => {
      const words = line.split(" ").map((word) => `'${word}'`);
      return inShell("bash", project, [
        `source ${scriptOf(project, "bash")}; source ${scriptOf(project, "bash")}`,
        "compopt() { :; }",
        `COMP_LINE='${line}'; COMP_POINT=${line.length}`,
        `__tokenbook_complete tokenbook ${words.at(-1)}`,
        'printf "%s\\n" "${COMPREPLY[@]}"',
      ]);
    },
  },
  {
    name: "zsh",
    offers: (project, line) => {
      const words = line.split(" ").map((word) => `'${word}'`);
      return inShell("zsh", project, [
        "compdef() { :; }",
        `source ${scriptOf(project, "zsh")}`,
        "compadd() { print -rl -- $values; }",
        `words=(${words.join(" ")}); CURRENT=${words.length}; PREFIX=${words.at(-1)}`,
        "_tokenbook",
      ]);
    },
  },
  {
    name: "fish",
    offers: (project, line) =>
      inShell("fish", project, [`source ${scriptOf(project, "fish")}`, `complete -C '${line}'`]).map(
        (offer) => offer.split("\t")[0] ?? "",
      ),
  },
];

function inShell(shell: string, project: Project, lines: readonly string[]): readonly string[] {
  const { stdout, stderr } = inShellOf(project, [shell, "-c", lines.join("\n")]);
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

describe.for(SHELLS)("$name", ({ name, offers }) => {
  test.runIf(isThere(name))("the shell offers commands, options, environments, operations, playbooks and files", async () => {
    const project = await shellProject();
    project.write("tokenbook.yaml", "environments:\n  staging: embedded\n  production: embedded\n");
    project.write("playbooks/mint.yaml", MINT_ONCE);
    project.write("notes.txt", "");
    expect(offers(project, "tokenbook res").toSorted()).toEqual(["resolve", "resume"]);
    expect(offers(project, "tokenbook runs sh")).toEqual(["show"]);
    expect(offers(project, "tokenbook run --env ").toSorted()).toEqual(["production", "staging"]);
    expect(offers(project, "tokenbook run --env staging --in").toSorted()).toEqual(["--input", "--inputs"]);
    expect(offers(project, "tokenbook operations ledger.token.m")).toEqual(["ledger.token.mint"]);
    expect(offers(project, "tokenbook library cr")).toEqual(["create-token"]);
    expect(offers(project, "tokenbook schema pl").toSorted()).toEqual(["plan", "playbook"]);
    expect(offers(project, "tokenbook check --format s")).toEqual(["sarif"]);
    expect(offers(project, "tokenbook run playbooks/m")).toEqual(["playbooks/mint.yaml"]);
    project.write(
      "given.yaml",
      MINT_ONCE.replace("steps:", "inputs: { amount: { type: decimal }, holder: { type: entity } }\nsteps:"),
    );
    expect(offers(project, "tokenbook plan given.yaml --env staging --input am")).toEqual(["amount="]);
    expect(offers(project, "tokenbook run given.yaml playbooks --input amount=1 --input ").toSorted()).toEqual([
      "amount=",
      "holder=",
    ]);
    expect(offers(project, "tokenbook completion ba")).toEqual(["bash"]);
    expect(offers(project, "tokenbook nothing ")).toEqual([]);
  });
});

test("completion offers the runs of the journal, and the steps that need a decision", async () => {
  const project = await shellProject();
  const service = await servedSandbox();
  const proxy = await proxyTo(service.url);
  const acting = project.as({
    LEDGER_KEY: "sandbox-ledger-key",
    BUYER_KEY: "sandbox-buyer-key",
    SECOND_BUYER_KEY: "sandbox-second-buyer-key",
  });
  project.serviceAt(proxy.url);
  project.write("mint.yaml", MINT_ONCE);
  const passed = await acting.run("run", "mint.yaml");
  const stopped = await losingMint({ project: acting, proxy });
  const asked = async (...words: string[]): Promise<readonly string[]> =>
    (await project.run("complete", "--", ["tokenbook", ...words].join(" "))).lines;
  expect(await asked("resume", "")).toEqual([`${runIn(stopped)}\tunknown, mint.yaml`]);
  const shown = (await asked("runs", "show", "")).map((line) => line.split("\t")[0]);
  expect(shown).toEqual(["latest", runIn(stopped), runIn(passed)]);
  expect(await asked("resolve", runIn(stopped), "--step", "")).toEqual(["mint\tledger.token.mint"]);
});

test("completion adds no space after a folder, offers no name that a shell would run, and never fails", async () => {
  const project = newProject({});
  const asked = async (...words: string[]): Promise<readonly string[]> =>
    (await project.run("complete", "--", ["tokenbook", ...words].join(" "))).lines;
  project.write("playbooks/a.yaml", MINT_ONCE);
  expect(await asked("run", "pl")).toEqual(["playbooks/\t"]);
  project.write("größe/ö.yaml", MINT_ONCE);
  expect(await asked("run", "gr")).toEqual(["größe/\t"]);
  project.write("tokenbook.yaml", 'environments:\n  good: embedded\n  "$(touch pwned)": embedded\n');
  expect(await asked("run", "--env", "")).toEqual(["good\tthe sandbox inside tokenbook"]);
  expect(await asked("run", "--env=go")).toEqual(["--env=good\tthe sandbox inside tokenbook"]);
  project.write("tokenbook.yaml", "environments: [");
  expect(await asked("run", "--env", "")).toEqual([]);
  project.write(".tokenbook/journal.db", "no database");
  expect(await asked("resume", "")).toEqual([]);
  expect(await asked()).toEqual(expect.arrayContaining([expect.stringMatching(/^doctor\t/)]));
});

test("completion prints a script for PowerShell, and refuses an unknown shell", async () => {
  const project = newProject({});
  expect((await project.run("completion", "powershell")).stdout).toContain("Register-ArgumentCompleter");
  const other = await project.run("completion", "csh");
  expect(other.code).toBe(2);
  expect(other.stderr).toContain("bash, zsh, fish, powershell");
  const file = join(temporaryFolder(), "script");
  writeFileSync(file, (await project.run("completion", "bash")).stdout);
  execFileSync("bash", ["-n", file]);
});
