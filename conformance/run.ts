import { parseYaml } from "../src/source/parse.ts";
import { pathOf } from "../src/schema/pointer.ts";
import { toJson } from "../src/source/node.ts";
import { type CaseEnd, type CaseOutcome, type ConformanceCase, documentOf } from "./case.ts";
import { serveScript } from "./server.ts";

/** Runs a document against a server. */
export type CaseRunner = (document: string, url: string) => Promise<{ readonly end: CaseEnd; readonly why?: string | undefined }>;

/** Runs a case with a runner, against a new server. */
export async function runCase(one: ConformanceCase, runner: CaseRunner): Promise<CaseOutcome> {
  const server = await serveScript(one.server);
  try {
    const { end, why } = await runner(documentOf(one), server.url);
    return { requests: server.requestsOf(operationsIn(one)), end, ...(why === undefined ? {} : { why }) };
  } finally {
    await server.close();
  }
}

// A runner may make requests of its own, so only the requests for the document's operations are compared.
function operationsIn({ document }: ConformanceCase): ReadonlySet<string> {
  const { root } = parseYaml("case.yaml", document);
  const text = JSON.stringify(root === undefined ? null : toJson(root));
  const paths = text.matchAll(/"operationPath":"[^"#]*#(\/paths\/[^"]+)"/g);
  return new Set(
    Array.from(paths, ([, pointer = ""]) => {
      const [, path = "", method = ""] = pathOf(pointer);
      return `${method.toUpperCase()} ${path}`;
    }),
  );
}
