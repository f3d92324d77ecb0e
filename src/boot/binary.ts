// The entry of the single binary: what `dist/` holds in a package is inside the program, and the loader of modules finds it there.
import Module from "node:module";
import { embeddedFile } from "../files/embedded.ts";
import { boot } from "./boot.ts";

// By these names Node's loader of CommonJS finds a module, reads it by how its name ends, and compiles it.
const RESOLVE = "_resolveFilename";
const READERS = "_extensions";
const COMPILE = "_compile";

interface Loader {
  [RESOLVE]: (this: unknown, request: string, ...more: readonly unknown[]) => string;
  readonly [READERS]: Record<string, (module: Readable, file: string) => void>;
}
interface Readable {
  readonly [COMPILE]: (text: string, file: string) => void;
}

const loader = Module as unknown as Loader;

/** The folder in which traces show the modules: a path that no file can have. */
const FOLDER = `${process.execPath}/`;

const resolveOnDisk = loader[RESOLVE];
loader[RESOLVE] = function resolve(request, ...more) {
  // `./chunks/NAME.cjs`, `#checks/NAME` and `#NAME` end with the name of the module, which no two of them share.
  const name = /^[.#](?:.*\/)?([^/]+?)(?:\.cjs)?$/.exec(request)?.[1];
  return name === undefined ? resolveOnDisk.call(this, request, ...more) : `${FOLDER}${name}.cjs`;
};
loader[READERS][".cjs"] = (module, file) => {
  const text = embeddedFile(file.slice(FOLDER.length));
  if (text === undefined) throw new Error(`${file} is missing in this binary`);
  module[COMPILE](text.toString("latin1"), file);
};

void boot();
