import { demandAt } from "../../schema/demand.ts";
import { SchemaSet } from "../../schema/validator.ts";

const TEXT = { type: "string" };
const COUNT = { type: "integer", minimum: 0 };
const DOCUMENT = object({ uri: TEXT });
const POSITION = object({ line: COUNT, character: COUNT });
const RANGE = object({ start: POSITION, end: POSITION });
const AT = object({ textDocument: DOCUMENT, position: POSITION });

/** The JSON Schema of the parameters of each message that the server acts on. An editor may add fields of its own. */
export const MESSAGE_PARAMS: Readonly<Record<string, object>> = {
  initialize: object(
    { capabilities: object({}, { workspace: { type: "object" } }) },
    { rootUri: { type: ["string", "null"] }, workspaceFolders: { type: ["array", "null"], items: DOCUMENT } },
  ),
  "textDocument/didOpen": object({
    textDocument: object({ uri: TEXT, languageId: TEXT, version: { type: "integer" }, text: TEXT }),
  }),
  "textDocument/didChange": object({
    textDocument: object({ uri: TEXT, version: { type: ["integer", "null"] } }),
    contentChanges: { type: "array", items: object({ text: TEXT }, { range: RANGE }) },
  }),
  "textDocument/didClose": object({ textDocument: DOCUMENT }),
  "textDocument/completion": AT,
  "textDocument/hover": AT,
  "textDocument/definition": AT,
  "textDocument/references": object({
    textDocument: DOCUMENT,
    position: POSITION,
    context: object({ includeDeclaration: { type: "boolean" } }),
  }),
  "textDocument/prepareRename": AT,
  "textDocument/rename": object({ textDocument: DOCUMENT, position: POSITION, newName: TEXT }),
  "textDocument/documentSymbol": object({ textDocument: DOCUMENT }),
  "textDocument/codeAction": object({ textDocument: DOCUMENT, range: RANGE }),
  "completionItem/resolve": object({ label: TEXT }),
};

function object(required: Readonly<Record<string, object>>, optional: Readonly<Record<string, object>> = {}): object {
  return { type: "object", required: Object.keys(required), properties: { ...required, ...optional } };
}

const schemas = new SchemaSet();

/** Returns what is wrong with the parameters of a message; nothing if they have their types. */
export function wrongParams(message: { readonly method?: unknown; readonly params?: unknown }): string | undefined {
  const method = String(message.method);
  const schema = Object.hasOwn(MESSAGE_PARAMS, method) ? MESSAGE_PARAMS[method] : undefined;
  const [problem] = schema === undefined ? [] : schemas.plainValidator(schema)(message.params);
  return problem && `${method}: ${demandAt("params", problem)}`;
}
