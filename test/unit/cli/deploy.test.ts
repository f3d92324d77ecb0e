// These tests check that the files under deploy/ can be read, and that the commands and options in them and in docs/scheduling.md exist.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { buildProgram } from "../../../src/cli/program/program.ts";
import { silentShell } from "./shell.ts";

const program = buildProgram(silentShell());

/** Expects that a command exists, and each option on its line. */
function expectKnown(line: string): void {
  const [name, ...words] = line.replaceAll(/"[^"]*"/g, "TEXT").split(/\s+/);
  expect(name, line).toBe("tokenbook");
  let command = program;
  for (const word of words) command = command.commands.find((each) => each.name() === word) ?? command;
  expect(command, line).not.toBe(program);
  const known = command.options.map(({ long }) => long);
  for (const option of words.filter((word) => word.startsWith("--"))) expect(known, line).toContain(option.replace(/=.*/, ""));
}

interface Pod {
  readonly containers: readonly ({ readonly command: readonly string[]; readonly image: string } & Readonly<
    Record<string, unknown>
  >)[];
  readonly hostname: string;
  readonly terminationGracePeriodSeconds: number;
}

interface Workload {
  readonly spec: {
    readonly template?: { readonly spec: Pod };
    readonly jobTemplate?: { readonly spec: { readonly template: { readonly spec: Pod } } };
  };
}

function podOf(name: string): Pod | undefined {
  const documents = parseAllDocuments(readFileSync(`deploy/kubernetes/${name}.yaml`, "utf8"));
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const [first] = documents.map((document) => document.toJS() as Workload);
  return first?.spec.template?.spec ?? first?.spec.jobTemplate?.spec.template.spec;
}

interface Compose {
  readonly services: Readonly<Record<string, { readonly entrypoint?: readonly string[] } & Readonly<Record<string, unknown>>>>;
}

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: unknown;
  readonly env?: unknown;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly "runs-on": unknown;
        readonly permissions: unknown;
        readonly env?: unknown;
        readonly if?: string;
        readonly environment?: string;
        readonly steps: readonly Step[];
      }
    >
  >;
}

const WORKFLOW = parse(readFileSync("deploy/github/reconcile.yaml", "utf8")) as Workflow;
const STEPS = Object.values(WORKFLOW.jobs).flatMap(({ steps }) => steps);

