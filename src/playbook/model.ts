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

/** A checked playbook: nothing in it can be misspelt, mistyped or used before it exists. */
export interface Playbook {
  /** The path of its file, or its name in the library, such as `tokenbook/mint.yaml`. */
  readonly file: string;
  /** What its drifts are remembered by, in place of the file. */
  readonly id: string | undefined;
  /** The whole text of the file. */
  readonly text: string;
  /** What the playbook does, for people; without one, its file. */
  readonly name: string;
  /** What people should know about it; `undefined` without one. */
  readonly description: string | undefined;
  /** Whether it is of mode read-only: it has no write, also in the playbooks that it includes. */
  readonly readOnly: boolean;
  /** Words by which playbooks are chosen; empty without any. */
  readonly tags: readonly string[];
  /** In the order of the file. */
  readonly inputs: readonly InputDeclaration[];
  /** The variables, in the order of the file. */
  readonly env: readonly VariableDeclaration[];
  /** The secrets that it declares, then those that the rows of its comparisons refer to. */
  readonly secrets: readonly SecretDeclaration[];
  /** `undefined` when its runs need not be one at a time. */
  readonly concurrency: Concurrency | undefined;
  /** `undefined` when it does not run by itself. */
  readonly schedule: Schedule | undefined;
  /** By name. */
  readonly actors: ReadonlyMap<string, ActorDeclaration>;
  /** In the order in which they are done. */
  readonly steps: readonly Step[];
  /** The comparisons, then the checks, each in the order of the file. */
  readonly checks: readonly CheckStep[];
  /** The values that the run reports, by name. */
  readonly outputs: ReadonlyMap<string, Template>;
  /** The names of its steps, at every depth of its blocks, with the loops around each: what `steps` may be asked for. */
  readonly names: ReadonlyMap<string, StepLoops>;
}

/** Of all runs in one group, one acts at a time. */
export interface Concurrency {
  /** Over `inputs` and `env`. */
  readonly group: Template;
  /** How long to wait while another run is in the group; `undefined`, not at all. */
  readonly waitMs: number | undefined;
  /** Its line in the file, from 1. */
  readonly line: number;
}

/** When `tokenbook schedule` runs the playbook, and what it does when it cannot. */
export interface Schedule {
  /** When it fires, in its time zone. */
  readonly cron: Cron;
  /** What happens to a firing while the previous run has not ended. */
  readonly overlap: "skip" | "queue" | "cancel";
  /** How late a firing that was missed may still run. */
  readonly catchupMs: number;
  /** By how much a firing is put off at most. */
  readonly jitterMs: number;
  /** How long a run may take, with all its tries. */
  readonly timeLimitMs: number | undefined;
  /** Of a read-only playbook: when a run that failed is made once more. */
  readonly retry: Retry | undefined;
}

/** Through how many keys a step's value is found. */
export interface StepLoops {
  /** The blocks with a `foreach` around the step, the outermost first. */
  readonly loops: readonly string[];
  /** It has a `foreach` of its own. */
  readonly foreach: boolean;
}

/** Whom an actor is on each interface: an entity such as `userId:alice`, or the name of a credential of the environment. */
export type Identity = { readonly [Name in InterfaceName]?: string };

/** One of the `actors`: a single actor, or a group. */
export interface ActorDeclaration {
  /** The name by which `as` names it. */
  readonly name: string;
  /** Whether it was written as a list. */
  readonly group: boolean;
  /** The only one of a single actor; those of a group in the order of its list. */
  readonly identities: readonly Identity[];
}

/**
 * The actor of a step: a named one, the entity of the key itself, or an expression's value on the interface of the call: an entity, or
 * the name of a credential.
 */
export type ActorUse =
  | { readonly kind: "key" }
  | { readonly kind: "identity"; readonly name: string; readonly identity: Identity }
  | { readonly kind: "entity"; readonly on: InterfaceName; readonly entity: Expression }
  | { readonly kind: "credential"; readonly on: InterfaceName; readonly credential: Expression };

/** How long to wait for something, and how to pause between looks. */
export interface Waiting extends Backoff {
  /** How long to wait, in milliseconds. */
  readonly timeoutMs: number;
}

