import type { Cron } from "../base/time/cron.ts";
import type { Decimal } from "../base/numbers/decimal.ts";
import type { Json } from "../base/json/json.ts";
import type { Backoff } from "../base/time/backoff.ts";
import type { InterfaceName } from "../contract/contract.ts";
import type { Expression } from "../expression/expression.ts";
import type { Operation, WriteOperation } from "../operations/operation.ts";
import type { ExpectedRefusal } from "../operations/refusal.ts";
import type { OutsidePlace } from "../rows/outside.ts";
import type { Conserved } from "../services/conserved.ts";
import type { InputDeclaration, SecretDeclaration, ValueShape, VariableDeclaration } from "./declarations.ts";
import type { Template } from "./expressions/template.ts";

/** A checked playbook: nothing in it is misspelt, mistyped or used before it exists. */
export interface Playbook {
  /** The path of its file, or its name in the library, such as `tokenbook/mint.yaml`. */
  readonly file: string;
  /** The id by which its drifts are remembered, instead of the file's name. */
  readonly id: string | undefined;
  /** The whole text of the file. */
  readonly text: string;
  /** What the playbook does, for people; if it has no name, the path of its file. */
  readonly name: string;
  /** What people should know about it; `undefined` if there is nothing. */
  readonly description: string | undefined;
  /** Whether it is `mode: read-only`: neither the playbook nor a playbook that it includes has a write. */
  readonly readOnly: boolean;
  /** The words by which playbooks are selected; empty if there are none. */
  readonly tags: readonly string[];
  /** The inputs in the order of the file. */
  readonly inputs: readonly InputDeclaration[];
  /** The variables, in the order of the file. */
  readonly env: readonly VariableDeclaration[];
  /** The secrets that it declares, then those to which the rows of its comparisons refer. */
  readonly secrets: readonly SecretDeclaration[];
  /** The group of its runs; `undefined` if they may act at the same time. */
  readonly concurrency: Concurrency | undefined;
  /** When it runs by itself; `undefined` if it does not. */
  readonly schedule: Schedule | undefined;
  /** The actors by their names. */
  readonly actors: ReadonlyMap<string, ActorDeclaration>;
  /** The steps in the order in which they run. */
  readonly steps: readonly Step[];
  /** The comparisons, then the checks, each in the order of the file. */
  readonly checks: readonly CheckStep[];
  /** The values that the run reports, by name. */
  readonly outputs: ReadonlyMap<string, Template>;
  /** The names of its steps at every depth of its blocks, with the loops around each step. Expressions may ask `steps` for them. */
  readonly names: ReadonlyMap<string, StepLoops>;
}

/** A concurrency group: only one of its runs acts at a time. */
export interface Concurrency {
  /** The name of the group, with expressions over `inputs` and `env`. */
  readonly group: Template;
  /** How long to wait while another run is in the group; `undefined` to fail at once. */
  readonly waitMs: number | undefined;
  /** Its line in the file, from 1. */
  readonly line: number;
}

/** When `tokenbook schedule` runs the playbook, and what happens if it cannot. */
export interface Schedule {
  /** When it fires, in its time zone. */
  readonly cron: Cron;
  /** What happens to a firing if the previous run has not ended. */
  readonly overlap: "skip" | "queue" | "cancel";
  /** How late a missed firing may still run. */
  readonly catchupMs: number;
  /** The longest random delay of a firing. */
  readonly jitterMs: number;
  /** How long a run may take, including all attempts. */
  readonly timeLimitMs: number | undefined;
  /** For a read-only playbook: when a failed run is repeated. */
  readonly retry: Retry | undefined;
}

/** The loops whose keys lead to a step's value. */
export interface StepLoops {
  /** The blocks with a `foreach` around the step, the outermost first. */
  readonly loops: readonly string[];
  /** Whether the step has a `foreach` of its own. */
  readonly foreach: boolean;
}

/** Who an actor is on each interface: an entity such as `userId:alice`, or the name of a credential of the environment. */
export type Identity = { readonly [Name in InterfaceName]?: string };

/** One of the `actors`: a single actor, or a group. */
export interface ActorDeclaration {
  /** The name by which `as` names it. */
  readonly name: string;
  /** Whether the actors were written as a list. */
  readonly group: boolean;
  /** The identities of a group in the order of its list; a single actor has one. */
  readonly identities: readonly Identity[];
}

/**
 * The actor of a step: a named actor, the key's own entity, or the value of an expression: an entity, or the name of a credential on the
 * called interface.
 */
export type ActorUse =
  | { readonly kind: "key" }
  | { readonly kind: "identity"; readonly name: string; readonly identity: Identity }
  | { readonly kind: "entity"; readonly on: InterfaceName; readonly entity: Expression }
  | { readonly kind: "credential"; readonly on: InterfaceName; readonly credential: Expression };

