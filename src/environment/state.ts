import { dirname, isAbsolute, join, relative } from "node:path";
import { Failure } from "../base/failure.ts";
import { Secret } from "../base/secret.ts";
import { child, textOf, toJson } from "../source/node.ts";
import { isDatabaseAddress, RISKS, type Risk, type ServerPlace } from "../sql/place.ts";
import { readKey } from "./key.ts";
import { environmentBytes, placeOf, readEnvironmentFile } from "./load.ts";
import type { Variables } from "../base/variables.ts";

const DEFAULT_SCHEMA = "tokenbook";

/** Returns the database that holds the state of a project; undefined for a folder. Throws a Failure that shows each wrong line. */
export function loadServerPlace(
  path: string,
  { cwd, variables }: { readonly cwd: string; readonly variables: () => Variables },
): ServerPlace | undefined {
  // Every command asks this, and most projects have no database.
  if (!environmentBytes(path, path).includes("postgres")) return undefined;
  const shown = relative(cwd, path);
  const { file, root } = readEnvironmentFile(path, shown);
  const state = child(root, "state");
  if (state === undefined) return undefined;
  const reference = textOf(child(state, "postgres")) ?? "";
  const where = placeOf(file, root, ["state", "postgres"]);
  const given = variables();
  const url = readKey({ name: "state.postgres", reference, where }, { folder: dirname(path), variables: given });
  assertAddress(url, where);
  const accepted = child(state, "accept");
  const risks = accepted === undefined ? [] : (toJson(accepted) as readonly string[]);
  return {
    url,
    schema: textOf(child(state, "schema")) ?? DEFAULT_SCHEMA,
    accepted: risks.filter((risk): risk is Risk => RISKS.some((each) => each === risk)),
    memory: memoryOf(given),
  };
}

// The folder of the user for what must survive a process. A project's own folder would be lost when a new version is deployed to another one.
function memoryOf({ XDG_STATE_HOME = "", LOCALAPPDATA = "", HOME = "" }: Variables): string | undefined {
  const found = [XDG_STATE_HOME, LOCALAPPDATA, join(HOME, ".local/state")].find((path) => isAbsolute(path));
  return found === undefined ? undefined : join(found, "tokenbook");
}

function assertAddress(url: Secret, where: string): void {
  if (namesSeveralHosts(url.reveal())) {
    throw new Failure({
      code: "environment.state-hosts",
      message: `${where}: the address of the database names several hosts`,
      why: "tokenbook connects to one host, and would not try the others",
      next: "name one host that always leads to the primary server: a name of your failover, a floating address, or a proxy such as HAProxy",
    });
  }
  if (isDatabaseAddress(url.reveal())) return;
  throw new Failure({
    code: "environment.state-address",
    message: `${where}: the address of the database is wrong`,
    why: "it names the user, the host and the database",
    next: "write it so: postgres://USER:PASSWORD@HOST:5432/DATABASE",
  });
}

// Several hosts in the form of libpq: `a,b`, `a:1,b:2`, or `?host=a,b`.
function namesSeveralHosts(url: string): boolean {
  const [, hosts = "", rest = ""] = /^postgres(?:ql)?:\/\/(?:[^/?]*@)?([^/?]*)(.*)$/s.exec(url) ?? [];
  return hosts.includes(",") || /[?&](?:host|hostaddr|port)=[^&]*(?:,|%2c)/i.test(rest);
}