/** The `foreach` of a step: its list, the name of the item, and the key of its rounds. */
export interface Foreach {
  /** The name of a round's item in expressions. */
  readonly variable: string;
  /** Gives the list, with an item for each round. */
  readonly list: Template;
  /** Over the item: gives the key of its round. */
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

/** How many tries there are in total, and how to pause between them. */
export interface Retry extends Backoff {
  /** How many tries there are in total, the first included. */
  readonly attempts: number;
}

/** A call of an operation. */
export interface CallStep extends StepCommon, SideRead {
  readonly kind: "call";
  /** What must hold after the call, over `response` and `steps`; empty without any. */
  readonly expect: readonly Expression[];
  /** Read again until this holds. */
  readonly until: Expression | undefined;
  /** What the step ends as when `until` does not hold in time. */
  readonly onTimeout: "fail" | "pending";
  /** How to wait for `until`, or for a write's receipt; `undefined` on a write that does not wait. */
  readonly wait: Waiting | undefined;
  /** The refusal that is expected. */
  readonly fails: ExpectedRefusal | undefined;
  /** How many pages of a list are read. */
  readonly pages: number;
  /** How a failed read is tried again; `undefined` on a write, and without a `retry`. */
  readonly retry: Retry | undefined;
  /** The effect that the write must have; `undefined` on a read, and without one. */
  readonly ensure: Ensure | undefined;
  /** How to find the thing that the write made; `undefined` on a read, and without one. */
  readonly discover: Discover | undefined;
}

/** A step that calls an operation that writes. */
export type WriteStep = CallStep & { readonly operation: WriteOperation };

/** Returns whether a call writes. */
export function isWrite(step: CallStep): step is WriteStep {
  return step.operation.writes;
}

/** A read made beside a step. */
export interface SideRead {
  /** The operation that reads. */
  readonly operation: Operation;
  /** The input of the operation. */
  readonly with: Template;
  /** Who acts; `undefined` on a read that names nobody. */
  readonly as: ActorUse | undefined;
}

/** The effect that a write must have. If it is there already, the write is not sent; after the write it must be there. */
export interface Ensure {
  /** The read that shows the effect. */
  readonly read: SideRead;
  /** How long it may take until the service shows the written value. */
  readonly withinMs: number;
  /** Over `response`: holds when the effect is there. */
  readonly that: Expression;
}

/** How to find, by reading, the thing that a write made. */
export interface Discover {
  /** The read that finds the thing. */
  readonly read: SideRead;
  /** How long it may take until the service shows the written value. */
  readonly withinMs: number;
  /** Over `response`: a list of exactly one. */
  readonly one: Expression;
  /** Over `one`: the values for later steps. */
  readonly outputs: ReadonlyMap<string, Expression>;
}

/** Steps with a way out when one of them fails. */
export interface BlockStep extends StepCommon {
  readonly kind: "block";
  /** The steps of its `block`, in their order. */
  readonly steps: readonly Step[];
  /** The steps that run when one of the block has failed; empty without any. */
  readonly rescue: readonly Step[];
  /** The steps that run at the end, whether the block failed or not; empty without any. */
  readonly always: readonly Step[];
  /** How the block, which only reads, is tried again as a whole; `undefined` without one. */
  readonly retry: Retry | undefined;
}

/** Another playbook, run with inputs of its own. */
export interface IncludeStep extends StepCommon {
  readonly kind: "include";
  /** Its path or name in the step. */
  readonly uses: string;
  /** The included playbook, checked. */
  readonly playbook: Playbook;
  /** The inputs that the step gives, by name; the others have their defaults. */
  readonly inputs: ReadonlyMap<string, Template>;
}

/** A condition over a new read, the conservation of a quantity, or two sides that must agree, checked when all steps are complete. */
export interface CheckStep extends StepCommon {
  readonly kind: "check";
  /** Whether it is only reported when it does not hold. */
  readonly warns: boolean;
  /** What is checked. */
  readonly looks: LookCheck | Conserve | Compare;
}

/** A check that reads something and has a condition. */
export interface LookCheck {
  readonly kind: "look";
  /** The read whose answer is checked. */
  readonly read: SideRead;
  /** Over `response`: what must hold. */
  readonly that: Expression;
}

/** Token: supply = sum of accounts = mints - burns. Vault and sale likewise. */
export interface Conserve {
  readonly kind: "conserve";
  /** Such as `token`: a name under which the interface of the reads conserves something. */
  readonly of: string;
  /** The sides of the quantity, and how they are read. */
  readonly conserved: Conserved;
  /** The id of the thing whose quantity is conserved, such as that of a token. */
  readonly id: Template;
  /** Who reads; for a sale, everybody who may have bought. */
  readonly as: readonly ActorUse[];
  /** The operations that it takes. */
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
  /** Differences up to it are ignored. */
  readonly tolerance: Decimal;
  /** A row that changed within it is moving, and not yet a drift. */
  readonly settleMs: number;
  /** How long to wait before a difference is read again, to confirm it. */
  readonly recheckMs: number;
  /** Whether it passes when neither side has a row. */
  readonly mayBeEmpty: boolean;
  /** The part of the key for whose values the totals are reported. */
  readonly totals: string | undefined;
  /** Separates it from other comparisons of the same name: over `inputs`, `env` and `run`. */
  readonly scope: Template | undefined;
}

/** A comparison of two sides that the playbook writes itself. */
export interface GivenSides {
  readonly kind: "given";
  /** The side that differences are counted from: a difference is left minus right. */
  readonly left: Side;
  readonly right: Side;
}

/** The sides that a conserved quantity has, for each round of a `foreach`. */
export interface ConservedSides {
  readonly kind: "conserved";
  /** `undefined` when there is only one round. */
  readonly foreach: Foreach | undefined;
  /** The quantity, and how its sides are read. */
  readonly conserve: Conserve;
}

/** One side of a comparison: the origin of its rows, and the compared value of a row. */
export interface Side {
  /** Its name in reports. */
  readonly name: string;
  /** Where the rows come from. */
  readonly source: ReadSource | ListSource | OutsideSource;
  /** Rows for which it does not hold are left out. */
  readonly where: Expression | undefined;
  /** By the names of its parts. */
  readonly key: ReadonlyMap<string, Expression>;
  /** The parts that are the same for all rows of one read. */
  readonly fixed: ReadonlySet<string>;
  /** Without it, only the row's existence is compared. */
  readonly value: Expression | undefined;
  /** Whether rows of one key are added up; otherwise a second one is a finding. */
  readonly sums: boolean;
  /** What identifies the record of a row, so that one that is listed several times counts once. */
  readonly once: Expression | undefined;
  /** When the row last changed. */
  readonly at: Expression | undefined;
}

/** Rows of the service, read once, or in each round of a `foreach`. */
export interface ReadSource {
  readonly kind: "read";
  /** `undefined` when the rows are read once. */
  readonly foreach: Foreach | undefined;
  /** The read whose answers hold the rows. */
  readonly read: SideRead;
  /** The rows of one page, over its `response`; by default the operation's list, or the response as the only row. */
  readonly each: Expression | undefined;
}

/** Rows that are known already: of an input, or of earlier steps. */
export interface ListSource {
  readonly kind: "list";
  /** Gives the list of the rows. */
  readonly rows: Expression;
}

/** Rows from outside of the service. */
export interface OutsideSource {
  readonly kind: "outside";
  /** The file, database or API that holds the rows. */
  readonly place: OutsidePlace;
  /** What each row must be. */
  readonly shape: ValueShape;
  /** The file of the playbook, whose secrets the place names. */
  readonly file: string;
  /** The whole as it was written. */
  readonly written: Json;
}

/** Which value of a key part on the left matches which on the right: data of the operator, because the interfaces share no key. */
export interface Mapping {
  /** The name of the part of the key. */
  readonly part: string;
  /** Gives a list of objects: each has a value of the left, and the one that matches it on the right. */
  readonly from: Template;
  /** The fields of its rows. */
  readonly left: string;
  readonly right: string;
}