/** How long to wait for something, and the pauses between looks. */
export interface Waiting extends Backoff {
  /** How long to wait, in milliseconds. */
  readonly timeoutMs: number;
}

/** The `foreach` of a step: its list, the name of the item, and the key of its rounds. */
export interface Foreach {
  /** The name of the item in expressions. */
  readonly variable: string;
  /** Gives the list, with one item for each round. */
  readonly list: Template;
  /** Gives the key of a round from its item. */
  readonly key: Expression;
  /** How many rounds may run at a time. */
  readonly parallel: number;
}

/** One of the `steps`. */
export type Step = CallStep | BlockStep | IncludeStep;

interface StepCommon {
  readonly id: string;
  readonly name: string;
  readonly line: number;
  readonly if: Expression | undefined;
  readonly foreach: Foreach | undefined;
}

/** How often to try, and the pauses between attempts. */
export interface Retry extends Backoff {
  /** The total number of attempts, including the first. */
  readonly attempts: number;
}

/** A call of an operation. */
export interface CallStep extends StepCommon, SideRead {
  readonly kind: "call";
  /** What must hold after the call, in terms of `response` and `steps`; empty if there are no conditions. */
  readonly expect: readonly Expression[];
  /** The read is repeated until this condition holds. */
  readonly until: Expression | undefined;
  /** How the step ends if `until` does not hold in time. */
  readonly onTimeout: "fail" | "pending";
  /** How to wait for `until`, or for the receipt of a write; `undefined` for a write that does not wait. */
  readonly wait: Waiting | undefined;
  /** The expected refusal. */
  readonly fails: ExpectedRefusal | undefined;
  /** How many pages of a list to read. */
  readonly pages: number;
  /** How to retry a failed read; `undefined` for a write, and without a `retry`. */
  readonly retry: Retry | undefined;
  /** The effect that the write must have; `undefined` for a read, and without an `ensure`. */
  readonly ensure: Ensure | undefined;
  /** How to find what the write created; `undefined` for a read, and without a `discover`. */
  readonly discover: Discover | undefined;
}

/** A step that calls an operation that writes. */
export type WriteStep = CallStep & { readonly operation: WriteOperation };

/** Returns whether a call writes. */
export function isWrite(step: CallStep): step is WriteStep {
  return step.operation.writes;
}

/** A read beside a step. */
export interface SideRead {
  /** The operation that reads. */
  readonly operation: Operation;
  /** The input of the operation. */
  readonly with: Template;
  /** Who acts; `undefined` for a read that names nobody. */
  readonly as: ActorUse | undefined;
}

/** The effect that a write must have. If it exists already, the write is not sent; after the write it must exist. */
export interface Ensure {
  /** The read that shows the effect. */
  readonly read: SideRead;
  /** How long it may take until the service shows the written value. */
  readonly withinMs: number;
  /** A condition on `response` that holds if the effect exists. */
  readonly that: Expression;
}

/** How to find by reading what a write created. */
export interface Discover {
  /** The read that finds the thing. */
  readonly read: SideRead;
  /** How long it may take until the service shows the written value. */
  readonly withinMs: number;
  /** Gives a list with exactly one item from `response`. */
  readonly one: Expression;
  /** The values for later steps, computed from `one`. */
  readonly outputs: ReadonlyMap<string, Expression>;
}

/** A block: steps, with other steps for the case that one of them fails. */
export interface BlockStep extends StepCommon {
  readonly kind: "block";
  /** The steps of its `block`, in their order. */
  readonly steps: readonly Step[];
  /** The steps that run if a step of the block has failed; empty if there are none. */
  readonly rescue: readonly Step[];
  /** The steps that run at the end in any case; empty if there are none. */
  readonly always: readonly Step[];
  /** How to retry the whole block, which only reads; `undefined` without a `retry`. */
  readonly retry: Retry | undefined;
}

/** Another playbook, run with inputs of its own. */
export interface IncludeStep extends StepCommon {
  readonly kind: "include";
  /** Its path or name in the step. */
  readonly uses: string;
  /** The included playbook, checked. */
  readonly playbook: Playbook;
  /** The inputs that the step gives, by name. The others have their defaults. */
  readonly inputs: ReadonlyMap<string, Template>;
}

/** A check when all steps are complete: a condition on a new read, a conserved quantity, or two sides that must agree. */
export interface CheckStep extends StepCommon {
  readonly kind: "check";
  /** Whether it is only reported if it does not hold. */
  readonly warns: boolean;
  /** What is checked. */
  readonly looks: LookCheck | Conserve | Compare;
}

