import { relative } from "node:path";
import { patchBetween } from "../../../base/text/difference.ts";
import { ENTITY_PATTERN, readEntity } from "../../../base/entity.ts";
import { EXIT } from "../../../base/exit.ts";
import { Failure } from "../../../base/failure.ts";
import { plainView } from "../../../base/json/json.ts";
import { type Calibration, calibrate as calibrateService } from "../../../calibrate/calibrate.ts";
import type { AnnouncedWrites } from "../../../calibrate/service.ts";
import { calibrationJson, calibrationLines, editsOf } from "../../../calibrate/text.ts";
import { shownText } from "../../../environment/shown-parts.ts";
import { replaceFile } from "../../../files/replace.ts";
import { NO_SECRETS } from "../../../playbook/settings/open-secrets.ts";
import { editYaml } from "../../../source/write-yaml.ts";
import type { DebugOption } from "../../print/debug.ts";
import { maskedShell } from "../../print/masked.ts";
import { printLines } from "../../print/result.ts";
import { inProjectHere, type ProjectShell } from "../../project/chosen-project.ts";
import { readText } from "../../project/read-file.ts";
import type { Where } from "../../project/state-place.ts";
import { whileReading } from "../../runs/planning.ts";
import type { Command } from "../../shell.ts";
import { indented } from "../../print/columns.ts";

interface CalibrateOptions extends Where, DebugOption {
  readonly mayWrite?: boolean;
  readonly write?: boolean;
  readonly as?: string;
  readonly json?: boolean;
}

/** `tokenbook calibrate`: derives the profile of a service from evidence, and the edit of `tokenbook.yaml` that it requires. */
export const calibrate: Command<CalibrateOptions> = async (plainShell, given) => {
  const project = inProjectHere(plainShell);
  const { mayWrite = false, write = false, as } = given;
  if (as !== undefined && readEntity(as) === undefined) throw notAnEntity(as);
  const { REFUSAL_STATUS } = await import("../../../sandbox/refusal.ts");
  return whileReading(project, given, NO_SECRETS, async (target, ports) => {
    if (write && target.embedded) throw isEmbedded(target.environment);
    const shell = maskedShell(project, ports.secrets.redact);
    const announce = ({ writes, stay, removed }: AnnouncedWrites): void => {
      const lines = [
        "Writes that follow, each sent once:",
        ...indented(writes),
        "These stay, because the service cannot remove them:",
        ...indented(stay),
      ];
      shell.stderr.write(`${lines.join("\n")}\n\n`);
      const stopping = shell.stopping(() => ["these may be left in the service:", ...indented([...removed, ...stay])].join("\n"));
      const onStop = (): void => shell.stderr.write("\nstopping: tokenbook removes what it made; Ctrl-C again ends at once\n");
      stopping.addEventListener("abort", onStop, { once: true });
    };
    const onBrokenOff = (left: readonly string[]): void =>
      shell.stderr.write(
        ["tokenbook removed what it could. These may be left in the service:", ...indented(left), ""].join("\n"),
      );
    const options = { mayWrite, as, usualStatus: REFUSAL_STATUS, announce, onBrokenOff };
    const found = await calibrateService(target, options, ports);
    if (given.json === true) shell.stdout.write(calibrationJson(found), "json");
    else printLines(shell, calibrationLines(found));
    if (!target.embedded) propose(shell, found, { write, json: given.json === true });
    return EXIT.passed;
  });
};

function propose(
  shell: ProjectShell,
  { environment, findings }: Calibration,
  { write, json }: { readonly write: boolean; readonly json: boolean },
): void {
  const { environmentFile: path = "" } = shell.project;
  const file = relative(shell.cwd, path);
  const before = readText(path, file);
  const edits = editsOf(findings).map(({ setting, found }) => ({
    path: setting,
    value: plainView(found),
  }));
  if (edits.length === 0) return;
  const after = editYaml(before, ["environments", environment, "profile"], edits);
  if (write) {
    replaceFile(path, after);
    shell.stderr.write(`${file} was edited: ${edits.length} settings\n`);
  } else if (!json) {
    shell.stdout.write(
      `\n${patchBetween(file, [shownText(file, before), shownText(file, after)], ["as it is", "with what was found"])}`,
    );
    shell.stderr.write("add --write to make this edit\n");
  }
}

function notAnEntity(text: string): Failure {
  return new Failure({
    code: "calibrate.as",
    message: `--as ${text} is not an entity`,
    why: `an entity is written ATTRIBUTE:VALUE (${ENTITY_PATTERN})`,
    next: "--as userId:alice",
  });
}

function isEmbedded(environment: string): Failure {
  return new Failure({
    code: "calibrate.embedded",
    message: `the environment "${environment}" is the sandbox inside tokenbook, which has no profile to edit`,
    next: "leave out --write, or name the environment of a service: --env NAME",
  });
}
