/**
 * An address names one step of one run: `mint`; `approvals[bob]` in a `foreach`; `pay[alice][eur]` in nested `foreach`es;
 * `deposit[alice]/mint` inside an included playbook. Keys hold no brackets. The id of a check has a name in brackets: `checks[sum]`, and
 * `checks[sum][alice]` in a `foreach`.
 */
export interface StepAddress {
  /** The steps that include the step's playbook, each with its keys and a slash: `deposit[alice]/`; empty in the run's own playbook. */
  readonly frame: string;
  /** The step's own id in its playbook. */
  readonly id: string;
  /** The rounds of the `foreach`es around it, the outermost first. */
  readonly keys: readonly string[];
}

/** Returns the address of one round of a step. */
export function roundOf(address: string, key: string): string {
  return `${address}[${key}]`;
}

/** Returns the frame of the playbook that a step includes. */
export function frameOf(address: string): string {
  return `${address}/`;
}

/** Returns the parts of an address. */
export function parseAddress(address: string): StepAddress {
  const slash = lastSlash(address);
  const frame = address.slice(0, slash + 1);
  const own = address.slice(slash + 1);
  const bracket = own.indexOf("[", own.startsWith(CHECK) ? CHECK.length : 0);
  if (bracket < 0) return { frame, id: own, keys: [] };
  return { frame, id: own.slice(0, bracket), keys: own.slice(bracket + 1, -1).split("][") };
}

// A key may hold slashes, so only slashes outside brackets separate frames.
function lastSlash(address: string): number {
  if (!address.includes("/")) return -1;
  let depth = 0;
  for (let at = address.length - 1; at >= 0; at--) {
    const char = address[at];
    if (char === "]") depth++;
    else if (char === "[") depth--;
    else if (char === "/" && depth === 0) return at;
  }
  return -1;
}

const CHECK = "checks[";

/** Whether an address is that of a check or a comparison. */
export function isOfCheck(address: string): boolean {
  return /^(?:checks[.[]|reconcile\.)/.test(parseAddress(address).id);
}

/** Returns the step as written, without its rounds: `deposit/mint` for `deposit[alice]/mint`. */
export function stepOf(address: string): string {
  const { frame, id } = parseAddress(address);
  return frame === "" ? id : frameOf(stepOf(includingStep(frame))) + id;
}

/** Returns all keys in an address, the outermost first. */
export function keysOf(address: string): readonly string[] {
  const { frame, keys } = parseAddress(address);
  return frame === "" ? keys : [...keysOf(includingStep(frame)), ...keys];
}

/**
 * Returns the addresses that a block or an included playbook around a step may have, beginning with the one that has the most rounds. `holder` is
 * given without rounds.
 */
export function* holdersOf(address: string, holder: string): Generator<string> {
  const { frame, keys } = parseAddress(address);
  if (frame !== "" && stepOf(includingStep(frame)) === holder) return yield includingStep(frame);
  const { id } = parseAddress(holder);
  for (let rounds = keys.length; rounds >= 0; rounds--) yield keys.slice(0, rounds).reduce(roundOf, frame + id);
}

/** Returns the step that includes a frame's playbook. */
export function includingStep(frame: string): string {
  return frame.slice(0, -1);
}
