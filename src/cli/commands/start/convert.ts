import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { command } from "../../../base/command-line.ts";
import { EXIT, type ExitCode } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { type Diagnostic, formatDiagnostic } from "../../../source/diagnostic.ts";
import { IF_HAR_TOO_LARGE } from "../../../exchanges/read-har.ts";
import type { Translated } from "../../../interchange/findings.ts";
import { isArazzo } from "../../../playbook/is-playbook.ts";
import { checkJson } from "../../../report/check/checked.ts";
import { interchange } from "../../project/load-playbooks.ts";
import { readText } from "../../project/read-file.ts";
import { filesOf } from "../../project/project-files.ts";
import { createFiles } from "../../starter/create-files.ts";
import type { Command, Shell } from "../../shell.ts";

interface ConvertOptions {
  readonly from: string;
  readonly to?: string;
  readonly acceptLoss?: boolean;
  readonly json?: boolean;
}

/** `tokenbook convert`: converts an Arazzo document or an HTTP Archive to a playbook, or a playbook to an Arazzo document, and reports what is lost. */
export const convert: Command<ConvertOptions> = async (shell, options): Promise<ExitCode> => {
  const { from, to, acceptLoss = false, json = false } = options;
  const text = readText(resolve(shell.cwd, from), from, isHar(from) ? IF_HAR_TOO_LARGE : undefined);
  const kind = kindOf(from, text);
  if (to !== undefined) refuseSameKind(from, to, kind);
  const { text: made, diagnostics } = translated(kind, from, text, shell);
  const wrong = made === undefined ? [] : problemsOf(to ?? from, made, kind, shell);
  const problems = [...diagnostics, ...wrong];
  const isMade = made !== undefined && wrong.length === 0;
  if (json) shell.stdout.write(checkJson([{ file: from, ok: isMade, diagnostics: problems }], []), "json");
  else for (const each of problems) shell.stderr.write(`${formatDiagnostic(each)}\n\n`);
  const lost = problems.filter(({ severity }) => severity === "error");
  if (!isMade) return summarise(shell, `${from} cannot be converted`, EXIT.cannotStart);
  if (to !== undefined) writeConverted(shell, to, made);
  else if (!json) shell.stdout.write(made, "exact"); // it is usually piped into a file, and contains nothing that a terminal would obey
  if (lost.length === 0) return summarise(shell, "nothing is lost", EXIT.passed);
  if (acceptLoss) return summarise(shell, `${losses(lost.length)}, and accepted`, EXIT.passed);
  return summarise(shell, `${losses(lost.length)}; to accept this, add --accept-loss`, EXIT.failed);
};

// A person who has read what is lost repeats the command to accept it. Then the file already has this content.
function writeConverted(shell: Shell, to: string, made: string): void {
  const path = resolve(shell.cwd, to);
  if (existsSync(path) && readText(path, to) === made) shell.stderr.write(`${to} holds this translation already\n`);
  else createFiles(shell, dirname(path), { [basename(to)]: made });
}

type ConvertedKind = "an Arazzo document" | "an HTTP Archive" | "a playbook";

function kindOf(from: string, text: string): ConvertedKind {
  if (isHar(from)) return "an HTTP Archive";
  return isArazzo(text) ? "an Arazzo document" : "a playbook";
}

function isHar(name: string): boolean {
  return /\.har$/i.test(name);
}

function translated(kind: ConvertedKind, from: string, text: string, shell: Shell): Translated {
  if (kind === "an HTTP Archive") return interchange().importHar(from, text);
  if (kind === "an Arazzo document") return interchange().importArazzo(from, text);
  return interchange().exportPlaybook(from, text, filesOf(shell));
}

function losses(number: number): string {
  return number === 1 ? "1 thing is lost" : `${number} things are lost`;
}

function summarise(shell: Shell, line: string, code: ExitCode): ExitCode {
  shell.stderr.write(`${line}\n`);
  return code;
}

// A translation that fails its own check is not a playbook.
function problemsOf(file: string, made: string, kind: ConvertedKind, shell: Shell): readonly Diagnostic[] {
  if (kind === "a playbook") return [];
  const { diagnostics } = interchange().checkDocument(file, made, filesOf(shell));
  return diagnostics.filter(({ severity }) => severity === "error");
}

function refuseSameKind(from: string, to: string, kind: ConvertedKind): void {
  const toDocument = /\.arazzo\.(?:ya?ml|json)$/i.test(to);
  if (toDocument === (kind === "a playbook")) return;
  throw new Failure({
    code: "convert.same-kind",
    message: toDocument ? `${from} is ${kind}, which becomes a playbook` : `${to} is not a name for an Arazzo document`,
    why: "the ending of the new file's name says what is written: .arazzo.yaml is an Arazzo document, any other .yaml a playbook",
    next: toDocument ? command`convert ${from} PLAYBOOK.yaml` : command`convert ${from} NAME.arazzo.yaml`,
  });
}
