import { Failure } from "../../base/failure.ts";
import type { ServerPlace } from "../../sql/place.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { type Dotenv, statePlace } from "../project/project.ts";

/** Returns the server that the project keeps its state on. Throws a Failure where that is a folder. */
export function serverForTests(shell: ProjectShell, where: Dotenv): ServerPlace {
  const place = statePlace(shell, where);
  if (typeof place !== "string") return place;
  throw new Failure({
    code: "test.no-server",
    message: "the state of this project is in a folder",
    why: "--on-server keeps the state of each run on the server that the project names",
    next: "name one in tokenbook.yaml: state: { postgres: env:TOKENBOOK_DATABASE }",
  });
}
