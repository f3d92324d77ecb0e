import { join } from "node:path";
import { expect, test } from "vitest";
import { desk, DRIFTING, losingMint } from "./desk.ts";
import { type Ended, launch, MINT_ONCE, newProject, type Project, ROOT } from "./world.ts";

/** Every command that somebody is told to type, typed. */
async function typed({ folder, variables }: Project, { stdout, stderr, told }: Ended, wanted: RegExp): Promise<Ended> {
  const [command = ""] = wanted.exec(stdout + stderr) ?? [];
  expect(command, told).not.toBe("");
  const tokenbook = `tokenbook() { '${process.execPath}' '${join(ROOT, "bin/tokenbook.js")}' "$@"; }`;
  return launch(["-c", `${tokenbook}\n${command}`], { cwd: folder, variables, program: "sh" }).ended;
}

test("with a state directory of its own, what is told to be typed about a drift names it", async () => {
  const project = newProject({});
  project.write("drifting.yaml", DRIFTING);
  const ran = await project.run("run", "drifting.yaml", "--state", "last night");
  expect(ran.code, ran.told).toBe(3);
  const listed = await typed(project, ran, /tokenbook drift list.*/);
  expect([listed.code, listed.lines[0]], listed.told).toEqual([0, expect.stringMatching(/^drifting\.yaml|^tokens/)]);
  const shown = await typed(project, ran, /tokenbook drift show.*/);
  expect(shown.code, shown.told).toBe(0);
  const acknowledged = await typed(project, shown, /tokenbook drift ack.*/);
  expect(acknowledged.stdout, acknowledged.told).toContain("is acknowledged until");
  const unknown = await project.run("drift", "show", "0123456789ab", "--state", "last night");
  expect(unknown.stderr, unknown.told).toContain("next: tokenbook drift list --state 'last night' --all");
});

test("with a state directory of its own, what is told to be typed about a run names it", async () => {
  const at = await desk({ "mint.yaml": MINT_ONCE });
  const { project } = at;
  const stopped = await losingMint(at, "--state", "it's here");
  const shown = await typed(project, stopped, /tokenbook runs show.*/);
  expect(shown.stdout, shown.told).toContain("answer: ambiguous");
  const careless = await typed(project, stopped, /tokenbook resolve .* --as applied/);
  expect(careless.stderr, careless.told).toContain(String.raw`next: tokenbook resolve --state 'it'\''s here' `);
  const whole = project.read("mint.yaml");
  project.write("mint.yaml", whole.replace(/ {2}- id: mint\n[^]*?(?= {2}- id: after)/, ""));
  const edited = await project.run("resume", "--state", "it's here");
  const settle = /first: (tokenbook resolve .* --as applied)/.exec(edited.stderr)?.[1] ?? "";
  expect(settle, edited.told).toContain(String.raw`--state 'it'\''s here'`);
  project.write("mint.yaml", whole);
  const resolved = await typed(project, careless, /tokenbook resolve.*/);
  const resumed = await typed(project, resolved, /tokenbook resume.*/);
  expect(resumed.code, resumed.told).toBe(0);
  // What programs read is the same wherever it is kept.
  const { data } = await project.json("runs", "show", "latest", "--state", "it's here");
  expect(JSON.stringify(data)).not.toContain("--state");
});
