import { createRequire } from "node:module";
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { invariant } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { embeddedFile, embeddedNames } from "../../files/embedded.ts";
import { readRegular } from "../../files/regular.ts";
import { type CheckResult, checkPlaybook } from "../../playbook/check.ts";
import type { ShippedPlaybooks } from "../../playbook/playbook-files.ts";
import type { Playbook } from "../../playbook/model.ts";

const PREFIX = "tokenbook/";

/** The playbooks in the folder `library`, which come with the package. */
export const shipped: ShippedPlaybooks = {
  get names() {
    const embedded = embeddedNames()?.filter((name) => name.startsWith(PREFIX));
    return (embedded ?? readdirSync(folder()).map((file) => `${PREFIX}${file}`))
      .filter((name) => name.endsWith(".yaml"))
      .toSorted();
  },
  read(name) {
    const file = basename(name);
    return `${PREFIX}${file}` === name && this.names.includes(name) ? textOf(name) : undefined;
  },
};

/** Returns the name of one of them without its folder and ending: `mint` of `tokenbook/mint.yaml`. */
export function bareNameOf(uses: string): string {
  return uses.replace(/^tokenbook\//, "").replace(/\.yaml$/, "");
}

/** A playbook that comes with the package, and the result of its check. */
export interface ShippedPlaybook {
  /** Its name in `uses`. */
  readonly uses: string;
  /** The checked playbook. */
  readonly playbook: Playbook;
  /** The types of its outputs in expressions. */
  readonly outputs: CheckResult["outputs"];
}

/** Reads and checks such a playbook by its name in `uses`. */
export function shippedPlaybook(uses: string): ShippedPlaybook {
  const { playbook, outputs } = checkPlaybook(uses, shipped.read(uses) ?? "", { read: () => undefined, shipped });
  invariant(playbook !== undefined, `${uses}, which comes with the tool, passes its check`);
  return { uses, playbook, outputs };
}

/** Returns all such playbooks, sorted by name. */
export function shippedPlaybooks(): readonly ShippedPlaybook[] {
  return shipped.names.map(shippedPlaybook);
}

function textOf(name: string): string {
  const content = embeddedFile(name) ?? readRegular({ path: join(folder(), basename(name)), name }, LIMITS.sourceBytes);
  return content.toString("utf8");
}

/** Returns the path of such a playbook; `undefined` if it is inside a single binary. */
export function pathOfShipped(name: string): string | undefined {
  return embeddedNames() === undefined ? join(folder(), basename(name)) : undefined;
}

// We resolve the folder through the package's own imports, so that it is found from the sources and from the build alike.
function folder(): string {
  return dirname(createRequire(import.meta.url).resolve("#library/mint.yaml"));
}
