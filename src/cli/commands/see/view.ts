import { command } from "../../../base/command-line.ts";
import { EXIT } from "../../../base/exit.ts";
import { Failure, messageOf } from "../../../base/failure.ts";
import { systemRandom } from "../../../base/ports.ts";
import { inProjectHere } from "../../project/chosen-project.ts";
import { assertJournalWhole } from "../../runs/open-journal.ts";
import { mayExist, type MemoryOptions, statePlace } from "../../project/state-place.ts";
import { type Command, untilStopped } from "../../shell.ts";
import type { Pages } from "../../web/page.ts";
import { pagesOver } from "../../web/pages.ts";
import { type PageServer, servePages } from "../../web/server.ts";

interface ViewOptions extends MemoryOptions {
  readonly port: number;
}

const TOKEN_BYTES = 24;

/** `tokenbook view`: serves pages about all runs of a state directory on this machine, until it is stopped. */
export const view: Command<ViewOptions> = async (shell, options) => {
  const stopping = shell.stopping();
  const state = statePlace(inProjectHere(shell), options);
  assertJournalWhole(state);
  if (typeof state === "string" && options.state !== undefined && !mayExist(state))
    shell.stderr.write(`note: there is no state directory ${state} yet: its runs will be shown when they begin\n`);
  const server = await served(pagesOver(state, shell.hint), options.port);
  const url = `${server.url}overview/`;
  if (options.json === true) shell.stdout.write(`${JSON.stringify({ url })}\n`, "json");
  else shell.stdout.write(`Runs are shown at ${url}\nStop it with Ctrl-C.\n`);
  await untilStopped(stopping);
  await server.close();
  return EXIT.passed;
};

async function served(pages: Pages, port: number): Promise<PageServer> {
  const token = Buffer.from(systemRandom.bytes(TOKEN_BYTES)).toString("base64url");
  try {
    return await servePages(pages, { port, token });
  } catch (error) {
    throw new Failure({
      code: "view.cannot-listen",
      message: `pages cannot be served on port ${port}: ${messageOf(error)}`,
      next: ["take any port that is free:", command`view --port 0`],
    });
  }
}
