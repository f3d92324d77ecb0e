import { expect, test } from "vitest";
import { desk, DRIFTING, losingMint, writing } from "./desk.ts";
import { cutAnswer } from "./proxy.ts";
import { hook, notifying } from "./schedule.ts";
import { everyPage, viewing } from "./viewing.ts";
import { type Ended, filesBelow, KEYS, launch, MINT_ONCE, newProject, type Project, IN_SHELL } from "./world.ts";

const RECORD = `playbook: 1
steps:
  - id: asset
    as: { ledger: "userId:alice" }
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: "P\${{ run.key }}" } }
`;

/** Runs the command that a message proposes. */
async function typed({ folder, variables }: Project, { stdout, stderr, transcript }: Ended, wanted: RegExp): Promise<Ended> {
  const [command = ""] = wanted.exec(stdout + stderr) ?? [];
  expect(command, transcript).not.toBe("");
  const tokenbook = `tokenbook() { ${IN_SHELL} "$@"; }`;
  // Only the user can give a reason.
  const said = command.replace("--because TEXT", "--because 'as it should be'");
  return launch(["-c", `${tokenbook}\n${said}`], { cwd: folder, variables, program: "sh" }).ended;
}

test("with a state directory of its own, the commands about a drift name it", async () => {
  const project = newProject({});
  project.write("drifting.yaml", DRIFTING);
  const ran = await project.run("run", "drifting.yaml", "--state", "last night");
  expect(ran.code, ran.transcript).toBe(3);
  const listed = await typed(project, ran, /tokenbook drift list.*/);
  expect([listed.code, listed.lines[0]], listed.transcript).toEqual([0, expect.stringMatching(/^drifting\.yaml|^tokens/)]);
  const shown = await typed(project, ran, /tokenbook drift show.*/);
  expect(shown.code, shown.transcript).toBe(0);
  const acknowledged = await typed(project, shown, /tokenbook drift ack.*/);
  expect(acknowledged.stdout, acknowledged.transcript).toContain("is acknowledged until");
  const unknown = await project.run("drift", "show", "0123456789ab", "--state", "last night");
  expect(unknown.stderr, unknown.transcript).toContain("next: tokenbook drift list --state 'last night' --all");
});

test("with a state directory of its own, the commands about a run name it", async () => {
  const at = await desk({ "mint.yaml": MINT_ONCE });
  const { project } = at;
  const stopped = await losingMint(at, "--state", "it's here");
  const shown = await typed(project, stopped, /tokenbook runs show.*/);
  expect(shown.stdout, shown.transcript).toContain("answer: ambiguous");
  const careless = await typed(project, stopped, /tokenbook resolve .* --as applied/);
  expect(careless.stderr, careless.transcript).toContain(String.raw`next: tokenbook resolve --state 'it'\''s here' `);
  const whole = project.read("mint.yaml");
  project.write("mint.yaml", whole.replace(/ {2}- id: mint\n[^]*?(?= {2}- id: after)/, ""));
  const edited = await project.run("resume", "--state", "it's here");
  const settle = /(tokenbook resolve .* --as applied)/.exec(edited.stderr)?.[1] ?? "";
  expect(settle, edited.transcript).toContain(String.raw`--state 'it'\''s here'`);
  project.write("mint.yaml", whole);
  const resolved = await typed(project, careless, /tokenbook resolve.*/);
  const resumed = await typed(project, resolved, /tokenbook resume.*/);
  expect(resumed.code, resumed.transcript).toBe(0);
  // The output for programs is the same wherever the state is kept.
  const { data } = await project.json("runs", "show", "latest", "--state", "it's here");
  expect(JSON.stringify(data)).not.toContain("--state");
});

test("with a state directory of its own, the pages and reports for people show commands that find it; reports for programs are the same", async () => {
  const at = await desk({ "mint.yaml": MINT_ONCE });
  const { project } = at;
  const state = "it's <here>";
  await losingMint(at, "--state", state, "--report", "html=report.html,md=report.md,junit=report.xml");
  const hinted = "tokenbook runs show --state &#39;it&#39;\\&#39;&#39;s &lt;here&gt;&#39; ";
  expect(project.read("report.html")).toContain(hinted);
  expect(project.read("report.md")).toContain("`tokenbook runs show --state 'it'\\''s <here>' ");
  expect(project.read("report.xml")).not.toContain("--state");
  const pages = [...(await everyPage(await viewing(project, "--state", state))).values()].join("");
  expect(pages).toContain(hinted);
  expect(pages).not.toContain("<here>");
});

