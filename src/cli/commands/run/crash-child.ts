import { invariant } from "../../../base/failure.ts";
import { openSecrets } from "../../../playbook/settings/open-secrets.ts";
import { exitOf } from "../../../protocol/decide.ts";
import { serverOf, TEST_ON_SERVER } from "../../project/state-server.ts";
import { failpointOf } from "../../crash/failpoint.ts";
import { openedAt, resumeOrBegin } from "../../crash/island.ts";
import { readOrder } from "../../crash/order.ts";
import { inProjectOf } from "../../project/chosen-project.ts";
import { type Dotenv, variablesOf } from "../../project/state-place.ts";
import { loadPlaybooks } from "../../project/load-playbooks.ts";
import { filesOf } from "../../project/project-files.ts";
import { sessionOn } from "../../runs/session.ts";
import type { Command } from "../../shell.ts";

/** `tokenbook crash-child`: runs one playbook as ordered, or resumes its run. `test --crash-everywhere` starts and kills it. It reaches no other service. */
export const crashChild: Command<Dotenv> = async (shell, options) => {
  const { file, state: folder, schema, served, profile, ...given } = readOrder(new TextDecoder().decode(await shell.stdin()));
  const files = filesOf(shell);
  const playbooks = loadPlaybooks(shell, [file], { reader: { ...files, data: { [file]: {} } } });
  const inProject = inProjectOf(shell, [file]);
  const playbookSecrets = openSecrets(playbooks, { variables: variablesOf(inProject, options), files });
  const state = schema === undefined ? folder : { ...serverOf(inProject, options, TEST_ON_SERVER), schema, memory: undefined };
  await using session = sessionOn(shell, openedAt(served, profile), { state, playbookSecrets, course: failpointOf(shell) });
  const [playbook] = playbooks;
  invariant(playbook !== undefined, "a file whose check finds nothing is a playbook");
  return exitOf(await resumeOrBegin(session, { ...given, playbook }));
};
