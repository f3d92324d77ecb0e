import { realpathSync } from "node:fs";
import { relative, resolve as resolvePath } from "node:path";
import { command } from "../../base/command-line.ts";
import { EXIT, type ExitCode } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";
import { parseJson } from "../../base/json/json.ts";
import { quoted } from "../../base/text/text.ts";
import { present } from "../../base/present.ts";
import { readPlan } from "../../planner/read-plan.ts";
import { planLines } from "../../report/plan/text.ts";
import { check } from "../commands/start/check.ts";
import { listDrifts, showDrift } from "../commands/see/drift.ts";
import { operations } from "../commands/reference/operations.ts";
import { report } from "../commands/see/report.ts";
import { resolve } from "../commands/run/resolve.ts";
import { resume } from "../commands/run/resume.ts";
import { run } from "../commands/run/run.ts";
import { listRuns } from "../commands/see/runs.ts";
import { assertCallersProject, inProjectOf, projectOfFile } from "../project/chosen-project.ts";
import type { Dotenv } from "../project/state-place.ts";
import { playbookFiles } from "../project/load-playbooks.ts";
import { shipped } from "../project/shipped.ts";
import { callersKey } from "../program/arguments.ts";
import { lookIntoJournal } from "../runs/open-journal.ts";
import { makePlan } from "../runs/planning.ts";
import { readyPlaybooks } from "../runs/prepare-playbooks.ts";
import { RunReference } from "../runs/run-reference.ts";
import type { Shell } from "../shell.ts";
import type { KeptPlans } from "./plans.ts";
import type { ToolName } from "./tool-words.ts";
import type { PlanRequest } from "../../report/plan/shape.ts";

/** What the tools work with. */
export interface Desk {
  /** Where runs are stored, and which dotenv file is used. */
  readonly where: Dotenv & { readonly state?: string };
  /** The environment in which runs may write. If left out, none. */
  readonly writesIn: string | undefined;
  /** Returns the stored plans, which the first call opens. Throws a Failure. */
  readonly plans: () => KeptPlans;
}

/** Does what a tool is for; what it prints on the shell is the answer. What it is given fits its schema. */
export type CallTool = (shell: Shell, desk: Desk, given: never) => Promise<ExitCode>;

// The report is the answer.
const MARKDOWN = { report: [{ format: "md", file: "-" }], quiet: true } as const;

/** What each tool does. */
export const TOOLS: Readonly<Record<ToolName, CallTool>> = {
  operations: (shell, _desk, { words = "" }: { words?: string }) =>
    operations(shell, { name: words.split(/\s+/).filter((word) => word !== "") }),
  check: (shell, _desk, { playbook }: { playbook: string }) => check(shell, { files: [playbookHere(shell, playbook)] }),
  plan: planned,
  run: runPlan,
  resume: async (shell, { where, writesIn }, given: { run: string }) => {
    const reference = new RunReference(given.run);
    const environment = lookIntoJournal(shell, where, (store) => store.summary(reference.in(store)).environment);
    if (environment !== writesIn) throw elsewhere("the run acts", environment, writesIn);
    return resume(shell, { ...where, ...MARKDOWN, run: reference, env: environment });
  },
  status: async (shell, { where }, { run: id, key }: { run?: string; key?: string }) => {
    if (id !== undefined) return shown(shell, where, id);
    if (key === undefined) return listRuns(shell, { ...where, limit: LISTED_RUNS });
    const named = lookIntoJournal(shell, where, (store) => store.withKey(callersKey(key)));
    if (named === undefined) throw noRun(key);
    return shown(shell, where, named.id);
  },
  "explain-unknown": async (shell, { where }, { run: id }: { run: string }) => {
    await resolve(shell, { ...where, run: new RunReference(id) });
    return shown(shell, where, id);
  },
  drift: (shell, { where }, { drift }: { drift?: string }) =>
    drift === undefined ? listDrifts(shell, { ...where, limit: LISTED_DRIFTS }) : showDrift(shell, { ...where, drift }),
};

const LISTED_RUNS = 20;
const LISTED_DRIFTS = 100;

type PlanGiven = Pick<PlanRequest, "playbook"> & Partial<PlanRequest>;

async function planned(plainShell: Shell, { where, plans }: Desk, given: PlanGiven): Promise<ExitCode> {
  const playbook = playbookHere(plainShell, given.playbook);
  const { inputs: input = {}, environment: env } = given;
  const files = playbookFiles(plainShell, [playbook]);
  const shell = inProjectOf(plainShell, files.files, where);
  const options = { ...where, ...present({ env }), files: files.files, input };
  const { plan, json, redact } = await makePlan(shell, options, readyPlaybooks(shell, options, files));
  for (const each of plan.plans) shell.stdout.write(`${redact(planLines(each, plan.target).join("\n"))}\n`);
  if (!plan.ok) {
    shell.stdout.write("This plan cannot be run.\n");
    return EXIT.failed;
  }
  const { environment } = plan.target;
  const digest = plans().keep(readPlan("the plan", parseJson(json)), { playbook, inputs: input, environment });
  shell.stdout.write(`plan ${digest}\nfile ${relative(shell.cwd, plans().file(digest))}\n`);
  return EXIT.passed;
}

async function runPlan(shell: Shell, { where, writesIn, plans }: Desk, given: { plan: string; key: string }): Promise<ExitCode> {
  const key = callersKey(given.key);
  const { playbook, inputs, environment } = plans().find(given.plan);
  if (environment !== writesIn) throw elsewhere("the plan was made", environment, writesIn);
  plans().bind(given.plan, key);
  const plan = plans().file(given.plan);
  return run(shell, { ...where, ...MARKDOWN, files: [playbook], input: inputs, env: environment, plan, key, jobs: 1 });
}

function shown(shell: Shell, where: Desk["where"], named: string): Promise<ExitCode> {
  return report(shell, { ...where, runs: [new RunReference(named)], report: [], format: "md" });
}

// An assistant must not read other files through us, not even through a message that quotes them.
function playbookHere(shell: Shell, name: string): string {
  const { cwd } = shell;
  if (shipped.read(name) !== undefined) return name;
  if (/\.ya?ml$/i.test(name) && isWithin(resolvePath(cwd, name), cwd) && isWithin(realPath(cwd, name), realpathSync(cwd))) {
    assertCallersProject(shell, projectOfFile(cwd, name));
    return name;
  }
  throw new Failure({
    code: "mcp.playbook",
    message: `${quoted(name)} is no YAML file in the folder of this server`,
    why: "an assistant names playbooks in the folder in which the server was started, and those that come with tokenbook",
    next: "name a playbook by its path from that folder",
  });
}

function isWithin(path: string, folder: string): boolean {
  return !/^\.\.(?:[\\/]|$)|^[\\/]/.test(relative(folder, path));
}

// For a missing file, the message comes from the code that reads it.
function realPath(cwd: string, name: string): string {
  try {
    return realpathSync(resolvePath(cwd, name));
  } catch {
    return realpathSync(cwd);
  }
}

function elsewhere(what: string, environment: string, writesIn: string | undefined): Failure {
  return new Failure({
    code: "mcp.environment",
    message: `${what} in the environment ${environment}, and this server may write in ${writesIn ?? "none"} only`,
    why: "whoever started the server decides where an assistant may write; nothing was sent",
    next: ["plan for that environment, or have a person start:", command`mcp --allow-writes ${environment}`],
  });
}

function noRun(key: string): Failure {
  return new Failure({
    code: "mcp.no-run",
    message: `no run has the key ${key}`,
    why: "a run gets its key with its first record, before anything is sent",
    next: "call run with this key",
  });
}