test("a run that a second signal ended resumes by the printed command", async () => {
  const at = await desk({ "record.yaml": RECORD });
  const { running, goOn } = await writing(at, "record.yaml", "--state", "last night");
  await running.signal("SIGINT");
  await running.signal("SIGINT");
  const interrupted = await running.ended;
  expect(interrupted.code, interrupted.transcript).toBe(130);
  goOn();
  const resumed = await typed(at.project, interrupted, /tokenbook resume.*/);
  expect(resumed.stdout, resumed.transcript).toContain("✓ passed");
});

test("the printed commands name the file of variables that the run was given", async () => {
  const { project, proxy } = await desk({ "mint.yaml": MINT_ONCE });
  project.write(
    "keys.env",
    Object.entries(KEYS)
      .map(([name, key]) => `${name}=${key}\n`)
      .join(""),
  );
  const keyless = project.as({});
  const stopped = await losingMint({ project: keyless, proxy }, "--dotenv", "keys.env");
  const shown = await typed(keyless, stopped, /tokenbook runs show.*/);
  expect(shown.stdout, shown.transcript).toContain("answer: ambiguous");
  const resumed = await typed(keyless, stopped, /(?<=continue this run:\n\s*)tokenbook resume [^;\n]*/);
  expect(resumed.stdout, resumed.transcript).toContain("✓ passed");
});

test("a reading command makes no state directory, and reports a named one that does not exist", async () => {
  const project = newProject({});
  const lookers = [
    ["runs"],
    ["runs", "verify"],
    ["runs", "leases"],
    ["runs", "show", "latest"],
    ["resume"],
    ["drift", "list"],
    ["schedule", "list"],
  ] as const;
  for (const looker of lookers) {
    expect((await project.run(...looker)).stderr).not.toContain("state.not-found");
    expect(filesBelow(project.folder)).toEqual([]);
  }
  for (const looker of [...lookers, ["schedule", "history"], ["resolve", "20261121T0930-k3x9q2ab"]]) {
    const ended = await project.run(...looker, "--state", "last nihgt");
    expect(ended.code, ended.transcript).toBe(2);
    expect(ended.stderr, ended.transcript).toMatch(/^error state\.not-found\n {2}there is no state directory .*\/last nihgt\n/);
    expect(filesBelow(project.folder)).toEqual([]);
  }
});

test("with a state directory of its own, a notification of a schedule has a command that finds its run", async () => {
  const { url, posted } = await hook(200, 200);
  const at = await desk({ "mint.yaml": MINT_ONCE });
  const project = at.project.as({ ...at.project.variables, DESK_URL: url, DESK_SECRET: "a-secret-that-two-sides-share" });
  notifying(project, at.proxy.url, "  desk:\n    url: env:DESK_URL\n    secret: env:DESK_SECRET\n");
  void at.proxy.next("POST /token/mint", async (passing) => {
    await cutAnswer(passing);
    at.proxy.shut();
  });
  const state = ["--state", 'it "is" here'];
  const lost = await project.run("schedule", "--once", "mint.yaml", ...state);
  expect(lost.code, lost.transcript).toBe(5);
  await at.proxy.open();
  await project.run("schedule", "--once", "mint.yaml", ...state);
  const commands = posted.flatMap(
    ({ notification }) => JSON.stringify(notification).match(/tokenbook (?:resume|resolve|schedule release) \S+/g) ?? [],
  );
  expect(commands.length).toBeGreaterThan(2);
  for (const command of commands) expect(command).toContain(" --state");
});

test("text of somebody else that looks like a command is printed as it is", async () => {
  const project = newProject({});
  const name = "Then tokenbook resume it";
  project.write(
    "book.yaml",
    `playbook: 1\nname: ${name}\nsteps:\n  - { id: look, uses: ledger.token.get, as: { ledger: "userId:alice" }, with: { id: Gone } }\n`,
  );
  const state = ["--state", "last night"];
  const failed = await project.run("run", "book.yaml", ...state, "--report", "html=report.html,md=report.md");
  expect(failed.code, failed.transcript).toBe(1);
  const [, run = ""] = / {2}run (\S+)/.exec(failed.stdout) ?? [];
  const shown = await project.run("runs", "show", "latest", ...state);
  for (const text of [failed.stdout, shown.stdout]) {
    expect(text).toContain(`▶ ${name}  (book.yaml)`);
    expect(text).toContain(`to continue: tokenbook resume --state 'last night' ${run}\n`);
  }
  expect(project.read("report.md")).toContain(`\`${name}\``);
  expect(project.read("report.html")).toContain(`<h1>${name}</h1>`);
  for (const file of ["report.md", "report.html"]) expect(project.read(file)).toMatch(/tokenbook resume --state \S+last night/);
});
