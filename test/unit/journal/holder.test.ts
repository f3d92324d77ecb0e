import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { Holders, isGoneHere, processSpace, spellHolder, thisProcess } from "../../../src/journal/holder.ts";
import type { Holder } from "../../../src/protocol/record.ts";

const HOLDER = fileURLToPath(new URL("../../../src/journal/holder.ts", import.meta.url));
/** A program that takes a lock in the given folder, prints who it is, and waits. */
const HOLDS = `import { Holders } from ${JSON.stringify(HOLDER)};
console.log(JSON.stringify(new Holders(process.argv[1]).me()));
setInterval(() => {}, 1e9);`;
const NODE = [process.execPath, "--input-type=module", "--disable-warning=ExperimentalWarning", "-e", HOLDS];

const UNSHARE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
const canUnshare = spawnSync(UNSHARE[0] ?? "", [...UNSHARE.slice(1), "true"]).status === 0;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-holder-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts another process that holds something in a state directory. */
async function holding(folder: string, ...before: readonly string[]): Promise<{ child: ChildProcess; holder: Holder }> {
  const [program, ...args] = [...before, ...NODE, folder];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  endsWithTest(child);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { child, holder: JSON.parse(line.toString()) as Holder };
}

function fieldsOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Returns a holder as earlier versions recorded it, without a lock. */
function holderOf(pid: number): Holder {
  return { ...thisProcess(), pid, startedAt: fieldsOf(pid)[19] ?? "" };
}

