import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { comparisonIn } from "./comparison.ts";
import { newProject } from "./world.ts";

test("a playbook with an id keeps its drifts when its file is renamed; without one, a person closes them", async () => {
  const project = newProject();
  const text = (head: string): string => `playbook: 1
${head}mode: read-only
reconcile:
  - id: totals
    left: { rows: '[{"v": 5}]', key: { all: '"all"' }, value: row.v }
    right: { rows: '[{"v": 7}]', key: { all: '"all"' }, value: row.v }
    recheck: 10ms
`;
  const idIn = async (file: string): Promise<string> =>
    comparisonIn((await project.json("run", file)).data, "reconcile.totals").drifts[0]?.id ?? "";
  project.write("named.yaml", text("id: register\n"));
  project.write("renamed.yaml", text("id: register\n"));
  project.write("old.yaml", text(""));
  project.write("new.yaml", text(""));
  const named = await idIn("named.yaml");
  const both = await project.json("run", "renamed.yaml");
  expect(both.code, both.transcript).toBe(1);
  expect(both.transcript).toContain("reconcile.same-id: renamed.yaml and named.yaml both have the id register");
  rmSync(join(project.folder, "named.yaml"));
  expect(await idIn("renamed.yaml")).toBe(named);
  const left = await idIn("old.yaml");
  expect(await idIn("new.yaml")).not.toBe(left);

  const careless = await project.run("drift", "close", left);
  expect(careless.code, careless.transcript).toBe(2);
  expect(careless.stderr).toContain(`tokenbook drift close ${left} --because`);
  const misspelt = await project.run("drift", "close", "--playbook", "odl.yaml", "--because", "renamed");
  expect(misspelt.code, misspelt.transcript).toBe(2);
  expect(misspelt.stderr).toContain("did you mean old.yaml?");
  const closed = await project.run("drift", "close", "--playbook", "old.yaml", "--because", "renamed to new.yaml");
  expect(closed.code, closed.transcript).toBe(0);
  expect(closed.stdout).toContain(`closed ${left}`);
  const list = await project.run("drift", "list");
  expect(list.stdout, list.transcript).not.toContain(left);
  expect((await project.run("drift", "show", left)).stdout).toMatch(/closed {8}.*: renamed to new\.yaml/);
  const again = await project.run("drift", "close", left, "--because", "twice");
  expect(again.stderr, again.transcript).toMatch(/was closed at \S+ by .+: renamed to new\.yaml\n  why: nothing was changed/);
  expect(await idIn("old.yaml")).toBe(left);
  expect((await project.run("drift", "list")).stdout).toContain(left);
});

test("drift close closes a comparison whose last run did not finish it", async () => {
  const project = newProject();
  const text = (rows: string): string => `playbook: 1
mode: read-only
reconcile:
  - id: totals
    left: { rows: "${rows}", key: row }
    right: { rows: "${rows}", key: row }
`;
  const list = async (): Promise<string> => (await project.run("drift", "list")).stdout;
  project.write("old.yaml", text("['a'].filter(r, r == 'b')"));
  await project.run("run", "old.yaml");
  expect(await list()).toContain("totals (old.yaml, environment sandbox)");
  const closed = await project.run("drift", "close", "--playbook", "old.yaml", "--because", "its file is gone");
  expect([closed.code, closed.stdout], closed.transcript).toEqual([0, "closed totals (old.yaml, environment sandbox)\n"]);
  expect(await list()).toBe("no drift\n");
  expect((await project.run("drift", "close", "--playbook", "old.yaml", "--because", "twice")).code).toBe(2);
  await project.run("run", "old.yaml");
  expect(await list()).toContain("totals (old.yaml, environment sandbox)");
});

