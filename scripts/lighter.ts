// Leaves out what libraries bring along and we never use: each module of Node costs milliseconds of every start, each line some.
import type { Plugin } from "rolldown";

/** The replacement of a module, for importers below a folder. */
interface Instead {
  readonly module: RegExp;
  readonly of: string;
  readonly code: string;
}

const UNDICI = "/node_modules/undici/";

const INSTEAD: Readonly<Record<string, Instead>> = {
  // Commands that are programs of their own.
  child_process: { module: /^(?:node:)?child_process$/, of: "/node_modules/commander/", code: "module.exports = {};" },
  // As an import it opens every standard stream.
  process: { module: /^(?:node:)?process$/, of: "/node_modules/", code: "module.exports = globalThis.process;" },
  // Asked for a limit, which we set, and whether a body is a request that came in.
  http: { module: /^node:http$/, of: UNDICI, code: "module.exports = { IncomingMessage: class {} };" },
  // We ask for HTTP/1.1 only, by the parser that is not experimental, and send texts.
  h2: { module: /\/client-h2\.js$/, of: UNDICI, code: "module.exports = undefined;" },
  parser: { module: /\/parser-h1\.js$/, of: UNDICI, code: "module.exports = { getMiloEnabled: () => false };" },
  body: { module: /\/web\/(?:fetch\/body|fetch\/formdata|webidl)(?:\.js)?$/, of: UNDICI, code: "module.exports = {};" },
  // With NODE_DEBUG it prints the path of each request, which may hold a secret; nothing listens to its channels.
  diagnostics: {
    module: /\/diagnostics\.js$/,
    of: UNDICI,
    code: "const none = { hasSubscribers: false }; module.exports = { channels: new Proxy({}, { get: () => none }) };",
  },
  // Imported for the trace of an exemplar, and there are no exemplars.
  traces: { module: /^@opentelemetry\/api$/, of: "/node_modules/prom-client/", code: "module.exports = {};" },
};

const LIGHT = "light:";

/** Whether an import is left to Node. */
export function isBuiltin(id: string, importer: string | undefined): boolean {
  return id.startsWith("node:") && lightOf(id, importer) === undefined;
}

/** Puts something lighter in the place of what we never use; it lies with the library that asked. */
export const lighter: Plugin = {
  name: "lighter",
  resolveId: lightOf,
  load: (id) => (id.startsWith(LIGHT) ? INSTEAD[id.slice(id.lastIndexOf("/") + 1)]?.code : undefined),
};

/** Spells out what is not ASCII: V8 keeps a file in one byte a character, or all of it in two. */
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
