// Removes the parts of libraries that we never use, because each Node module adds milliseconds to every start, and each line adds some time.
import type { Plugin } from "rolldown";

/** The replacement of a module, for importers in one folder. */
interface Instead {
  readonly module: RegExp;
  readonly of: string;
  readonly code: string;
}

const UNDICI = "/node_modules/undici/";

const INSTEAD: Readonly<Record<string, Instead>> = {
  // Used only for subcommands that are separate executables, which we do not have.
  child_process: { module: /^(?:node:)?child_process$/, of: "/node_modules/commander/", code: "module.exports = {};" },
  // Importing this module opens every standard stream.
  process: { module: /^(?:node:)?process$/, of: "/node_modules/", code: "module.exports = globalThis.process;" },
  // Used only for a limit that we set ourselves, and to test whether a body is an incoming request.
  http: { module: /^node:http$/, of: UNDICI, code: "module.exports = { IncomingMessage: class {} };" },
  // We only use HTTP/1.1 with the stable parser, and only send texts.
  h2: { module: /\/client-h2\.js$/, of: UNDICI, code: "module.exports = undefined;" },
  parser: { module: /\/parser-h1\.js$/, of: UNDICI, code: "module.exports = { getMiloEnabled: () => false };" },
  body: { module: /\/web\/(?:fetch\/body|fetch\/formdata|webidl)(?:\.js)?$/, of: UNDICI, code: "module.exports = {};" },
  // With NODE_DEBUG, this module prints the path of each request, which may contain a secret. Nothing listens to its channels.
  diagnostics: {
    module: /\/diagnostics\.js$/,
    of: UNDICI,
    code: "const none = { hasSubscribers: false }; module.exports = { channels: new Proxy({}, { get: () => none }) };",
  },
  // Imported only for traces of exemplars, which we do not use.
  traces: { module: /^@opentelemetry\/api$/, of: "/node_modules/prom-client/", code: "module.exports = {};" },
};

const LIGHT = "light:";

/** Returns whether an import is left to Node. */
export function isBuiltin(id: string, importer: string | undefined): boolean {
  return id.startsWith("node:") && lightOf(id, importer) === undefined;
}

/** Replaces the parts that we never use with lighter ones, which are bundled with the library that imports them. */
export const lighter: Plugin = {
  name: "lighter",
  resolveId: lightOf,
  load: (id) => (id.startsWith(LIGHT) ? INSTEAD[id.slice(id.lastIndexOf("/") + 1)]?.code : undefined),
};

/** Escapes all characters that are not ASCII. Otherwise V8 would store the whole file with two bytes per character. */
export const ascii: Plugin = {
  name: "ascii",
  renderChunk: (code) => code.replaceAll(/\P{ASCII}/gu, (letter) => letter.split("").map(spelled).join("")),
};

function spelled(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function lightOf(id: string, importer = ""): string | undefined {
  const found = Object.entries(INSTEAD).find(([, { module, of }]) => importer.includes(of) && module.test(id));
  return found && `${LIGHT}${found[1].of}${found[0]}`;
}
