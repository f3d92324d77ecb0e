import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { IS_ROOT, NOBODY } from "./hostile-files.ts";
import { type Ended, launch, newProject, IN_SHELL } from "./world.ts";

const LOOK = "playbook: 1\nsteps: [{ uses: ledger.asset.stats }]\n";

function expectReported({ code, stdout, stderr, transcript }: Ended, says: string): void {
  expect(code, transcript).toBe(2);
  expect(stderr, transcript).toMatch(/^error [a-z.-]+\n/);
  expect(stderr, transcript).toContain(says);
  expect(stdout + stderr, transcript).not.toMatch(/^\s+at /m);
}

test("a port that is taken is reported, with the option that takes another", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const ended = await newProject().run("sandbox", "--port", String(port));
  expectReported(ended, `the sandbox cannot be served on port ${port}`);
  expect(ended.stderr).toContain("\n  tokenbook sandbox --port 0\n");
});

test("a file in place of the folder of --keep is reported", async () => {
  const project = newProject();
  project.write("look.yaml", LOOK);
  project.write("kept", "");
  expectReported(
    await project.run("test", "--crash-everywhere", "look.yaml", "--keep", "kept"),
    "the folder kept cannot be made",
  );
});

test("a missing temporary folder is reported", async () => {
  const project = newProject({ TMPDIR: join(newProject().folder, "nowhere") });
  project.write("look.yaml", LOOK);
  expectReported(await project.run("test", "--crash-everywhere", "look.yaml"), "next: set TMPDIR to a folder");
});

test("a path below a file and a dangling link are reported, and the link is not proposed instead of itself", async () => {
  const project = newProject();
  project.write("look.yaml", LOOK);
  expectReported(await project.run("check", "look.yaml/more.yaml"), 'there is no file or folder "look.yaml/more.yaml"');
  symlinkSync("nowhere.yaml", join(project.folder, "dangling.yaml"));
  const dangling = await project.run("check", "dangling.yaml");
  expectReported(dangling, 'there is no file or folder "dangling.yaml"');
  expect(dangling.stderr).not.toContain("did you mean");
});

const AS_NOBODY = IS_ROOT ? `setpriv --reuid ${NOBODY} --clear-groups ` : "";

test("a folder that this user may not enter is reported, and a file in it is not called missing", async () => {
  const { folder, ...project } = newProject();
  project.write("closed/look.yaml", LOOK);
  project.write("reads.yaml", "playbook: 1\nsteps: [{ uses: ./closed/look.yaml }]\n");
  for (const open of [dirname(folder), folder]) chmodSync(open, 0o755);
  chmodSync(join(folder, "reads.yaml"), 0o644);
  chmodSync(join(folder, "closed"), 0);
  onTestFinished(() => chmodSync(join(folder, "closed"), 0o700));
  const run = (words: string): Promise<Ended> =>
    launch(["-c", `exec ${AS_NOBODY}${IN_SHELL} ${words}`], { cwd: folder, program: "sh" }).ended;
  expectReported(await run("check ."), 'the folder "." cannot be read');
  expectReported(await run("check closed/look.yaml"), "closed/look.yaml cannot be read: permission is denied");
  expectReported(await run("runs --state closed/state"), "closed/state cannot be used: permission is denied");
  expect((await run("check reads.yaml")).transcript).toMatch(
    /closed\/look\.yaml cannot be read[^]*fix: name a file that you may read/,
  );
});

test("a working directory that is gone is reported", async () => {
  const { folder } = newProject();
  const gone = join(folder, "gone");
  mkdirSync(gone);
  const command = `rmdir '${gone}'; exec ${IN_SHELL} runs`;
  const ended = await launch(["-c", command], { cwd: gone, program: "sh" }).ended;
  expect([ended.code, ended.stderr], ended.transcript).toEqual([
    2,
    expect.stringContaining("the folder that you are in is gone"),
  ]);
});

test("NO_COLOR wins over FORCE_COLOR without a warning", async () => {
  const project = newProject({ NO_COLOR: "1", FORCE_COLOR: "1" });
  project.write("look.yaml", LOOK);
  const ran = await project.run("run", "look.yaml");
  expect([ran.code, ran.stderr], ran.transcript).toEqual([0, ""]);
  expect(ran.stdout).not.toContain("\u001b");
});
