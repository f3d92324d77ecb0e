import { Failure } from "../../base/failure.ts";
import type { ServerPlace } from "../../sql/place.ts";
import type { ProjectShell } from "./chosen-project.ts";
import { statePlace, type Where } from "./state-place.ts";

/** The failure of a command that needs a server. */
type NeedsServer = Readonly<Record<"code" | "message" | "why", string>>;

const QUEUE: NeedsServer = {
  code: "queue.no-database",
  message: "the state of this project is in a folder, which has no queue",
  why: "workers on several machines share a database",
};

/** The failure of moving the state. */
export const MOVE: NeedsServer = {
  code: "state.no-database",
  message: "tokenbook.yaml names no database",
  why: "a state is moved between a folder and the database that tokenbook.yaml names; nothing was moved",
};

/** The failure of a test whose runs keep their state on the project's server. */
export const TEST_ON_SERVER: NeedsServer = {
  code: "test.no-server",
  message: "the state of this project is in a folder",
  why: "--on-server keeps the state of each run on the server that the project names",
};

/** Returns the server that holds the project's state. Throws a Failure if the state is in a folder. */
export function serverOf(shell: ProjectShell, where: Where, needs: NeedsServer = QUEUE): ServerPlace {
  const place = statePlace(shell, where);
  if (typeof place !== "string") return place;
  throw new Failure({ ...needs, next: "name one in tokenbook.yaml: state: { postgres: env:TOKENBOOK_DATABASE }" });
}
