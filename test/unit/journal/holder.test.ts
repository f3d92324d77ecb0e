import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive, thisProcess } from "../../../src/journal/holder.ts";
import type { Holder } from "../../../src/protocol/record.ts";

function fieldsOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function holderOf(pid: number): Holder {
  return { ...thisProcess(), pid, startedAt: fieldsOf(pid)[19] ?? "" };
}

function endsWithTest(child: ChildProcess): void {
  onTestFinished(() => void child.kill("SIGKILL"));
}

test("a killed process that nobody waits for holds nothing, though its pid is still there", async () => {
  // What takes the shell's place knows of no child.
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
  endsWithTest(parent);
  const [printed] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(printed.toString());
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8").trim()).toBe("sleep");
  const holder = holderOf(pid);
  expect(isAlive(holder)).toBe(true);
  process.kill(pid, "SIGKILL");
  await expect.poll(() => fieldsOf(pid)[0]).toBe("Z");
  expect(isAlive(holder)).toBe(false);
});

test("a living process is alive, whatever its name looks like", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-holder-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  copyFileSync("/bin/sleep", join(folder, "a) Z (b"));
  const child = spawn(join(folder, "a) Z (b"), ["60"]);
  endsWithTest(child);
  await once(child, "spawn");
  expect(readFileSync(`/proc/${child.pid}/stat`, "utf8")).toContain("(a) Z (b)");
  expect(isAlive(holderOf(child.pid ?? 0))).toBe(true);
});
