// Leaves out what libraries import of Node and we never use: each such module costs milliseconds of every start.
import type { Plugin } from "rolldown";

const INSTEAD: Readonly<Record<string, { readonly of: string; readonly code: string }>> = {
  // Commands that are programs of their own.
  child_process: { of: "/node_modules/commander/", code: "module.exports = {};" },
  // As an import it opens every standard stream.
  process: { of: "/node_modules/", code: "module.exports = globalThis.process;" },
  // undici does the same where Node has none; we ask for HTTP/1.1 only.
  http2: { of: "/node_modules/undici/", code: "module.exports = { constants: {} };" },
};

const LIGHT = "light:";

/** Whether an import is left to Node. */
export function isBuiltin(id: string, importer: string | undefined): boolean {
  return id.startsWith("node:") && !isLeftOut(id, importer);
}

/** Puts something lighter in the place of what we never use; it lies with the library that asked. */
export const lighter: Plugin = {
  name: "lighter",
  resolveId: (id, importer) => (isLeftOut(id, importer) ? `${LIGHT}${INSTEAD[bare(id)]?.of}${bare(id)}` : undefined),
  load: (id) => (id.startsWith(LIGHT) ? INSTEAD[id.slice(id.lastIndexOf("/") + 1)]?.code : undefined),
};

function isLeftOut(id: string, importer = ""): boolean {
  const instead = INSTEAD[bare(id)];
  return instead !== undefined && importer.includes(instead.of);
}

function bare(id: string): string {
  return id.replace(/^node:/, "");
}
