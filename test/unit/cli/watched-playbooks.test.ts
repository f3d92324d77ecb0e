import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readScheduled, WatchedPlaybooks } from "../../../src/cli/schedule/playbooks.ts";
import { reading } from "../../stories/schedule.ts";
import { silentShell } from "./shell.ts";

/** A folder whose playbooks a process serves. */
class Folder {
  /** Log entries since a test last read them, as `event message`. */
  readonly logged: string[] = [];
  readonly path: string = mkdtempSync(join(tmpdir(), "tokenbook-watched-"));

  constructor() {
    onTestFinished(() => rmSync(this.path, { recursive: true }));
  }

  write(file: string, text: string): void {
    mkdirSync(join(this.path, "playbooks"), { recursive: true });
    writeFileSync(join(this.path, "playbooks", file), text);
  }

  serve(tags?: readonly string[]): WatchedPlaybooks {
    const shell = {
      ...silentShell(),
      cwd: this.path,
      project: { folder: this.path, environmentFile: join(this.path, "tokenbook.yaml") },
    };
    const options = { files: ["playbooks"], input: {}, env: "here", ...(tags === undefined ? {} : { tags }) };
    const log = (_level: string, event: string, message: string): void => void this.logged.push(`${event} ${message}`);
    return new WatchedPlaybooks({ shell, options, log }, readScheduled(shell, options));
  }
}

const idsOf = (served: WatchedPlaybooks): readonly string[] => served.current().map(({ id }) => id);

test("a playbook that is added to a served folder is served, even if it was data or broken at first", () => {
  const folder = new Folder();
  folder.write("first.yaml", reading());
  folder.write("rows.yaml", "[{ id: 1 }]\n");
  const served = folder.serve();
  expect(idsOf(served)).toEqual(["playbooks/first.yaml@here"]);
  folder.write("second.yaml", reading("{ cron: every day }"));
  folder.write("third.yaml", "playbook: 1\nsteps:\n  - uses: ledger.asset.stats\n    as: { ledger: 'userId:alice' }\n");
  expect(idsOf(served)).toEqual(["playbooks/first.yaml@here"]);
  expect(served.broken).toBe(1);
  folder.write("rows.yaml", reading("{ cron: '1 * * * *' }"));
  folder.write("second.yaml", reading("{ cron: '@daily' }"));
  folder.write("third.yaml", reading("{ cron: '@weekly' }"));
  expect(idsOf(served).toSorted()).toEqual(["first", "rows", "second", "third"].map((name) => `playbooks/${name}.yaml@here`));
  expect(served.broken).toBe(0);
  expect(served.current()).toBe(served.current());
  expect(folder.logged).toEqual([
    expect.stringMatching(
      /^playbook\.broken playbooks\/second\.yaml: was added, and cannot be run: playbooks\/second\.yaml:4:19 .*; it never fires until it can$/,
    ),
    "playbook.added playbooks/third.yaml@here: was added, and has no schedule",
    "playbook.edited playbooks/third.yaml@here: has been edited",
    "playbook.added playbooks/rows.yaml@here: was added",
    "playbook.added playbooks/second.yaml@here: was added",
  ]);
});

test("a renamed playbook is served under its new name, and fails under the old name until the next start", () => {
  const folder = new Folder();
  folder.write("supply.yaml", reading());
  const served = folder.serve();
  renameSync(join(folder.path, "playbooks/supply.yaml"), join(folder.path, "playbooks/nightly.yaml"));
  expect(idsOf(served)).toEqual(["playbooks/supply.yaml@here", "playbooks/nightly.yaml@here"]);
  expect(served.broken).toBe(1);
  expect(folder.logged[0]).toMatch(
    /^playbook\.broken playbooks\/supply\.yaml@here: has been edited or removed, .* each firing fails/,
  );
});

test("a broken playbook that is removed before it was served is no longer counted", () => {
  const folder = new Folder();
  folder.write("supply.yaml", reading());
  const served = folder.serve();
  folder.write("other.yaml", "playbook: 1\nsteps: none\n");
  served.current();
  expect(served.broken).toBe(1);
  rmSync(join(folder.path, "playbooks/other.yaml"));
  served.current();
  expect(served.broken).toBe(0);
});

test("only playbooks with the chosen tags are served", () => {
  const folder = new Folder();
  folder.write("supply.yaml", `tags: [nightly]\n${reading()}`);
  const served = folder.serve(["nightly"]);
  folder.write("other.yaml", reading());
  folder.write("sales.yaml", `tags: [nightly]\n${reading()}`);
  expect(idsOf(served)).toEqual(["playbooks/supply.yaml@here", "playbooks/sales.yaml@here"]);
});

test("a missing folder, or an unreadable file in it, ends no schedule and is logged once", () => {
  const folder = new Folder();
  folder.write("supply.yaml", reading());
  const served = folder.serve();
  renameSync(join(folder.path, "playbooks"), join(folder.path, "away"));
  symlinkSync("playbooks", join(folder.path, "playbooks"));
  for (let look = 0; look < 3; look++) expect(idsOf(served)).toEqual(["playbooks/supply.yaml@here"]);
  expect(folder.logged.map((line) => line.split(" ")[0])).toEqual(["playbook.broken", "playbook.unlisted"]);
  rmSync(join(folder.path, "playbooks"));
  renameSync(join(folder.path, "away"), join(folder.path, "playbooks"));
  expect(idsOf(served)).toEqual(["playbooks/supply.yaml@here"]);
  expect(served.broken).toBe(0);
});

test("an edited tokenbook.yaml is logged once, with the settings that need a restart", () => {
  const folder = new Folder();
  folder.write("supply.yaml", reading());
  folder.write("../tokenbook.yaml", "environments: { here: embedded }\n");
  const served = folder.serve();
  served.current();
  expect(folder.logged).toEqual([]);
  folder.write("../tokenbook.yaml", "environments: { here: embedded }\nnotifications: { desk: { command: [notify] } }\n");
  for (let look = 0; look < 3; look++) served.current();
  expect(folder.logged).toEqual([
    expect.stringMatching(/^environment\.edited tokenbook\.yaml has been edited: .* notifications, heartbeat/),
  ]);
});

test("a playbook is served by the name of its link, as Kubernetes mounts it, and keeps its id when the mounted files are replaced", () => {
  const folder = new Folder();
  const mount = (version: string, cron: string): void => {
    mkdirSync(join(folder.path, "playbooks", version), { recursive: true });
    folder.write(`${version}/first.yaml`, reading(`{ cron: '${cron}' }`));
    const next = join(folder.path, "playbooks", "..next");
    symlinkSync(version, next);
    renameSync(next, join(folder.path, "playbooks", "..data"));
  };
  mount("..2026_11_26", "@daily");
  symlinkSync("..data/first.yaml", join(folder.path, "playbooks", "first.yaml"));
  const served = folder.serve();
  const shown = (): readonly string[] => served.current().map(({ id, schedule }) => `${id} ${schedule.cron.pattern}`);
  expect(shown()).toEqual(["playbooks/first.yaml@here @daily"]);
  mount("..2026_11_27", "@weekly");
  expect(shown()).toEqual(["playbooks/first.yaml@here @weekly"]);
});
