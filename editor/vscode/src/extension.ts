// The extension: it starts `tokenbook lsp` and `tokenbook debug`, and shows what they say.
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node.js";
import { argumentsFor, commandFor, type CommandWords, type RunSettings } from "./command.ts";
import { TestExplorer } from "./test-explorer.ts";
import type { OutlineSymbol } from "./test-model.ts";

const TYPE = "tokenbook";
let client: LanguageClient | undefined;

/** Called by the editor when a YAML file is opened, or a run is debugged. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const { program, args } = commandOf(vscode.workspace.workspaceFolders?.[0]);
  const server = { command: program, args: [...args, "lsp", "--stdio"] };
  client = new LanguageClient("tokenbook", "tokenbook", server, {
    documentSelector: [{ scheme: "file", language: "yaml" }],
  });
  const started = client.start();
  const symbolsOf = async (uri: vscode.Uri): Promise<readonly OutlineSymbol[]> => {
    await started;
    const found = await client?.sendRequest<OutlineSymbol[] | null>("textDocument/documentSymbol", {
      textDocument: { uri: uri.toString() },
    });
    return found ?? [];
  };
  const explorer = new TestExplorer(TYPE, symbolsOf);
  context.subscriptions.push(
    explorer,
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, { createDebugAdapterDescriptor: adapterFor }),
    vscode.debug.registerDebugConfigurationProvider(TYPE, { resolveDebugConfiguration: completed }),
    ...commands(),
  );
  await started;
  await explorer.refresh();
}

/** Called by the editor when it closes, or turns the extension off. */
export function deactivate(): Promise<void> | undefined {
  return client?.stop();
}

function commands(): readonly vscode.Disposable[] {
  const actions: Readonly<Record<string, (playbook: Open) => unknown>> = {
    run: ({ file, folder }) => start(folder, { playbook: file }, { noDebug: true }),
    debug: ({ file, folder }) => start(folder, { playbook: file }),
    runToCursor: ({ file, folder, line }) => start(folder, { playbook: file, stopAtLine: line }),
    check: (playbook) => inTerminal("check", playbook),
    plan: (playbook) => inTerminal("plan", playbook),
  };
  const ofPlaybook = Object.entries(actions).map(([name, act]) =>
    vscode.commands.registerCommand(`tokenbook.${name}`, async () => {
      const { activeTextEditor: editor } = vscode.window;
      if (editor === undefined) return vscode.window.showInformationMessage("Open a playbook first.");
      await editor.document.save();
      const folder = vscode.workspace.getWorkspaceFolder(editor.document.uri);
      return act({ file: editor.document.uri.fsPath, folder, line: editor.selection.active.line + 1 });
    }),
  );
  const resume = vscode.commands.registerCommand("tokenbook.resume", () => start(firstFolder(), { resume: "latest" }));
  return [...ofPlaybook, resume];
}

/** The playbook that is open, and the line of the cursor, from 1. */
interface Open {
  readonly file: string;
  readonly folder: vscode.WorkspaceFolder | undefined;
  readonly line: number;
}

function start(
  folder: vscode.WorkspaceFolder | undefined,
  asked: Readonly<Record<string, unknown>>,
  options: vscode.DebugSessionOptions = {},
): Thenable<boolean> {
  return vscode.debug.startDebugging(folder, { type: TYPE, request: "launch", name: "tokenbook", ...asked }, options);
}

async function inTerminal(command: "check" | "plan", { file, folder }: Open): Promise<void> {
  const { program, args } = commandOf(folder);
  const words = [...args, ...argumentsFor(command, file, settingsOf(folder))];
  const execution = new vscode.ProcessExecution(program, words, folder === undefined ? {} : { cwd: folder.uri.fsPath });
  const scope = folder ?? vscode.TaskScope.Workspace;
  await vscode.tasks.executeTask(new vscode.Task({ type: "tokenbook" }, scope, command, "tokenbook", execution));
}

// The editor gives the folder of the session; a run is made there.
function adapterFor({ workspaceFolder }: vscode.DebugSession): vscode.DebugAdapterDescriptor {
  const folder = workspaceFolder ?? firstFolder();
  const { program, args } = commandOf(folder);
  const options = folder === undefined ? {} : { cwd: folder.uri.fsPath };
  return new vscode.DebugAdapterExecutable(program, [...args, "debug", "--stdio"], options);
}

// F5 without a launch.json debugs the open playbook.
function completed(
  folder: vscode.WorkspaceFolder | undefined,
  given: vscode.DebugConfiguration,
): vscode.DebugConfiguration | undefined {
  const file = vscode.window.activeTextEditor?.document.uri.fsPath;
  const named = "playbook" in given || "resume" in given ? given : { ...given, playbook: file };
  const base = { type: TYPE, request: "launch", name: "tokenbook" };
  const { environment, inputsFile } = settingsOf(folder);
  return {
    ...base,
    ...(environment === "" || "resume" in named ? {} : { environment }),
    ...(inputsFile === "" || "resume" in named ? {} : { inputsFile }),
    ...named,
    ...(named.type === "" ? base : {}),
  };
}

function commandOf(folder: vscode.WorkspaceFolder | undefined): CommandWords {
  const named = vscode.workspace.getConfiguration("tokenbook", folder?.uri).get<string[]>("command", []);
  return commandFor(folder?.uri.fsPath, named, process.platform);
}

function settingsOf(folder: vscode.WorkspaceFolder | undefined): RunSettings {
  const settings = vscode.workspace.getConfiguration("tokenbook", folder?.uri);
  return { environment: settings.get<string>("environment", ""), inputsFile: settings.get<string>("inputsFile", "") };
}

function firstFolder(): vscode.WorkspaceFolder | undefined {
  return vscode.workspace.workspaceFolders?.[0];
}
