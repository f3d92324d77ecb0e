import {
  type CodeAction,
  CodeActionKind,
  type CompletionItem,
  CompletionItemKind,
  type Connection,
  createConnection,
  type Diagnostic as Shown,
  DiagnosticSeverity,
  ErrorCodes,
  DidChangeWatchedFilesNotification,
  type DocumentSymbol,
  type InitializeParams,
  type InitializeResult,
  type Location,
  LSPErrorCodes,
  type MarkupContent,
  MarkupKind,
  type Position,
  type PublishDiagnosticsParams,
  type Range,
  ResponseError,
  SymbolKind,
  type TextDocumentPositionParams,
  TextDocuments,
  TextDocumentSyncKind,
} from "vscode-languageserver/lib/common/api.js";
import {
  createProtocolConnection,
  type Message,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node.js";
import { TextDocument } from "vscode-languageserver-textdocument";
import { EXIT, type ExitCode } from "../../base/exit.ts";
import { messageOf } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { sanitise } from "../../base/text/text.ts";
import { VERSION } from "../../base/version.ts";
import { present } from "../../base/present.ts";
import { complete, type Offer } from "../../editor/completion.ts";
import { definition } from "../../editor/definition.ts";
import { hover } from "../../editor/hover.ts";
import { quickFixOf } from "../../editor/quick-fix.ts";
import { RenameRefused, renameStep, type StepUses, stepUses } from "../../editor/references.ts";
import { type PlaybookSymbol, symbolsOf } from "../../editor/symbols.ts";
import { wordsOf } from "../../report/check/checked.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import type { Range as Offsets } from "../../source/node.ts";
import type { Shell } from "../shell.ts";
import { framed, MessageInput } from "../stdio/message-input.ts";
import { wrongParams } from "./message-params.ts";
import { Workspace } from "./workspace.ts";

/** Speaks the Language Server Protocol with an editor until the editor ends it or closes its end of the pipe. */
export async function serve(shell: Shell): Promise<ExitCode> {
  const { input, output } = shell.streams();
  const { promise, resolve } = Promise.withResolvers<ExitCode>();
  const watchDog = { shutdownReceived: false, initialize: () => {}, exit: () => end() };
  const end = (): void => {
    server.stop();
    resolve(watchDog.shutdownReceived ? EXIT.passed : EXIT.failed);
  };
  const leftOut = (why: string): void => connection.console.error(`a message was left out: ${why}`);
  const takes = (message: { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown }): boolean => {
    const wrong = wrongParams(message);
    if (wrong === undefined) return true;
    if (message.id === undefined) leftOut(wrong);
    else output.write(framed({ jsonrpc: "2.0", id: message.id, error: { code: ErrorCodes.InvalidParams, message: wrong } }));
    return false;
  };
  const messages = new MessageInput({ framing: "head", limit: LIMITS.editorBytes, output, takes, leftOut });
  for (const stream of [input, output]) stream.once("error", end).once("close", end);
  messages.once("end", end).once("error", (error) => {
    shell.stderr.write(`tokenbook: the session with the editor ends: ${messageOf(error)}\n`);
    end();
  });
  const reader = new StreamMessageReader(input.pipe(messages));
  // The reader's timer for the rest of a message renews itself. It would keep the process alive if the editor quits in the middle of a message.
  reader.partialMessageTimeout = 0;
  const connection: Connection = createConnection(
    (logger) => createProtocolConnection(reader, new QuietWriter(output), logger),
    watchDog,
  );
  const server = new Server(shell, connection);
  connection.listen();
  const code = await promise;
  server.stop();
  connection.dispose();
  input.destroy();
  return code;
}

// A message that cannot be written is dropped: the editor has quit, and the closed pipe ends the server.
class QuietWriter extends StreamMessageWriter {
  override async write(message: Message): Promise<void> {
    await super.write(message).catch(() => {});
  }
}

/** We check this long after the last key, so that a person who types gets no findings about half a word. */
const PAUSE_MS = 150;

class Server {
  readonly #connection: Connection;
  readonly #documents: TextDocuments<TextDocument> = new TextDocuments(TextDocument);
  #workspace: Workspace;
  #offers: readonly Offer[] = [];
  /** The files for which the editor shows findings now. */
  #published: readonly string[] = [];
  #pause: NodeJS.Timeout | undefined;
  #watches = false;
  #gone = false;

  constructor(shell: Shell, connection: Connection) {
    this.#connection = connection;
    const open = (): readonly TextDocument[] => this.#documents.all();
    this.#workspace = new Workspace(shell, [], open);
    connection.onInitialize((params) => {
      this.#workspace = new Workspace(shell, foldersOf(params), open);
      return this.#introduce(params);
    });
    connection.onInitialized(() => this.#watch());
    connection.onDidChangeWatchedFiles(() => this.#checkSoon());
    this.#documents.onDidChangeContent(() => this.#checkSoon());
    this.#documents.onDidClose(() => this.#checkSoon());
    this.#answer(connection);
    this.#documents.listen(connection);
  }

  /** Sends nothing to the editor from now on. */
  stop(): void {
    this.#gone = true;
    clearTimeout(this.#pause);
  }

  // A request to an editor that has quit fails, and we have nobody to report it to.
  readonly #logError = (error: unknown): void => {
    if (!this.#gone) this.#connection.console.error(messageOf(error));
  };

  #introduce({ capabilities: { workspace } }: InitializeParams): InitializeResult {
    this.#watches = workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
    return {
      serverInfo: { name: "tokenbook", version: VERSION },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
        completionProvider: { triggerCharacters: [".", "/", " "], resolveProvider: true },
        hoverProvider: true,
        definitionProvider: true,
        referencesProvider: true,
        documentSymbolProvider: true,
        renameProvider: { prepareProvider: true },
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
      },
    };
  }

  // Included playbooks, schemas and data also change outside the editor.
  #watch(): void {
    if (!this.#watches) return;
    const watchers = [{ globPattern: "**/*.{yaml,yml,json,csv}" }];
    this.#connection.client.register(DidChangeWatchedFilesNotification.type, { watchers }).catch(this.#logError);
  }

  #answer(connection: Connection): void {
    connection.onCompletion((asked) => this.#at(asked, this.#complete) ?? []);
    connection.onCompletionResolve((item) => this.#describe(item));
    connection.onHover((asked) =>
      this.#at(asked, (document, offset) => {
        const found = hover(this.#workspace.fileOf(document), offset, this.#workspace);
        return found === undefined ? undefined : { contents: markdown(found.words), range: rangeIn(document, found.range) };
      }),
    );
    connection.onDefinition((asked) => this.#at(asked, this.#define));
    connection.onReferences((asked) =>
      this.#at(asked, (document, offset) => {
        const uses = this.#stepUses(document, offset);
        const found = uses === undefined ? [] : [...(asked.context.includeDeclaration ? [uses.declaration] : []), ...uses.uses];
        return found.map((range): Location => ({ uri: document.uri, range: rangeIn(document, range) }));
      }),
    );
    connection.onPrepareRename((asked) =>
      this.#at(asked, (document, offset) => {
        const uses = this.#stepUses(document, offset);
        const range = uses && [uses.declaration, ...uses.uses].find(({ start, end }) => start <= offset && offset <= end);
        return uses && range && { range: rangeIn(document, range), placeholder: uses.id };
      }),
    );
    connection.onRenameRequest((asked) => this.#at(asked, (document, offset) => this.#rename(document, offset, asked.newName)));
    connection.onDocumentSymbol(({ textDocument: { uri } }) => this.#symbols(uri));
    connection.onCodeAction(({ textDocument: { uri }, range }) => {
      const document = this.#documents.get(uri);
      return document === undefined ? [] : this.#actions(document, range);
    });
  }

  /** Returns what `say` answers about a place in an open document; nothing for any other document. */
  #at<T>(
    { textDocument, position }: TextDocumentPositionParams,
    say: (document: TextDocument, offset: number) => T,
  ): T | undefined {
    const document = this.#documents.get(textDocument.uri);
    return document === undefined ? undefined : say(document, document.offsetAt(position));
  }

  readonly #complete = (document: TextDocument, offset: number): CompletionItem[] => {
    this.#offers = complete(this.#workspace.fileOf(document), offset, this.#workspace);
    return this.#offers.map(({ label, kind, detail, replaces }, at) => ({
      label: sanitise(label),
      kind: KINDS[kind],
      ...present({ detail: detail && sanitise(detail) }),
      sortText: String(at).padStart(4, "0"),
      textEdit: { range: rangeIn(document, replaces), newText: label },
      data: at,
    }));
  };

  // We make the page of an operation only for the completion that the person looks at.
  #describe(item: CompletionItem): CompletionItem {
    const offer = this.#offers[Number(item.data)];
    const words = offer !== undefined && sanitise(offer.label) === item.label ? offer.documentation() : undefined;
    return words === undefined ? item : { ...item, documentation: markdown(words) };
  }

  readonly #define = (document: TextDocument, offset: number): Location | undefined => {
    const found = definition(this.#workspace.fileOf(document), offset, this.#workspace);
    if (found === undefined) return undefined;
    const uri = this.#workspace.uriOf(found.path);
    if (uri === undefined) return undefined;
    const there = this.#documents.get(uri) ?? TextDocument.create(uri, "yaml", 0, this.#workspace.textOf(found.path) ?? "");
    return { uri, range: rangeIn(there, found) };
  };

  #stepUses(document: TextDocument, offset: number): StepUses | undefined {
    return stepUses(this.#workspace.fileOf(document), offset, this.#workspace);
  }

  #rename(document: TextDocument, offset: number, newText: string): object | ResponseError | undefined {
    const uses = this.#stepUses(document, offset);
    if (uses === undefined) return undefined;
    try {
      const ranges = renameStep(this.#workspace.fileOf(document), uses, newText, this.#workspace);
      return { changes: { [document.uri]: ranges.map((range) => ({ range: rangeIn(document, range), newText })) } };
    } catch (error) {
      if (error instanceof RenameRefused) return new ResponseError(LSPErrorCodes.RequestFailed, sanitise(error.message));
      throw error;
    }
  }

  #actions(document: TextDocument, { start, end }: Range): CodeAction[] {
    const found = this.#workspace.check().get(document.uri) ?? []; // the last diagnostics may belong to an older text
    return found.flatMap((diagnostic) => {
      const shown = shownOf(diagnostic);
      if (isBefore(shown.range.end, start) || isBefore(end, shown.range.start)) return [];
      const fix = quickFixOf(diagnostic, document.getText(shown.range));
      if (fix === undefined) return [];
      const changes = { [document.uri]: [{ range: shown.range, newText: fix.text }] };
      return [
        {
          title: sanitise(fix.title),
          kind: CodeActionKind.QuickFix,
          diagnostics: [shown],
          isPreferred: true,
          edit: { changes },
        },
      ];
    });
  }

  // A test explorer also asks about playbooks that are not open.
  #symbols(uri: string): DocumentSymbol[] {
    const open = this.#documents.get(uri);
    const text = open?.getText() ?? this.#workspace.textOf(this.#workspace.pathOf(uri)) ?? "";
    const document = open ?? TextDocument.create(uri, "yaml", 0, text);
    const playbook = symbolsOf(this.#workspace.fileOf(document));
    return playbook === undefined ? [] : [symbolIn(document, playbook)];
  }

  #checkSoon(): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => {
      try {
        this.#check();
      } catch (error) {
        this.#logError(error);
      }
    }, PAUSE_MS);
  }

  #check(): void {
    const found = this.#workspace.check();
    const gone = this.#published.filter((uri) => !found.has(uri));
    this.#published = [...found.keys()];
    for (const uri of gone) this.#publish({ uri, diagnostics: [] });
    for (const [uri, diagnostics] of found) {
      const version = this.#documents.get(uri)?.version;
      this.#publish({ uri, diagnostics: diagnostics.map(shownOf), ...present({ version }) });
    }
  }

  // The findings of a check are sent together, so that a slow editor never gets older findings after newer ones.
  #publish(found: PublishDiagnosticsParams): void {
    void this.#connection.sendDiagnostics(found);
  }
}

