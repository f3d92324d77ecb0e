// The files under deploy/, and the commands of docs/scheduling.md: that they can be read, and that the commands and options in them exist.
import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { buildProgram } from "../../../src/cli/program.ts";
import { silentShell } from "./shell.ts";

const program = buildProgram(silentShell());

/** Holds that a command exists, and each option that it is given. */
function expectKnown(line: string): void {
  const [name, ...words] = line.replaceAll(/"[^"]*"/g, "TEXT").split(/\s+/);
  expect(name, line).toBe("tokenbook");
  let command = program;
  for (const word of words) command = command.commands.find((each) => each.name() === word) ?? command;
  expect(command, line).not.toBe(program);
  const known = command.options.map(({ long }) => long);
  for (const option of words.filter((word) => word.startsWith("--"))) expect(known, line).toContain(option.replace(/=.*/, ""));
}

interface Job {
  readonly containers: readonly { readonly command: readonly string[]; readonly ports?: readonly { containerPort: number }[] }[];
  readonly hostname: string;
  readonly terminationGracePeriodSeconds: number;
}

function unitOf(file: string): ReadonlyMap<string, string> {
  const lines = readFileSync(file, "utf8").split("\n");
  for (const line of lines) expect(line, file).toMatch(/^(?:#.*|\[(?:Unit|Service|Timer|Install)\]|[A-Z][A-Za-z]+=.+|)$/);
  return new Map(
    lines.flatMap((line) =>
      /^[A-Z]/.test(line) ? [[line.split("=")[0] ?? "", line.slice(line.indexOf("=") + 1)] as const] : [],
    ),
  );
}

describe("the files under deploy/", () => {
  test("each is looked at below", () => {
    expect(globSync("deploy/**/*.*").toSorted()).toEqual([
      "deploy/github/reconcile.yaml",
      "deploy/kubernetes/cronjob.yaml",
      "deploy/kubernetes/deployment.yaml",
      "deploy/systemd/tokenbook-once@.service",
      "deploy/systemd/tokenbook-once@.timer",
      "deploy/systemd/tokenbook-schedule.service",
    ]);
  });

  test.for(["tokenbook-schedule.service", "tokenbook-once@.service"])(
    "%s starts a command that exists, and gives it time to stop",
    (name) => {
      const unit = unitOf(`deploy/systemd/${name}`);
      expectKnown(unit.get("ExecStart")?.replace("/usr/bin/env ", "") ?? "");
      expect(Number(unit.get("TimeoutStopSec"))).toBeGreaterThanOrEqual(80);
      expect(unit.get("User")).not.toBe("root");
    },
  );

  test("the timer is of the unit beside it", () => {
    expect(unitOf("deploy/systemd/tokenbook-once@.timer").get("OnCalendar")).toMatch(/^\S+ \d\d:\d\d:\d\d \w+\/\w+$/);
    expect(existsSync("deploy/systemd/tokenbook-once@.service")).toBe(true);
  });

  test.for(["cronjob", "deployment"])("kubernetes/%s.yaml is valid YAML, and its pod runs a command that exists", (name) => {
    const documents = parseAllDocuments(readFileSync(`deploy/kubernetes/${name}.yaml`, "utf8"));
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    const [first] = documents.map(
      (document) =>
        document.toJS() as { spec: { template?: { spec: Job }; jobTemplate?: { spec: { template: { spec: Job } } } } },
    );
    const pod = first?.spec.template?.spec ?? first?.spec.jobTemplate?.spec.template.spec;
    expectKnown(pod?.containers[0]?.command.join(" ") ?? "");
    expect(pod?.hostname).toBe("tokenbook");
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(80);
  });

  test("github/reconcile.yaml is valid YAML, and runs a command that exists", () => {
    const workflow = parse(readFileSync("deploy/github/reconcile.yaml", "utf8")) as {
      jobs: { reconcile: { steps: readonly { run?: string; uses?: string; with?: { key?: string } }[] } };
    };
    const { steps } = workflow.jobs.reconcile;
    expect(steps.findIndex(({ run }) => run === "sudo hostname tokenbook")).toBeGreaterThanOrEqual(0);
    const caches = steps.filter(({ uses }) => uses?.startsWith("actions/cache/") === true);
    expect(caches.map(({ with: { key } = {} }) => key)).toEqual(
      Array.from({ length: 2 }, () => "tokenbook-${{ github.run_id }}-${{ github.run_attempt }}"),
    );
    const commands = steps.flatMap(({ run }) => (run?.startsWith("npx ") === true ? [run] : []));
    expect(commands).toHaveLength(1);
    for (const command of commands) expectKnown(command.replace("npx --no-install ", ""));
  });
});

test("every command of the page on scheduling exists, with its options", () => {
  const page = readFileSync("docs/scheduling.md", "utf8");
  const blocks = page.split(/^```/m).filter((_, at) => at % 2 === 1);
  const commands = blocks.flatMap((block) => block.split("\n")).filter((line) => /^(?:\$ )?tokenbook /.test(line));
  expect(commands.length).toBeGreaterThan(8);
  for (const command of commands) expectKnown(command.replace(/^\$ /, "").replace(/\s+#.*/, ""));
});
