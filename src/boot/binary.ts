// The entry of the single binary. The program contains the modules that a package has in `dist/`, and this file makes Node's module loader find them.
import Module from "node:module";
import { embeddedFile } from "../files/embedded.ts";
import { boot } from "./boot.ts";

// Node's CommonJS loader calls these properties to find a module, to read it by its file extension, and to compile it.
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

/** The folder that stack traces show for embedded modules. It lies below the program itself, so no real file can have such a path. */
const FOLDER = `${process.execPath}/`;

const resolveOnDisk = loader[RESOLVE];
loader[RESOLVE] = function resolve(request, ...more) {
  // `./chunks/NAME.cjs`, `#checks/NAME` and `#NAME` end with the name of the module, and no two modules share a name.
  const name = /^[.#](?:.*\/)?([^/]+?)(?:\.cjs)?$/.exec(request)?.[1];
  return name === undefined ? resolveOnDisk.call(this, request, ...more) : `${FOLDER}${name}.cjs`;
};
loader[READERS][".cjs"] = (module, file) => {
  const text = embeddedFile(file.slice(FOLDER.length));
  if (text === undefined) throw new Error(`${file} is missing in this binary`);
  module[COMPILE](text.toString("latin1"), file);
};

void boot();