/** A check that reads something and has a condition. */
export interface LookCheck {
  readonly kind: "look";
  /** The read whose answer is checked. */
  readonly read: SideRead;
  /** The condition on `response` that must hold. */
  readonly that: Expression;
}

/** A conserved quantity. For a token: supply = sum of accounts = mints - burns. Vaults and sales have similar rules. */
export interface Conserve {
  readonly kind: "conserve";
  /** The name of what is conserved, such as `token`. */
  readonly of: string;
  /** The sides of the quantity, and how to read them. */
  readonly conserved: Conserved;
  /** The id of the thing whose quantity is conserved, such as that of a token. */
  readonly id: Template;
  /** Who reads; for a sale, everybody who may have bought. */
  readonly as: readonly ActorUse[];
  /** The operations that it needs. */
  readonly reads: readonly Operation[];
}

/** Two sides that must agree, row by row. */
export interface Compare {
  readonly kind: "compare";
  /** The two sides, written by the playbook or those of a conserved quantity. */
  readonly sides: GivenSides | ConservedSides;
  /** The names of the parts of a row's key, in the order in which they are shown. */
  readonly key: readonly string[];
  /** The parts of the key whose values differ between the sides; empty without any. */
  readonly mappings: readonly Mapping[];
  /** Differences up to this amount are ignored. */
  readonly tolerance: Decimal;
  /** A row that changed within this time is moving, and not yet a drift. */
  readonly settleMs: number;
  /** How long to wait before a difference is read again, to confirm it. */
  readonly recheckMs: number;
  /** Whether it passes if neither side has a row. */
  readonly mayBeEmpty: boolean;
  /** The part of the key by which the reported totals are grouped. */
  readonly totals: string | undefined;
  /** Distinguishes it from other comparisons with the same name; an expression over `inputs`, `env` and `run`. */
  readonly scope: Template | undefined;
}

/** A comparison of two sides that the playbook writes itself. */
export interface GivenSides {
  readonly kind: "given";
  /** The left side. A difference is left minus right. */
  readonly left: Side;
  readonly right: Side;
}

/** The sides of a conserved quantity, for each round of a `foreach`. */
export interface ConservedSides {
  readonly kind: "conserved";
  /** The rounds; `undefined` if there is only one. */
  readonly foreach: Foreach | undefined;
  /** The quantity, and how its sides are read. */
  readonly conserve: Conserve;
}

/** One side of a comparison: the source of its rows, and the compared value of a row. */
export interface Side {
  /** Its name in reports. */
  readonly name: string;
  /** Where the rows come from. */
  readonly source: ReadSource | ListSource | OutsideSource;
  /** Rows for which this does not hold are left out. */
  readonly where: Expression | undefined;
  /** The parts of the key by their names. */
  readonly key: ReadonlyMap<string, Expression>;
  /** The parts that are the same for all rows of one read. */
  readonly fixed: ReadonlySet<string>;
  /** The compared value; without it, only the existence of rows is compared. */
  readonly value: Expression | undefined;
  /** Whether rows with the same key are added up; otherwise a second row is a finding. */
  readonly sums: boolean;
  /** What identifies the record of a row, so that a record that is listed several times counts once. */
  readonly once: Expression | undefined;
  /** When the row last changed. */
  readonly at: Expression | undefined;
}

/** Rows that are read from the service, once or in each round of a `foreach`. */
export interface ReadSource {
  readonly kind: "read";
  /** The rounds; `undefined` if the rows are read once. */
  readonly foreach: Foreach | undefined;
  /** The read whose answers hold the rows. */
  readonly read: SideRead;
  /** Gives the rows of one page from its `response`; by default the operation's list, or the response as the only row. */
  readonly each: Expression | undefined;
}

/** Rows that are already known, from an input or from earlier steps. */
export interface ListSource {
  readonly kind: "list";
  /** Gives the list of the rows. */
  readonly rows: Expression;
}

/** Rows from outside the service. */
export interface OutsideSource {
  readonly kind: "outside";
  /** The file, database or API that holds the rows. */
  readonly place: OutsidePlace;
  /** The required shape of each row. */
  readonly shape: ValueShape;
  /** The file of the playbook, whose secrets the place names. */
  readonly file: string;
  /** All of it as it was written. */
  readonly written: Json;
}

/** Which value of a key part on the left matches which value on the right. The operator provides this, because the interfaces share no key. */
export interface Mapping {
  /** The name of the part of the key. */
  readonly part: string;
  /** Gives a list of objects. Each holds a value of the left side, and the matching value of the right side. */
  readonly from: Template;
  /** The field of each object with the left side's value. */
  readonly left: string;
  readonly right: string;
}
