// Files that another user or a cloned project creates where tokenbook writes and reads: links, pipes, folders, files of other users.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Ended, MINT_ONCE, newProject, type Project, temporaryFolder } from "./world.ts";

export const IS_ROOT: boolean = process.geteuid?.() === 0;
export const NOBODY = 65_534;
const VICTIM = "what somebody needs\n".repeat(60);
const TICKING = "playbook: 1\nschedule: { cron: '0 0 1 1 *' }\nsteps: [{ uses: ledger.status }]\n";
const COMPARING = `playbook: 1
mode: read-only
inputs:
  rows: { type: list, items: { type: object, properties: { id: { type: string } } }, default: [{ id: a }] }
actors: { issuer: { ledger: "userId:alice" } }
reconcile:
  - id: rows
    left: { name: one, rows: inputs.rows, key: { id: row.id }, value: '1' }
    right: { name: other, rows: inputs.rows, key: { id: row.id }, value: '1' }
`;

/** A way to create something hostile at a path. The victim is a file of this user that must not change. */
export interface Attack {
  readonly name: string;
  readonly lay: (path: string, victim: string) => void;
  readonly needsRoot?: boolean;
}

export const ATTACKS: readonly Attack[] = [
  { name: "a link to a file", lay: (path, victim) => symlinkSync(victim, path) },
  { name: "a link to nothing", lay: (path, victim) => symlinkSync(`${victim}.new-here`, path) },
  { name: "a link to a folder", lay: (path, victim) => symlinkSync(join(victim, ".."), path) },
  { name: "a second name of a file", lay: (path, victim) => linkSync(victim, path) },
  { name: "a pipe", lay: (path) => void execFileSync("mkfifo", [path]) },
  { name: "a folder", lay: (path) => mkdirSync(path) },
  {
    name: "a file of another user",
    lay: (path) => {
      writeFileSync(path, "");
      chownSync(path, NOBODY, NOBODY);
      chmodSync(path, 0o666);
    },
    needsRoot: true,
  },
];

/** A project whose state directory has all files that a run, a comparison and a schedule leave there. */
export async function worked(): Promise<Project> {
  const project = newProject({});
  project.write("mint.yaml", MINT_ONCE);
  project.write("ticking.yaml", TICKING);
  project.write("comparing.yaml", COMPARING);
  for (const args of [
    ["run", "mint.yaml"],
    ["run", "comparing.yaml"],
    ["schedule", "--once", "ticking.yaml"],
  ]) {
    const ended = await project.run(...args);
    expect(ended.code, ended.transcript).toBe(0);
  }
  return project;
}

/** A file in its own folder. Neither may change. */
export function newVictim(): { readonly path: string; readonly assertUntouched: (transcript: string) => void } {
  const folder = temporaryFolder();
  const path = join(folder, "victim");
  writeFileSync(path, VICTIM, { mode: 0o644 });
  return {
    path,
    assertUntouched(transcript) {
      expect(readFileSync(path, "utf8"), transcript).toBe(VICTIM);
      expect(statSync(path).mode & 0o777, transcript).toBe(0o644);
      expect(readdirSync(folder), transcript).toEqual(["victim"]);
    },
  };
}

export function expectRefused(ended: Ended, says: string | RegExp): void {
  expect(ended.code, ended.transcript).toBe(2);
  expect(ended.stdout + ended.stderr, ended.transcript).toMatch(says);
}
