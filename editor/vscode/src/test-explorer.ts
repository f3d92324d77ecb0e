// The test explorer of the editor: it finds playbooks, runs them, and shows how their steps ended.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { type AdapterMessage, type OutlineSymbol, type TestNode, testsIn, TestRunModel, type Verdict } from "./test-model.ts";

const PLAYBOOKS = "**/*.{yaml,yml}";
const NOT_THERE = "**/node_modules/**";
/** How many YAML files of a workspace are asked whether they are playbooks. */
const MOST_FILES = 2_000;
/** The name in a debug configuration under which a session belongs to a test. */
const OF_TEST = "tokenbookTest";

/** Shows playbooks as tests, until it is disposed of. */
export class TestExplorer {
  readonly #type: string;
  readonly #symbolsOf: (uri: vscode.Uri) => Promise<readonly OutlineSymbol[]>;
  readonly #controller: vscode.TestController;
  readonly #disposables: vscode.Disposable[] = [];
  readonly #playbooks = new Map<string, TestNode>();
  /** The runs under way, by the name that their sessions carry. */
  readonly #running = new Map<string, TestRunModel>();

  constructor(type: string, symbolsOf: (uri: vscode.Uri) => Promise<readonly OutlineSymbol[]>) {
    this.#type = type;
    this.#symbolsOf = symbolsOf;
    this.#controller = vscode.tests.createTestController("tokenbook", "tokenbook");
    this.#controller.refreshHandler = () => this.refresh();
    const { Run, Debug } = vscode.TestRunProfileKind;
    this.#controller.createRunProfile("Run", Run, (request, token) => this.#run(request, token, true), true);
    this.#controller.createRunProfile("Debug", Debug, (request, token) => this.#run(request, token, false), true);
    const files = vscode.workspace.createFileSystemWatcher(PLAYBOOKS);
    files.onDidChange((uri) => this.#look(uri));
    files.onDidCreate((uri) => this.#look(uri));
    files.onDidDelete((uri) => this.#forget(uri.toString()));
    const tracker: vscode.DebugAdapterTrackerFactory = { createDebugAdapterTracker: (session) => this.#track(session) };
    this.#disposables.push(this.#controller, files, vscode.debug.registerDebugAdapterTrackerFactory(type, tracker));
  }

  dispose(): void {
    for (const each of this.#disposables) each.dispose();
  }

  /** Finds the playbooks of the workspace again. */
  async refresh(): Promise<void> {
    const found = await vscode.workspace.findFiles(PLAYBOOKS, NOT_THERE, MOST_FILES);
    const known = new Set(found.map((uri) => uri.toString()));
    for (const uri of this.#playbooks.keys()) if (!known.has(uri)) this.#forget(uri);
    for (const uri of found) await this.#look(uri);
  }

  async #look(uri: vscode.Uri): Promise<void> {
    const playbook = testsIn(uri.toString(), await this.#symbolsOf(uri));
    if (playbook === undefined) return this.#forget(uri.toString());
    this.#playbooks.set(playbook.id, playbook);
    this.#controller.items.add(this.#itemOf(playbook, uri));
    await this.#say();
  }

  #forget(id: string): void {
    if (!this.#playbooks.delete(id)) return;
    this.#controller.items.delete(id);
    void this.#say();
  }

  // The menus of an editor ask whether its file is a playbook.
  async #say(): Promise<void> {
    const paths = Array.from(this.#playbooks.keys(), (id) => vscode.Uri.parse(id).fsPath);
    await vscode.commands.executeCommand("setContext", "tokenbook.playbooks", paths);
  }

  #itemOf(node: TestNode, uri: vscode.Uri): vscode.TestItem {
    const item = this.#controller.createTestItem(node.id, node.label, uri);
    item.description = node.description;
    item.range = new vscode.Range(node.line, 0, node.line, 0);
    item.children.replace(node.children.map((inner) => this.#itemOf(inner, uri)));
    return item;
  }

  // A run is made of a whole playbook: whoever chooses a step runs its playbook, and debugs it up to the step.
  async #run(request: vscode.TestRunRequest, token: vscode.CancellationToken, noDebug: boolean): Promise<void> {
    const chosen = request.include ?? Array.from(this.#controller.items, ([, item]) => item);
    const left = new Set((request.exclude ?? []).map(({ id }) => id));
    const run = this.#controller.createTestRun(request);
    const done = new Set<string>();
    for (const item of chosen) {
      const playbook = playbookOf(item);
      if (token.isCancellationRequested || left.has(item.id) || done.has(playbook.id)) continue;
      done.add(playbook.id);
      const line = item === playbook || noDebug ? undefined : (item.range?.start.line ?? 0) + 1;
      await this.#runOne(run, playbook, { noDebug, token, line });
    }
    run.end();
  }

  async #runOne(run: vscode.TestRun, playbook: vscode.TestItem, how: OneRun): Promise<void> {
    const node = this.#playbooks.get(playbook.id);
    const { uri } = playbook;
    if (node === undefined || uri === undefined) return;
    const name = randomUUID();
    const model = new TestRunModel(node, this.#viewOf(run, playbook));
    this.#running.set(name, model);
    run.started(playbook);
    const ended = new Promise<void>((resolve) => {
      const listener = vscode.debug.onDidTerminateDebugSession((session) => {
        if (session.configuration[OF_TEST] !== name) return;
        listener.dispose();
        resolve();
      });
    });
    const stop = how.token.onCancellationRequested(() => void vscode.debug.stopDebugging(this.#sessions.get(name)));
    const asked = { type: this.#type, request: "launch", name: node.label, playbook: uri.fsPath, [OF_TEST]: name };
    const at = { ...(how.line === undefined ? {} : { stopAtLine: how.line }), ...placeOfTest(playbook) };
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    const options: vscode.DebugSessionOptions = { noDebug: how.noDebug, testRun: run };
    if (await vscode.debug.startDebugging(folder, { ...asked, ...at }, options)) await ended;
    stop.dispose();
    model.end();
    this.#running.delete(name);
    this.#sessions.delete(name);
  }

  readonly #sessions = new Map<string, vscode.DebugSession>();

  #track(session: vscode.DebugSession): vscode.DebugAdapterTracker | undefined {
    const name = String(session.configuration[OF_TEST] ?? "");
    const model = this.#running.get(name);
    if (model === undefined) return undefined;
    this.#sessions.set(name, session);
    return { onDidSendMessage: (message: AdapterMessage) => model.take(message) };
  }

  #viewOf(run: vscode.TestRun, playbook: vscode.TestItem): ConstructorParameters<typeof TestRunModel>[1] {
    const find = (id: string): vscode.TestItem | undefined => itemIn(playbook, id);
    return {
      started: (id) => {
        const item = find(id);
        if (item !== undefined) run.started(item);
      },
      ended: (id, verdict, message) => {
        const item = find(id);
        if (item !== undefined) report(run, item, { verdict, message });
      },
      addRound: (step, id, label) => {
        const parent = find(step);
        if (parent === undefined) return;
        const round = this.#controller.createTestItem(id, label, parent.uri);
        if (parent.range !== undefined) round.range = parent.range;
        parent.children.add(round);
      },
    };
  }
}

interface OneRun {
  readonly noDebug: boolean;
  readonly token: vscode.CancellationToken;
  /** The line of the step at which the debugger stops once. */
  readonly line: number | undefined;
}

// One click runs all tests, so they never run in an environment that nobody has chosen for them. Which `tokenbook.yaml` belongs to a playbook,
// tokenbook alone knows: it also looks above the folder of the editor. So we name the place, and tokenbook refuses any other.
function placeOfTest({ uri }: vscode.TestItem): { readonly environment: string; readonly embeddedOnly?: true } {
  const chosen = vscode.workspace.getConfiguration("tokenbook", uri).get<string>("testEnvironment", "");
  return chosen === "" ? { environment: SANDBOX, embeddedOnly: true } : { environment: chosen };
}

/** The name by which tokenbook knows the embedded sandbox where no `tokenbook.yaml` has environments. */
const SANDBOX = "sandbox";

function report(
  run: vscode.TestRun,
  item: vscode.TestItem,
  { verdict, message }: { readonly verdict: Verdict; readonly message: string },
): void {
  if (verdict === "passed") return run.passed(item);
  if (verdict === "skipped") return run.skipped(item);
  const said = new vscode.TestMessage(message);
  if (item.uri !== undefined && item.range !== undefined) said.location = new vscode.Location(item.uri, item.range);
  return verdict === "failed" ? run.failed(item, said) : run.errored(item, said);
}

function playbookOf(item: vscode.TestItem): vscode.TestItem {
  return item.parent === undefined ? item : playbookOf(item.parent);
}

function itemIn(item: vscode.TestItem, id: string): vscode.TestItem | undefined {
  if (item.id === id) return item;
  for (const [, inner] of item.children) {
    const match = itemIn(inner, id);
    if (match !== undefined) return match;
  }
  return undefined;
}
