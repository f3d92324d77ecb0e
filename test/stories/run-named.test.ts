import { join } from "node:path";
import { expect, test } from "vitest";
import { PLAIN_HINT } from "../../src/base/command-line.ts";
import { RunReference } from "../../src/cli/runs/run-reference.ts";
import { buildProgram } from "../../src/cli/program/program.ts";
import { pagesOver } from "../../src/cli/web/pages.ts";
import { MINT_ONCE, newProject, runIn } from "./world.ts";
import { silentShell } from "../unit/cli/shell.ts";

const OPEN = MINT_ONCE.replace(', maxMintQuantity: "100"', "");

test("every command that takes a run takes `latest`, or a part of its id that no other id has", async () => {
  const project = newProject();
  project.write("mint.yaml", MINT_ONCE);
  project.write("open.yaml", OPEN);
  const [first, killed] = [
    await project.run("run", "mint.yaml"),
    await project.as({ ...project.variables, TOKENBOOK_FAILPOINT: "sent@mint" }).run("run", "open.yaml"),
  ];
  const [passed, open] = [runIn(first), runIn(killed)];
  const part = passed.slice(-8);

  for (const named of [passed, part, part.slice(0, 6)]) {
    const shown = await project.run("runs", "show", named);
    expect([shown.code, shown.lines[0]], shown.transcript).toEqual([0, expect.stringContaining(`run ${passed}`)]);
    for (const command of [
      ["runs", "export", named],
      ["runs", "verify", named],
      ["report", named, "--format", "tap"],
    ]) {
      const ended = await project.run(...command);
      expect([ended.code, ended.stdout], ended.transcript).toEqual([
        0,
        expect.stringContaining(command[0] === "report" ? "mint" : passed),
      ]);
    }
    const resumed = await project.run("resume", named);
    expect([resumed.code, runIn(resumed)], resumed.transcript).toEqual([0, passed]);
  }
  for (const named of ["latest", open.slice(-8)]) {
    const listed = await project.json("resolve", named);
    expect(listed.data, listed.transcript).toMatchObject({ run: open, unknown: [{ step: "mint" }] });
    const held = await project.run("runs", "release", named, "--because", "it is gone");
    expect([held.code, held.stderr], held.transcript).toEqual([2, expect.stringContaining(`no process holds the run ${open}`)]);
  }
  for (const named of ["latest", open.slice(-8)]) {
    const steps = await project.run("complete", "--", `tokenbook resolve ${named} --step `);
    expect(steps.stdout, steps.transcript).toContain("mint\tledger.token.mint");
  }
  const pages = pagesOver(join(project.folder, ".tokenbook"), PLAIN_HINT);
  const asked = (path: string, query = ""): ReturnType<typeof pages> => pages({ path, query: new URLSearchParams(query) });
  for (const named of ["latest", open.slice(-8)]) {
    expect(asked(`/runs/${named}`)).toMatchObject({ status: 200, body: expect.stringContaining(open) });
    expect(asked(`/runs/${named}/events`)).toMatchObject({ status: 200, type: "application/json" });
    expect(asked("/compare/", `run=${named}&run=${part}`)).toMatchObject({ status: 200, body: expect.stringContaining(passed) });
  }
  expect(asked("/runs/2")).toMatchObject({ status: 404, body: expect.stringContaining(passed) });
  const resolved = await project.json("resolve", open.slice(-8), "--step", "mint", "--as", "absent", "--because", "I looked");
  expect(resolved.data, resolved.transcript).toMatchObject({ run: open, verdict: "absent" });
});

test("a part that several ids have lists them, and one that none has is reported", async () => {
  const project = newProject({});
  project.write(
    "look.yaml",
    'playbook: 1\nmode: read-only\ndefaults: { as: { ledger: "userId:alice" } }\nsteps: [{ uses: ledger.asset.stats }]\n',
  );
  const ids = [runIn(await project.run("run", "look.yaml")), runIn(await project.run("run", "look.yaml"))];
  const shared = ids[0]?.slice(0, 8) ?? "";
  for (const command of [["runs", "show"], ["resume"], ["resolve"], ["runs", "export"], ["runs", "verify"]]) {
    const ended = await project.run(...command, shared);
    expect([ended.code, ended.stderr], ended.transcript).toEqual([2, expect.stringContaining("journal.several-runs")]);
    for (const id of ids) expect(ended.stderr, ended.transcript).toContain(id);
  }
  const none = await project.run("runs", "show", "nothing-like-it");
  expect([none.code, none.stderr], none.transcript).toEqual([2, expect.stringContaining('there is no run "nothing-like-it"')]);
});

test("no command that takes a run receives the unresolved text that the user typed", () => {
  const takers: string[] = [];
  const visit = (command: ReturnType<typeof buildProgram>): void => {
    for (const argument of command.registeredArguments.filter((each) => /^runs?$/.test(each.name()))) {
      takers.push(command.name());
      const parsed: unknown = argument.parseArg?.("latest", undefined as never);
      expect([parsed].flat()[0], command.name()).toBeInstanceOf(RunReference);
    }
    command.commands.forEach(visit);
  };
  visit(buildProgram(silentShell()));
  expect(takers.toSorted()).toEqual([
    "coverage",
    "drop-exchanges",
    "export",
    "release",
    "report",
    "resolve",
    "resume",
    "show",
    "verify",
  ]);
});
