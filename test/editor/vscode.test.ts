// Tests the packed VS Code extension in a stand-in for the editor. It starts the real language server and the real debugger.
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { layExtension } from "../../scripts/release/vsix.ts";
import { COMMAND_LINE, MINT_ONCE, newProject, servedSandbox, temporaryFolder } from "../stories/world.ts";
import { type StubItem, StubEditor } from "./vscode-stub.ts";

interface Extension {
  activate(context: object): Promise<void>;
  deactivate(): Promise<void> | undefined;
}

/** Loads the packed extension that TOKENBOOK_EXTENSION names, or packs one now. The extension receives the stand-in as `vscode`. */
async function loaded(editor: StubEditor): Promise<{ readonly extension: Extension; readonly manifest: Manifest }> {
  const parent = temporaryFolder();
  const folder = process.env["TOKENBOOK_EXTENSION"] ?? join(parent, "extension");
  if (process.env["TOKENBOOK_EXTENSION"] === undefined) await layExtension(folder);
  const module = join(folder, "../node_modules/vscode");
  mkdirSync(module, { recursive: true });
  writeFileSync(join(module, "index.js"), "module.exports = globalThis.standIn;\n");
  Object.assign(globalThis, { standIn: editor.module });
  const load = createRequire(join(folder, "package.json"));
  return { extension: load("./dist/extension.cjs") as Extension, manifest: load("./package.json") as Manifest };
}

interface Manifest {
  readonly main: string;
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

const FAILING = MINT_ONCE.replace("name: Mint once", "name: Mint too little").replace("== 10]", "== 11]");

test("the extension registers everything in its manifest, shows playbooks as tests, and runs and debugs them", async () => {
  const outer = newProject({});
  const project = outer.within("playbooks");
  project.write("mint.yaml", MINT_ONCE);
  project.write("failing.yaml", FAILING);
  project.write("compose.yaml", "services: {}\n");
  const files = ["mint.yaml", "failing.yaml", "compose.yaml"].map((name) => join(project.folder, name));
  const editor = new StubEditor(project.folder, { command: COMMAND_LINE }, () => files);
  const { extension, manifest } = await loaded(editor);
  const subscriptions: { dispose(): void }[] = [];
  await extension.activate({ subscriptions });
  onTestFinished(() => extension.deactivate());

  const promised = manifest.contributes.commands.map(({ command }) => command);
  expect([...editor.commands.keys()].toSorted()).toEqual(promised.toSorted());
  expect([...editor.profiles.keys()]).toEqual(["Run", "Debug"]);
  expect(editor.context["tokenbook.playbooks"]).toEqual(files.slice(0, 2));
  const tests = Array.from(editor.items, ([, item]) => item);
  expect(tests.map(shown)).toEqual([
    ["Mint once", ["token ledger.token.create 6", "mint ledger.token.mint 13", "after ledger.token.get 17"]],
    ["Mint too little", ["token ledger.token.create 6", "mint ledger.token.mint 13", "after ledger.token.get 17"]],
  ]);

  const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) };
  await editor.profiles.get("Run")?.({}, token);
  expect(editor.stops).toEqual([]);
  expect(editor.results.filter((line) => /^\w+ \w+\.yaml/.test(line)).map((line) => line.split("\n")[0])).toEqual(
    expect.arrayContaining([
      "passed mint.yaml#mint",
      "passed mint.yaml",
      "failed failing.yaml#after expect.failed: this does not hold: response.totalSupply == 11",
      "failed failing.yaml the run failed",
    ]),
  );

  // The debugger stops at the chosen step, although the whole playbook runs.
  const mint = tests[0] && Array.from(tests[0].children, ([, item]) => item)[1];
  await editor.profiles.get("Debug")?.({ include: [mint] }, token);
  expect(editor.stops).toEqual(["before mint"]);

  // If a file names environments, somebody must choose the one to which tests may write, even if the editor does not see that file.
  const service = await servedSandbox();
  for (const name of ["here", "sandbox"]) {
    outer.serviceAt(service.url);
    outer.write("tokenbook.yaml", outer.read("tokenbook.yaml").replace("here:", `${name}:`));
    const before = editor.results.length;
    await editor.profiles.get("Run")?.({ include: tests }, token);
    const errored = editor.results.slice(before).filter((line) => /^\w+ \w+\.yaml /.test(line));
    expect(errored.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual(["errored mint.yaml", "errored failing.yaml"]);
    expect(errored[0]).toContain("tokenbook.testEnvironment");
  }
  expect(await service.commits()).toEqual([]);
  outer.write("tokenbook.yaml", "environments: { here: embedded }\n");

  editor.open(files[0] ?? "", 13);
  await editor.commands.get("tokenbook.runToCursor")?.();
  await Promise.all(editor.sessions);
  expect(editor.stops).toEqual(["before mint", "before mint"]);
  await editor.commands.get("tokenbook.check")?.();
  expect(editor.tasks[0]?.args.slice(2, 4)).toEqual(["check", "tokenbook"]);
});

function shown({ label, children }: StubItem): readonly [string, readonly string[]] {
  return [label, Array.from(children, ([, step]) => `${step.label} ${step.description} ${step.range?.start.line}`)];
}
