import { createRequire } from "node:module";
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { invariant } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { readRegular } from "../../files/regular.ts";
import { type CheckResult, checkPlaybook } from "../../playbook/check.ts";
import type { ShippedPlaybooks } from "../../playbook/playbook-files.ts";
import type { Playbook } from "../../playbook/model.ts";

const PREFIX = "tokenbook/";

/** The playbooks of the folder `library`, which comes with the package. */
export const shipped: ShippedPlaybooks = {
  get names() {
    return readdirSync(folder())
      .filter((file) => file.endsWith(".yaml"))
      .map((file) => `${PREFIX}${file}`)
      .toSorted();
  },
  read(name) {
    const file = basename(name);
    return `${PREFIX}${file}` === name && this.names.includes(name) ? textOf(name) : undefined;
  },
};

/** One of them, and what its check gave. */
export interface ShippedPlaybook {
  /** As a step names it. */
  readonly uses: string;
  readonly playbook: Playbook;
  readonly outputs: CheckResult["outputs"];
}

export function shippedPlaybook(uses: string): ShippedPlaybook {
  const { playbook, outputs } = checkPlaybook(uses, shipped.read(uses) ?? "", { read: () => undefined, shipped });
  invariant(playbook !== undefined, `${uses}, which comes with the tool, passes its check`);
  return { uses, playbook, outputs };
}

export function shippedPlaybooks(): readonly ShippedPlaybook[] {
  return shipped.names.map(shippedPlaybook);
}

function textOf(name: string): string {
  return readRegular({ path: pathOfShipped(name), name }, LIMITS.sourceBytes).toString("utf8");
}

/** Where one of them lies. */
export function pathOfShipped(name: string): string {
  return join(folder(), basename(name));
}

// Found through the package's own imports, so that it is the same from the sources and from what was built.
function folder(): string {
  return dirname(createRequire(import.meta.url).resolve("#library/mint.yaml"));
}
