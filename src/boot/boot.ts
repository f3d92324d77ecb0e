// Loads the command line. Node's own compile cache holds of a file what is compiled while it is loaded, and most functions are compiled when they are
// first called: a fifth of a short run. So what V8 has compiled by the end of a command is kept for the next of its name.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import Module, { createRequire } from "node:module";
import { basename, dirname, isAbsolute, join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";
import { setV8Flags } from "../base/v8-flags.ts";
import { embeddedFile } from "../files/embedded.ts";
import { isOurs, strangeWriter } from "../files/owner.ts";

/** What is in `dist/`: another build never takes the code of this one for its own. */
declare const BUILD: string;

/** Folders of code that are kept: one for each build, and for each set of flags that somebody starts its commands with. */
const KEPT_FOLDERS = 4;

/** The name of such a folder: the hash of the build, and V8's number for its flags. */
const OUR_FOLDER = /^[0-9a-f]{16}-\d+$/;

type CompileModule = (this: NodeJS.Module, text: string, file: string) => unknown;

// By this name Node's loader of CommonJS calls its compiler: where everybody hooks in who compiles in his own way.
const COMPILE = "_compile";
const loader = Module.prototype as unknown as { [COMPILE]: CompileModule };

// V8 compiles what is called often once more, and better, in threads of its own. Both take longer than a run has left for it to pay:
// - undici's reader of answers, which is WebAssembly and reads one in 10 µs as it is: 90 ms and 15 MB, a tenth of a run of 300 steps. A budget that is
//   merely large is used up after some hundred answers;
// - a function of ours after some thousand calls, on a core that the service may need. What a reconciliation calls is called a million times.
const COMPILE_LATER = "--no-wasm-dynamic-tiering --no-wasm-tier-up --invocation-count-for-turbofan=300000";

/** Runs the command line of this process. */
export async function boot(): Promise<void> {
  setV8Flags(COMPILE_LATER);
  const caches = cacheFolder();
  if (caches !== undefined && isOwnOrAbsent(caches)) new CodeCache(caches).serve(import.meta.dirname);
  const { main } = createRequire(import.meta.url)("./cli.cjs") as { main: () => Promise<void> };
  await main();
}

// Not where all may write, as in `/tmp`: it lies in the user's own folder, or nowhere.
function cacheFolder(): string | undefined {
  const { HOME = "", XDG_CACHE_HOME = "", LOCALAPPDATA = "", NODE_DISABLE_COMPILE_CACHE } = process.env;
  if (NODE_DISABLE_COMPILE_CACHE !== undefined) return undefined;
  const caches = [XDG_CACHE_HOME, LOCALAPPDATA, join(HOME, ".cache")].find((path) => isAbsolute(path));
  return caches === undefined ? undefined : join(caches, "tokenbook");
}

interface Missing {
  readonly file: string;
  readonly script: Script;
}

/** Where compiled code says under which flags it was made. V8 takes none of others. */
const HASH_OF_FLAGS = { at: 12, end: 16 };

// What is always killed keeps nothing itself. It loads what `run` does: a sixth of its time.
const KEPT_BY: Readonly<Record<string, string>> = { "crash-child": "run" };

/** Compiled code of this build, by command. */
class CodeCache {
  readonly #builds: string;
  readonly #command: string = KEPT_BY[process.argv[2] ?? ""] ?? /^[a-z]+$/.exec(process.argv[2] ?? "")?.[0] ?? "none";
  readonly #missing: Missing[] = [];
  readonly #start = presentFlags();

  constructor(builds: string) {
    this.#builds = builds;
  }

  /** Compiles the files below a folder with what is kept; keeps what was missing once the command has succeeded. */
  serve(folder: string): void {
    const usual = loader[COMPILE];
    const load = (module: NodeJS.Module, text: string, file: string): unknown => this.#load(module, text, file);
    loader[COMPILE] = function compile(text, file) {
      return file.startsWith(folder) ? load(this, text, file) : usual.call(this, text, file);
    };
    process.once("exit", (code) => {
      if (code === 0 && this.#missing.length > 0) this.#keep();
    });
  }

  #load(module: NodeJS.Module, text: string, filename: string): unknown {
    const file = join(this.#builds, `${BUILD}-${this.#start.tag}`, this.#command, basename(filename));
    // A single binary brings what few commands need most.
    const code = contentOf(file) ?? embeddedFile(`code/${this.#command}/${basename(filename)}`);
    const cachedData = code && moved(code, this.#start, presentFlags());
    const script = new Script(Module.wrap(text), { filename, ...(cachedData === undefined ? {} : { cachedData }) });
    if (cachedData === undefined || script.cachedDataRejected === true) this.#missing.push({ file, script });
    const run = script.runInThisContext() as (this: unknown, ...given: readonly unknown[]) => unknown;
    return run.call(module.exports, module.exports, createRequire(filename), module, filename, dirname(filename));
  }

  // Whatever keeps it from being written costs the next command some time, and nothing else.
  #keep(): void {
    try {
      this.#write();
      this.#forgetOldOnes();
    } catch {
      // A home that cannot be written to, or no room.
    }
  }

  #write(): void {
    for (const { file, script } of this.#missing) {
      if (makeOwnFolder(this.#builds) && makeOwnFolder(dirname(dirname(file))) && makeOwnFolder(dirname(file)))
        writeDurably(file, moved(script.createCachedData(), presentFlags(), this.#start));
    }
  }

  #forgetOldOnes(): void {
    if (!isOwnFolder(this.#builds)) return;
    const names = readdirSync(this.#builds).filter((name) => OUR_FOLDER.test(name));
    const folders = names.map((name) => join(this.#builds, name)).filter(isOwnFolder);
    const newestFirst = folders.map((path) => ({ path, at: lstatSync(path).mtimeMs })).toSorted((a, b) => b.at - a.at);
    for (const { path } of newestFirst.slice(KEPT_FOLDERS)) rmSync(path, { recursive: true, force: true });
  }
}

interface Flags {
  /** The number of V8 and its flags. */
  readonly tag: number;
  /** What code says that is made under them. */
  readonly hash: Buffer;
}

let lastFlags: Flags | undefined;

function presentFlags(): Flags {
  const tag = cachedDataVersionTag();
  if (lastFlags?.tag !== tag)
    lastFlags = { tag, hash: new Script("").createCachedData().subarray(HASH_OF_FLAGS.at, HASH_OF_FLAGS.end) };
  return lastFlags;
}

// A command sets flags while it runs, and these change no code: what was made before is good afterwards.
function moved(code: Buffer, from: Flags, to: Flags): Buffer {
  if (from.tag === to.tag || !code.subarray(HASH_OF_FLAGS.at, HASH_OF_FLAGS.end).equals(from.hash)) return code;
  const copy = Buffer.from(code);
  to.hash.copy(copy, HASH_OF_FLAGS.at);
  return copy;
}

function isOwnOrAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined || isOwnFolder(path);
  } catch {
    return false; // a file is where a folder above it would be
  }
}

function makeOwnFolder(path: string): boolean {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return isOwnFolder(path);
}

// Behind a link are other people's files, which are not ours to remove; in a folder that others may write, they choose what we run.
function isOwnFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && isOurs(found) && strangeWriter(found) === undefined;
}

// Whoever can write code that we read runs it as us: the file of another, or one that others may write to, is as good as none. It is
// looked at once it is open, so that none can be put in its place meanwhile.
function contentOf(file: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(descriptor);
    return found.isFile() && isOurs(found) && strangeWriter(found) === undefined ? readFileSync(descriptor) : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

// V8 does not look whether the code it is given is as it was written: half a file must never be there, not even after a power failure.
function writeDurably(file: string, content: Buffer): void {
  // Loading node:crypto would cost every command 7 ms of its start; the global one is loaded when it is first used.
  const draft = `${file}.${crypto.randomUUID()}.tmp`;
  const descriptor = openSync(draft, "wx", 0o600);
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, file);
}