test("drift list names a comparison that an `if` skips, but no other scope and no unneeded `rescue`", async () => {
  const project = newProject();
  const head = "playbook: 1\nmode: read-only\n";
  const rows = `left: { rows: "['a']", key: row }, right: { rows: "['a']", key: row }`;
  const list = async (): Promise<string> => (await project.run("drift", "list")).stdout;
  const run = async (code: number, file: string, ...given: readonly string[]): Promise<void> => {
    const ran = await project.run("run", "--env", "sandbox", file, ...given);
    expect(ran.code, ran.transcript).toBe(code);
  };
  project.write("compared.yaml", `${head}reconcile: [{ id: all, ${rows} }]\n`);
  project.write("other.yaml", `${head}reconcile: [{ id: other, ${rows} }]\n`);
  project.write(
    "skips.yaml",
    `${head}inputs: { days: { type: list, items: { type: string } }, go: { type: boolean } }
steps:
  - { uses: ./other.yaml }
  - { id: days, if: inputs.go, foreach: { day: "\${{ inputs.days }}", key: day }, block: [{ id: each, uses: ./compared.yaml }] }
`,
  );
  const days = (...given: readonly string[]): readonly string[] => ["--input", `days=${JSON.stringify(given)}`];
  await run(0, "skips.yaml", ...days("mon", "tue"), "--input", "go=true");
  await run(0, "skips.yaml", ...days("mon"), "--input", "go=true");
  expect(await list(), "what the list of rounds no longer has is not to be compared").toBe("no drift\n");
  await run(0, "skips.yaml", ...days("mon"), "--input", "go=false");
  expect(await list()).toContain("2 comparisons were not");
  await run(0, "skips.yaml", ...days("mon", "tue"), "--input", "go=true");
  expect(await list()).toBe("no drift\n");

  const scoped = `scope: "\${{ inputs.region }}"`;
  project.write(
    "scoped.yaml",
    `${head}inputs: { region: { type: string }, token: { type: string, default: "" } }
steps: [{ if: inputs.token != "", uses: ledger.token.get, as: { ledger: "userId:alice" }, with: { id: "\${{ inputs.token }}" } }]
reconcile: [{ id: all, ${scoped}, ${rows} }]
`,
  );
  await run(0, "scoped.yaml", "--input", "region=eu");
  await run(0, "scoped.yaml", "--input", "region=us");
  await run(1, "scoped.yaml", "--input", "region=us", "--input", "token=NONE");
  expect(await list()).toContain("scope us)");
  expect(await list(), "the failed run was of another scope").not.toContain("scope eu");

  project.write(
    "rescues.yaml",
    `${head}inputs: { token: { type: string, default: "" } }
steps:
  - block: [{ if: inputs.token != "", uses: ledger.token.get, as: { ledger: "userId:alice" }, with: { id: "\${{ inputs.token }}" } }]
    rescue: [{ uses: ./compared.yaml }]
`,
  );
  await run(0, "rescues.yaml", "--input", "token=NONE");
  await run(0, "rescues.yaml");
  expect(await list()).not.toContain("rescues.yaml");
});

test("a playbook keeps its drifts from every working directory, and shares none with one of the same name", async () => {
  const project = newProject();
  const text = (right: number): string => `playbook: 1
mode: read-only
reconcile:
  - id: totals
    left: { rows: '[{"v": 5}]', key: { all: '"all"' }, value: row.v }
    right: { rows: '[{"v": ${right}}]', key: { all: '"all"' }, value: row.v }
    recheck: 10ms
`;
  project.write("tokenbook.yaml", "environments:\n  sandbox: embedded\n");
  project.write("nightly.yaml", text(7));
  project.write("sub/nightly.yaml", text(5));
  const root = await project.json("run", "nightly.yaml");
  const agreed = await project.within("sub").json("run", "nightly.yaml");
  expect([root.code, agreed.code], agreed.transcript).toEqual([3, 0]);
  expect(comparisonIn(agreed.data, "reconcile.totals").counts).toMatchObject({ cleared: 0 });
  const fromBelow = await project.within("sub").json("run", "../nightly.yaml");
  expect(comparisonIn(fromBelow.data, "reconcile.totals").drifts, fromBelow.transcript).toMatchObject([{ state: "persisting" }]);
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const [drift] = comparisonIn(root.data, "reconcile.totals").drifts;
  await project.run("drift", "ack", drift?.id ?? "", "--because", "a refund", "--until", day);
  project.write("sub/nightly.yaml", text(7));
  const below = await project.within("sub").json("run", "nightly.yaml");
  expect(below.code, below.transcript).toBe(3);
  expect(comparisonIn(below.data, "reconcile.totals")).toMatchObject({
    of: { playbook: "sub/nightly.yaml" },
    drifts: [{ state: "new" }],
  });
});

test("a comparison that was renamed counts as made no more, and not as unfinished", async () => {
  const project = newProject();
  const night = async (id: string): Promise<string> => {
    const side = (value: number): string => `{ rows: "[{'v': ${value}}]", key: { all: "'all'" }, value: row.v }`;
    project.write(
      "nightly.yaml",
      `playbook: 1\nmode: read-only\nreconcile: [{ id: ${id}, left: ${side(5)}, right: ${side(7)}, recheck: 10ms }]\n`,
    );
    return comparisonIn((await project.json("run", "nightly.yaml")).data, `reconcile.${id}`).drifts[0]?.id ?? "";
  };
  const before = await night("before");
  const after = await night("after");
  const closed = await project.run("drift", "close", before, "--because", "renamed");
  expect(closed.code, closed.transcript).toBe(0);
  const { data } = await project.json("drift", "list");
  expect(data).toMatchObject({ unfinished: 0, total: 1, drifts: [{ id: after }] });
});
