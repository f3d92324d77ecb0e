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

/** The playbooks of the folder `library`, which comes with the package. */
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

/** One of them, and what its check gave. */
export interface ShippedPlaybook {
  /** As a step names it. */
  readonly uses: string;
  /** The checked playbook. */
  readonly playbook: Playbook;
  /** The types of its outputs in expressions. */
  readonly outputs: CheckResult["outputs"];
}

/** Reads and checks one of them, as a step names it. */
export function shippedPlaybook(uses: string): ShippedPlaybook {
  const { playbook, outputs } = checkPlaybook(uses, shipped.read(uses) ?? "", { read: () => undefined, shipped });
  invariant(playbook !== undefined, `${uses}, which comes with the tool, passes its check`);
  return { uses, playbook, outputs };
}

/** Returns all of them, in the order of their names. */
export function shippedPlaybooks(): readonly ShippedPlaybook[] {
  return shipped.names.map(shippedPlaybook);
}

function textOf(name: string): string {
  const content = embeddedFile(name) ?? readRegular({ path: join(folder(), basename(name)), name }, LIMITS.sourceBytes);
  return content.toString("utf8");
}

/** Returns where one of them lies; `undefined` when it is inside a single binary. */
export function pathOfShipped(name: string): string | undefined {
  return embeddedNames() === undefined ? join(folder(), basename(name)) : undefined;
}

// Found through the package's own imports, so that it is the same from the sources and from what was built.
function folder(): string {
  return dirname(createRequire(import.meta.url).resolve("#library/mint.yaml"));
}
