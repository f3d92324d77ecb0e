// Loads the command line. Node's own compile cache holds only the functions that were compiled while a file was loaded. V8 compiles most functions when they
// are first called, which takes a fifth of a short run. So we cache everything that V8 has compiled by the end of a command, for the next command of the same
// name.
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

/** A hash of the code in `dist/`. It keeps one build from using the cached code of another. */
declare const BUILD: string;

/** How many cache folders we keep. Each build has one for each set of V8 flags that its commands were started with. */
const KEPT_FOLDERS = 4;

/** The name of a cache folder: the hash of the build, and V8's number for its flags. */
const OUR_FOLDER = /^[0-9a-f]{16}-\d+$/;

type CompileModule = (this: NodeJS.Module, text: string, file: string) => unknown;

// Node's CommonJS loader calls its compiler by this name. Everybody who compiles modules in another way replaces it.
const COMPILE = "_compile";
const loader = Module.prototype as unknown as { [COMPILE]: CompileModule };

// V8 recompiles code that is called often, with more optimization, on background threads. Two of these optimizations pay off only after most runs have ended:
// - undici's response parser, which is WebAssembly and already parses a response in 10 µs. Optimizing it takes 90 ms and 15 MB, a tenth of a run of 300 steps.
//   A larger budget would not help: it is used up after a few hundred responses;
// - a function of ours after a few thousand calls, on a core that the service may need. The functions of a reconciliation are called a million times.
const COMPILE_LATER = "--no-wasm-dynamic-tiering --no-wasm-tier-up --invocation-count-for-turbofan=300000";

/** Runs the command line of this process. */
export async function boot(): Promise<void> {
  setV8Flags(COMPILE_LATER);
  const caches = cacheFolder();
  if (caches !== undefined && isOwnOrAbsent(caches)) new CodeCache(caches).serve(import.meta.dirname);
  const { main } = createRequire(import.meta.url)("./cli.cjs") as { main: () => Promise<void> };
  await main();
}

// Returns a folder below the user's own, or none: never a folder where everybody may write, such as `/tmp`.
function cacheFolder(): string | undefined {
  const { HOME = "", XDG_CACHE_HOME = "", LOCALAPPDATA = "", NODE_DISABLE_COMPILE_CACHE } = process.env;
  if (NODE_DISABLE_COMPILE_CACHE !== undefined) return undefined;
  const caches = [XDG_CACHE_HOME, LOCALAPPDATA, join(HOME, ".cache")].find((path) => isAbsolute(path));
  return caches === undefined ? undefined : join(caches, "tokenbook");
}

interface MissingScript {
  readonly file: string;
  readonly script: Script;
}

/** The bytes in which compiled code names the flags that it was made under. V8 rejects code that was made under other flags. */
const HASH_OF_FLAGS = { at: 12, end: 16 };

// A crash child is always killed before it could write its cache, so it uses the cache of `run`, which loads the same files. That saves a sixth of its time.
const KEPT_BY: ReadonlyMap<string, string> = new Map([["crash-child", "run"]]);

/** The cache of compiled code of this build, by command. */
class CodeCache {
  readonly #builds: string;
  readonly #command: string = KEPT_BY.get(process.argv[2] ?? "") ?? /^[a-z]+$/.exec(process.argv[2] ?? "")?.[0] ?? "none";
  readonly #missing: MissingScript[] = [];
  readonly #start = presentFlags();

  constructor(builds: string) {
    this.#builds = builds;
  }

  /** Compiles the files below a folder with the cached code. Once the command has succeeded, it caches what was missing. */
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
    // A single binary contains the compiled code of a few frequent commands.
    const code = contentOf(file) ?? embeddedFile(`code/${this.#command}/${basename(filename)}`);
    const cachedData = code && moved(code, this.#start, presentFlags());
    const script = new Script(Module.wrap(text), { filename, ...(cachedData === undefined ? {} : { cachedData }) });
    if (cachedData === undefined || script.cachedDataRejected === true) this.#missing.push({ file, script });
    const run = script.runInThisContext() as (this: unknown, ...given: readonly unknown[]) => unknown;
    return run.call(module.exports, module.exports, createRequire(filename), module, filename, dirname(filename));
  }

  // If the cache cannot be written, the next command takes longer, and nothing else is lost.
  #keep(): void {
    try {
      this.#write();
      this.#forgetOldOnes();
    } catch {
      // The home folder is read-only, or the disk is full.
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
  /** V8's number for its version and flags. */
  readonly tag: number;
  /** The bytes that code compiled under these flags contains. */
  readonly hash: Buffer;
}

let lastFlags: Flags | undefined;

function presentFlags(): Flags {
  const tag = cachedDataVersionTag();
  if (lastFlags?.tag !== tag)
    lastFlags = { tag, hash: new Script("").createCachedData().subarray(HASH_OF_FLAGS.at, HASH_OF_FLAGS.end) };
  return lastFlags;
}

// A command sets flags while it runs. They do not change the compiled code, so code from before stays valid: only its hash of the flags is replaced.
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
    return false; // a file is in the place of a parent folder
  }
}

function makeOwnFolder(path: string): boolean {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return isOwnFolder(path);
}

// Behind a link are other people's files, which we must not remove. And whoever may write to a folder decides which code we run from it.
function isOwnFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && isOurs(found) && strangeWriter(found) === undefined;
}

// Whoever can write code that we read runs it as us, so we ignore a file that belongs to somebody else or that others may write to. We check the file after
// opening it, so that nobody can replace it in between.
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

// V8 does not verify the code that it is given, so half a file must never be in the cache, not even after a power failure.
function writeDurably(file: string, content: Buffer): void {
  // Importing node:crypto would add 7 ms to the start of every command. The global `crypto` is loaded only when it is first used.
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