const KINDS: Readonly<Record<Offer["kind"], CompletionItemKind>> = {
  name: CompletionItemKind.Variable,
  step: CompletionItemKind.Struct,
  field: CompletionItemKind.Field,
  function: CompletionItemKind.Function,
  operation: CompletionItemKind.Method,
  actor: CompletionItemKind.Constant,
  condition: CompletionItemKind.EnumMember,
  file: CompletionItemKind.File,
  folder: CompletionItemKind.Folder,
};

function foldersOf({ workspaceFolders, rootUri }: InitializeParams): readonly string[] {
  const folders = (workspaceFolders ?? []).map(({ uri }) => uri);
  return folders.length > 0 ? folders : [rootUri ?? []].flat();
}

function shownOf(diagnostic: Diagnostic): Shown {
  const { code, severity, line, column, endLine, endColumn } = diagnostic;
  return {
    range: {
      start: { line: line - 1, character: column - 1 },
      end: { line: endLine - 1, character: endColumn - 1 },
    },
    severity: severity === "error" ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: "tokenbook",
    message: sanitise(wordsOf(diagnostic)),
  };
}

const SYMBOLS: Readonly<Record<PlaybookSymbol["kind"], SymbolKind>> = {
  playbook: SymbolKind.Module,
  call: SymbolKind.Method,
  block: SymbolKind.Namespace,
  include: SymbolKind.Package,
  check: SymbolKind.Boolean,
};

function symbolIn(document: TextDocument, { kind, name, detail, range, held }: PlaybookSymbol): DocumentSymbol {
  const { start, end } = rangeIn(document, range);
  const firstLine = document.getText({ start, end }).split("\n")[0]?.length ?? 0;
  return {
    name: sanitise(name) || "(no name)",
    detail: sanitise(detail),
    kind: SYMBOLS[kind],
    range: { start, end },
    selectionRange: { start, end: { line: start.line, character: start.character + firstLine } },
    children: held.map((inner) => symbolIn(document, inner)),
  };
}

function rangeIn(document: TextDocument, { start, end }: Offsets): Range {
  return { start: document.positionAt(start), end: document.positionAt(end) };
}

function isBefore(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}

function markdown(value: string): MarkupContent {
  return { kind: MarkupKind.Markdown, value: sanitise(value) };
}