function unitOf(file: string): ReadonlyMap<string, string> {
  const lines = readFileSync(file, "utf8").split("\n");
  for (const line of lines) expect(line, file).toMatch(/^(?:#.*|\[(?:Unit|Service|Timer|Install)\]|[A-Z][A-Za-z]+=.*|)$/);
  return new Map(
    lines.flatMap((line) =>
      /^[A-Z]/.test(line) ? [[line.split("=")[0] ?? "", line.slice(line.indexOf("=") + 1)] as const] : [],
    ),
  );
}

describe("the files under deploy/", () => {
  test("the tests below cover each file", () => {
    expect(globSync("deploy/**/*.*").toSorted()).toEqual([
      "deploy/compose/compose.yaml",
      "deploy/github/action.yaml", // test/release/release.test.ts checks it
      "deploy/github/reconcile.yaml",
      "deploy/kubernetes/cronjob.yaml",
      "deploy/kubernetes/deployment.yaml",
      "deploy/kubernetes/workers.yaml",
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

  test("the timer starts the unit beside it", () => {
    expect(unitOf("deploy/systemd/tokenbook-once@.timer").get("OnCalendar")).toMatch(/^\S+ \d\d:\d\d:\d\d \w+\/\w+$/);
    expect(existsSync("deploy/systemd/tokenbook-once@.service")).toBe(true);
  });

  const analyses =
    spawnSync("systemd-analyze", ["security", "--help"], { encoding: "utf8" }).stdout?.includes("--offline") ?? false;
  test.runIf(analyses).for(["tokenbook-schedule.service", "tokenbook-once@.service"])(
    "systemd rates %s as hardly exposed",
    (name) => {
      const args = ["security", "--offline=yes", "--no-pager", "--threshold=20", `deploy/systemd/${name}`];
      const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
      expect(status, stdout + stderr).toBe(0);
    },
  );

  test.for(["tokenbook-schedule.service", "tokenbook-once@.service"])("%s has only the rights that it needs", (name) => {
    const unit = unitOf(`deploy/systemd/${name}`);
    const wanted = {
      NoNewPrivileges: "yes",
      CapabilityBoundingSet: "",
      ProtectSystem: "strict",
      ProtectHome: "yes",
      PrivateTmp: "yes",
      PrivateDevices: "yes",
      RestrictSUIDSGID: "yes",
      RestrictAddressFamilies: "AF_INET AF_INET6 AF_UNIX",
      SystemCallArchitectures: "native",
      StateDirectoryMode: "0700",
      UMask: "0077",
    };
    for (const [key, value] of Object.entries(wanted)) expect([key, unit.get(key)]).toEqual([key, value]);
    // A process that cannot see other users' processes would conclude that the holder of a run is dead.
    for (const key of ["ProtectProc", "ProcSubset", "MemoryDenyWriteExecute"])
      expect([key, unit.get(key)]).toEqual([key, undefined]);
    // Everybody can read a unit file, so it must hold no key.
    expect([...unit.keys()]).not.toContain("Environment");
  });

  test("the pods of kubernetes/workers.yaml run a command that exists, have only the rights that they need, and share no host name", () => {
    const pod = podOf("workers");
    expectKnown(pod?.containers[0]?.command.join(" ") ?? "");
    // If two pods on one node had the same name, their pids could not distinguish them.
    expect(pod).not.toHaveProperty("hostname");
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(80);
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        { securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } } },
      ],
    });
  });

  test("the services of the compose file run commands that exist, with the least rights and a key for the database", () => {
    const { services } = parse(readFileSync("deploy/compose/compose.yaml", "utf8"), { merge: true }) as Compose;
    const ours = Object.entries(services).filter(([name]) => name !== "database");
    expect(ours.map(([name]) => name)).toEqual(["worker", "schedule", "submit"]);
    for (const [name, service] of ours) {
      // If the service set `command`, the command of the image would come before it.
      expect(service, name).not.toHaveProperty("command");
      expectKnown((service.entrypoint ?? []).join(" "));
      expect(service, name).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        environment: { TOKENBOOK_DATABASE: expect.stringMatching(/^postgres:.*\$\{POSTGRES_PASSWORD:\?/) as string },
        stop_grace_period: "120s",
      });
      expect(service, name).not.toHaveProperty("hostname");
    }
  });

  test.for(["cronjob", "deployment"])("kubernetes/%s.yaml is valid YAML, and its pod runs a command that exists", (name) => {
    const pod = podOf(name);
    expectKnown(pod?.containers[0]?.command.join(" ") ?? "");
    expect(pod?.hostname).toBe("tokenbook");
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(80);
  });

  test.for(["cronjob", "deployment"])("the pod of kubernetes/%s.yaml has only the rights that it needs", (name) => {
    const pod = podOf(name);
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        fsGroupChangePolicy: "OnRootMismatch",
        seccompProfile: { type: "RuntimeDefault" },
      },
    });
    for (const key of ["hostNetwork", "hostPID", "hostIPC"]) expect(pod).not.toHaveProperty(key);
    expect(pod?.containers).toHaveLength(1);
    for (const container of pod?.containers ?? []) {
      expect(container).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          privileged: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        resources: { limits: { cpu: expect.any(String) as string, memory: "512Mi", "ephemeral-storage": "1Gi" } },
        volumeMounts: [{ mountPath: "/tmp" }, { mountPath: "/state" }],
      });
      expect(container.image).toMatch(/@sha256:[0-9a-f]{64}$/);
      // The state has a folder of its own, because root owns the volume's root and its group may write there.
      expect(container.command.join(" ")).toContain("--state /state/tokenbook");
      expect(container).not.toHaveProperty("env");
    }
  });

  test("github/reconcile.yaml is valid YAML, and runs a command that exists", () => {
    const commands = STEPS.flatMap(({ run }) => (run?.startsWith("npx ") === true ? [run] : []));
    expect(commands).toHaveLength(1);
    for (const command of commands) expectKnown(command.replace("npx --no-install ", ""));
  });

  test("github/reconcile.yaml keeps the state where no job of a pull request can read or change it", () => {
    const text = readFileSync("deploy/github/reconcile.yaml", "utf8");
    expect(Object.keys(WORKFLOW.on).toSorted()).toEqual(["schedule", "workflow_dispatch"]);
    for (const { uses = "", with: given = {} } of STEPS) {
      expect(uses).not.toMatch(/cache/);
      if (uses.startsWith("actions/upload-artifact@")) expect(given["path"]).toBe("report.xml");
      if (uses.startsWith("actions/setup-node@")) expect(given["package-manager-cache"]).toBe(false);
      expect(given).not.toHaveProperty("cache");
    }
    expect(text).toContain("--state /var/lib/tokenbook/state ");
    for (const job of Object.values(WORKFLOW.jobs)) {
      expect(job["runs-on"]).toEqual(["self-hosted", "tokenbook"]);
      expect(job.if).toBe("github.ref_name == github.event.repository.default_branch");
    }
  });

  test("github/reconcile.yaml gives the key only to the step that needs it, and each job only the rights that it needs", () => {
    expect([WORKFLOW.permissions, WORKFLOW.env]).toEqual([{}, undefined]);
    for (const { permissions, env, environment } of Object.values(WORKFLOW.jobs))
      expect([permissions, env, environment]).toEqual([{ contents: "read" }, undefined, "production"]);
    const withSecrets = STEPS.filter((step) => JSON.stringify(step).includes("secrets."));
    expect(withSecrets.map(({ run = "" }) => run.split(" ").slice(0, 3).join(" "))).toEqual(["npx --no-install tokenbook"]);
    for (const { run = "" } of STEPS) expect(run).not.toContain("${{");
    expect(STEPS.find(({ uses }) => uses?.startsWith("actions/checkout@") === true)?.with?.["persist-credentials"]).toBe(false);
  });
});

