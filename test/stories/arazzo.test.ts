import { existsSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { bothWays } from "../interchange/both-ways.ts";
import { RecordingClient } from "../interchange/record-har.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { documentOfPage, lostAnswer, mintsIn } from "../interchange/lost-answer.ts";
import { newProject, temporaryFolder } from "./world.ts";

test("the same document and the same lost answer: one mint with tokenbook, two with a runner that repeats it", async () => {
  const { tokenbook, respect } = await lostAnswer();
  expect(tokenbook.output).toContain("attempt 1: applied, as read back: minted 0 → 100");
  expect([tokenbook.code, mintsIn(tokenbook)]).toEqual([0, 1]);
  expect([respect.code, mintsIn(respect)]).toEqual([0, 2]);
  expect(respect.output).toMatch(/Checks: 12 passed, 12 total/);
});

test.for(["mint-above-cap", "identity"])(
  "Respect and a re-import of the export commit the same as the scenario %s itself",
  async (name) => {
    const { ours, respect, again, lint } = await bothWays(`playbooks/scenarios/${name}.yaml`, temporaryFolder());
    expect([ours.code, respect.code, again?.code, lint.code], respect.output).toEqual([0, 0, 0, 0]);
    expect(ours.commits.length).toBeGreaterThan(1);
    expect(respect.commits).toEqual(ours.commits);
    expect(again?.commits).toEqual(ours.commits);
  },
);

test("convert reports what is lost, and its output passes the check", async () => {
  const project = newProject();
  project.write("mint.arazzo.yaml", documentOfPage());
  const made = await project.run("convert", "mint.arazzo.yaml", "mint.yaml");
  expect(made.stderr).toContain("nothing is lost");
  expect([made.code, (await project.run("check", "mint.yaml")).code]).toEqual([0, 0]);
  expect((await project.run("fmt", "--check", "mint.yaml")).code).toBe(0);
  const again = await project.run("convert", "mint.arazzo.yaml", "mint.yaml");
  expect([again.code, again.stderr]).toEqual([
    0,
    expect.stringMatching(/\nmint\.yaml holds this translation already\nnothing is lost\n$/),
  ]);
  project.write("own.yaml", "playbook: 1\n");
  const own = await project.run("convert", "mint.arazzo.yaml", "own.yaml");
  expect([own.code, own.stderr, project.read("own.yaml")]).toEqual([
    2,
    expect.stringContaining("own.yaml exists already"),
    "playbook: 1\n",
  ]);
  const same = await project.run("convert", "mint.yaml", "other.yaml");
  expect([same.code, same.stderr]).toEqual([2, expect.stringContaining("other.yaml is not a name for an Arazzo document")]);

  project.write(
    "lossy.arazzo.yaml",
    documentOfPage().replace("parameters:\n", 'parameters:\n      - { name: X-Trace, in: header, value: "1" }\n'),
  );
  const lossy = await project.run("convert", "lossy.arazzo.yaml", "lossy.yaml");
  expect([lossy.code, lossy.stderr]).toEqual([1, expect.stringContaining("to accept this, add --accept-loss")]);
  const accepted = await project.run("convert", "lossy.arazzo.yaml", "lossy.yaml", "--accept-loss");
  expect([accepted.code, accepted.stderr], accepted.transcript).toEqual([
    0,
    expect.stringMatching(/^lossy\.yaml holds this translation already\n.* lost, and accepted\n$/m),
  ]);
  const refused = await project.run("run", "lossy.arazzo.yaml");
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('the header "X-Trace" is not sent')]);

  const client = new RecordingClient();
  const body = JSON.stringify({ assetType: "Property", data: { id: "A1", note: "x".repeat(LIMITS.sourceBytes) } });
  client.record(
    "http://127.0.0.1:1/tokenize/app1/asset?actAs=userId:alice",
    { method: "POST", body },
    { status: 200, text: "{}" },
  );
  project.write("long.har", client.archive());
  const long = await project.run("convert", "long.har", "long.yaml");
  expect([long.code, long.stderr]).toEqual([2, expect.stringContaining("long.har cannot be converted")]);
  expect(existsSync(join(project.folder, "long.yaml"))).toBe(false);

  project.write("session.har", "");
  truncateSync(join(project.folder, "session.har"), 200 * 1024 * 1024);
  const large = await project.run("convert", "session.har", "session.yaml");
  expect([large.code, large.stderr.split("\n").length < 6, large.stderr]).toEqual([
    2,
    true,
    expect.stringContaining("session.har"),
  ]);
});

test("what convert prints is what it writes, to the letter", async () => {
  const project = newProject();
  const data = { id: "A1", a: "soft\u00adhyphen x\u200by", b: "see ##[section]x", c: "one\n::two", d: "\u202eabc" };
  const client = new RecordingClient();
  client.record(
    "http://127.0.0.1:1/tokenize/app1/asset?actAs=userId:alice",
    { method: "POST", body: JSON.stringify({ assetType: "Property", data }) },
    { status: 200, text: "{}" },
  );
  project.write("session.har", client.archive());
  const { stdout } = await project.run("convert", "session.har");
  await project.run("convert", "session.har", "session.yaml");
  expect(stdout).toBe(readFileSync(join(project.folder, "session.yaml"), "utf8"));
  expect(parse(stdout)).toMatchObject({ steps: [{ with: { data } }] });
});