function endsWithTest(child: ChildProcess): void {
  onTestFinished(() => void child.kill("SIGKILL"));
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

test("a process of another container with the same host name does not count as dead because of its pid", () => {
  const gone = { ...thisProcess(), pid: 4_194_304, startedAt: "1" };
  const space = processSpace();
  expect(isGoneHere({ ...gone, ...(space === undefined ? {} : { space }) })).toBe(true);
  expect(isGoneHere({ ...gone, space: "1" })).toBe(false);
});

test("a process is alive while it runs or is stopped, and dead once it is killed; then its lock file is removed", async () => {
  const folder = newFolder();
  const { child, holder } = await holding(folder);
  const here = new Holders(folder);
  expect(here.lifeOf(holder)).toBe("alive");
  child.kill("SIGSTOP");
  await expect.poll(() => fieldsOf(child.pid ?? 0)[0]).toBe("T");
  expect(here.lifeOf(holder)).toBe("alive");
  // The lock decides, even if the pid says that the holder is gone.
  expect(here.lifeOf({ ...holder, pid: 4_194_304, startedAt: "1" })).toBe("alive");
  await killed(child);
  expect(here.lifeOf(holder)).toBe("dead");
  expect(readdirSync(join(folder, "holders"))).toEqual([holder.lock?.file]);
  const { lock } = here.me();
  expect(readdirSync(join(folder, "holders"))).toEqual([lock?.file]);
  expect(here.lifeOf(holder)).toBe("dead");
  here.close();
  expect(readdirSync(join(folder, "holders"))).toEqual([]);
});

test("a lock is one empty file that only its owner can read", async () => {
  const folder = newFolder();
  const { holder } = await holding(folder);
  expect(readdirSync(join(folder, "holders"))).toEqual([holder.lock?.file]);
  const { size, mode } = statSync(join(folder, "holders", holder.lock?.file ?? ""));
  expect([size, mode & 0o777]).toEqual([0, 0o600]);
  expect(statSync(join(folder, "holders")).mode & 0o777).toBe(0o700);
});

test.runIf(canUnshare).each([
  ["the same host name", [], "dead"],
  ["another host name", ["--uts", "sh", "-c", 'hostname elsewhere; exec "$@"', "sh"], "dead"],
] as const)("a process of another container, with %s, is alive until it is killed", async (_, before, then) => {
  const folder = newFolder();
  const [uts = "", ...rest] = before;
  const { child, holder } = await holding(folder, ...UNSHARE, ...(uts === "" ? [] : [uts]), ...rest);
  const here = new Holders(folder);
  expect(holder).toMatchObject({ pid: 1, bootId: thisProcess().bootId, host: uts === "" ? hostname() : "elsewhere" });
  expect(here.lifeOf(holder)).toBe("alive");
  await killed(child);
  await expect.poll(() => here.lifeOf(holder)).toBe(then);
  const { lock } = here.me(); // a new holder removes the file of the dead one
  expect(readdirSync(join(folder, "holders"))).toEqual([lock?.file]);
  expect(here.lifeOf(holder)).toBe(then);
  here.close();
});

test("a lock of this kernel shows whether a process is alive; without a lock, the host name must match", () => {
  const folder = newFolder();
  const here = new Holders(folder);
  const lock = { file: "0123456789abcdef.lock", inode: "1" };
  const known = thisProcess();
  const gone = { ...known, pid: 4_194_304, startedAt: "1" };
  expect(here.lifeOf({ ...gone, lock })).toBe("dead");
  expect(here.lifeOf({ ...gone, host: "elsewhere", lock })).toBe("dead");
  expect(here.lifeOf({ ...gone, host: "elsewhere" })).toBe("unknown");
  expect(here.lifeOf({ ...gone, bootId: "another", lock })).toBe("dead"); // the machine has restarted since
  expect(here.lifeOf({ ...gone, bootId: "another", host: "elsewhere", lock })).toBe("unknown");
  expect(here.lifeOf({ ...gone, lock: { file: "../journal.db", inode: "1" } })).toBe("unknown");
});

test("in a copy of the state directory, the process itself shows whether the holder is alive, and not the lock", async () => {
  const [folder, copy] = [newFolder(), newFolder()];
  const { child, holder } = await holding(folder);
  cpSync(folder, copy, { recursive: true });
  const there = new Holders(copy);
  expect(there.lifeOf(holder)).toBe("alive");
  expect(there.lifeOf({ ...holder, host: "elsewhere" })).toBe("unknown");
  await killed(child);
  await expect.poll(() => there.lifeOf(holder)).toBe("dead");
});

test("the stores of one process share a lock until the last store is closed", () => {
  const folder = newFolder();
  const [one, other] = [new Holders(folder), new Holders(folder)];
  const me = one.me();
  expect(other.me()).toEqual(me);
  expect([other.isMe(me), other.lifeOf(me), one.isSeen()]).toEqual([true, "alive", true]);
  one.close();
  expect(existsSync(join(folder, "holders", me.lock?.file ?? ""))).toBe(true);
  expect(other.lifeOf(me)).toBe("alive");
  other.close();
  expect([other.isMe(me), other.lifeOf(me)]).toEqual([false, "dead"]);
});

test("a process notices that its lock file is gone", () => {
  const folder = newFolder();
  const here = new Holders(folder);
  const { lock } = here.me();
  rmSync(join(folder, "holders", lock?.file ?? ""));
  expect(here.isSeen()).toBe(false);
  here.close();
});

test("a killed holder of an earlier version is dead, even while its pid still exists", async () => {
  // `exec` replaces the shell by a program that does not know of the shell's child, so nobody waits for that child.
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
  endsWithTest(parent);
  const [printed] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(printed.toString());
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8").trim()).toBe("sleep");
  const holder = holderOf(pid);
  const here = new Holders(newFolder());
  expect(here.lifeOf(holder)).toBe("alive");
  process.kill(pid, "SIGKILL");
  await expect.poll(() => fieldsOf(pid)[0]).toBe("Z");
  expect(here.lifeOf(holder)).toBe("dead");
});

test("a live holder of an earlier version is alive, whatever its name looks like", async () => {
  const folder = newFolder();
  copyFileSync("/bin/sleep", join(folder, "a) Z (b"));
  const child = spawn(join(folder, "a) Z (b"), ["60"]);
  endsWithTest(child);
  await once(child, "spawn");
  expect(readFileSync(`/proc/${child.pid}/stat`, "utf8")).toContain("(a) Z (b)");
  expect(new Holders(folder).lifeOf(holderOf(child.pid ?? 0))).toBe("alive");
});

test("the text for a holder shows where it runs", () => {
  const me = thisProcess();
  expect(spellHolder(me)).toBe(`process ${me.pid} on this host`);
  expect(spellHolder({ ...me, host: "a1b2" })).toBe(`process ${me.pid} on a1b2, a container of this machine`);
  expect(spellHolder({ ...me, host: "a1b2", bootId: "another" })).toBe(`process ${me.pid} on a1b2`);
});