test.for(["docs/install.md", "deploy/github/action.yaml"])("%s gives the action a command that writes reports", (file) => {
  const [, lines = ""] = /arguments: \|\n((?:[# ] {7,}[^\s:]+\n)+)/.exec(readFileSync(file, "utf8")) ?? [];
  const words = lines.split(/[#\s]+/).filter((word) => word !== "");
  expect(words[0]).toBe("run");
  expectKnown(["tokenbook", ...words, "--report"].join(" "));
});

test("every action in our files and pages is pinned to a commit", () => {
  const pages = globSync(["deploy/**/*.*", "docs/*.md", "README.md", "src/cli/starter/**/*"]);
  const named = pages.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/^\s*(?:- )?uses: ([\w-]+\/[\w./-]+@\S+)(.*)/gm)].map(
      ([, action = "", rest = ""]) => [file, action, rest] as const,
    ),
  );
  expect(named.length).toBeGreaterThan(3);
  for (const [file, action, rest] of named)
    expect([file, action, rest]).toEqual([
      file,
      expect.stringMatching(/@[0-9a-f]{40}$/),
      expect.stringMatching(/^ # v\d+\.\d+\.\d+$/),
    ]);
});

test("every command of the page on scheduling exists, with its options", () => {
  const page = readFileSync("docs/scheduling.md", "utf8");
  const blocks = page.split(/^```/m).filter((_, at) => at % 2 === 1);
  const commands = blocks.flatMap((block) => block.split("\n")).filter((line) => /^(?:\$ )?tokenbook /.test(line));
  expect(commands.length).toBeGreaterThan(8);
  for (const command of commands) expectKnown(command.replace(/^\$ /, "").replace(/\s+#.*/, ""));
});
