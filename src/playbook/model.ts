import type { Cron } from "../base/time/cron.ts";
import type { Decimal } from "../base/numbers/decimal.ts";
import type { Json } from "../base/json/json.ts";
import type { Backoff } from "../base/time/backoff.ts";
import type { InterfaceName } from "../contract/contract.ts";
import type { Expression } from "../expression/expression.ts";
import type { Operation, WriteOperation } from "../operations/operation.ts";
import type { ExpectedRefusal } from "../operations/refusal.ts";
import type { OutsidePlace } from "../rows/outside.ts";
import type { Validate } from "../schema/validator.ts";
import type { Conserved } from "../services/conserved.ts";
import type { Template } from "./expressions/template.ts";

/** A checked playbook: nothing in it can be misspelt, mistyped or used before it exists. */
export interface Playbook {
  readonly file: string;
  /** What its drifts are remembered by, in place of the file. */
  readonly id: string | undefined;
  readonly text: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly readOnly: boolean;
  readonly tags: readonly string[];
  readonly inputs: readonly InputDeclaration[];
  readonly env: readonly VariableDeclaration[];
  readonly secrets: readonly SecretDeclaration[];
  readonly concurrency: Concurrency | undefined;
  readonly schedule: Schedule | undefined;
  readonly actors: ReadonlyMap<string, ActorDeclaration>;
  readonly steps: readonly Step[];
  readonly checks: readonly CheckStep[];
  readonly outputs: ReadonlyMap<string, Template>;
  /** The names of its steps, at every depth of its blocks, with the loops around each: what `steps` may be asked for. */
  readonly names: ReadonlyMap<string, StepLoops>;
}

/** A text that the process gives, or else the playbook. */
export interface VariableDeclaration {
  readonly name: string;
  /** Left out, the variable must be set. */
  readonly default: string | undefined;
  readonly line: number;
}

/** Where a secret is. */
export interface SecretDeclaration {
  readonly name: string;
  readonly from: "variable" | "file";
  /** The name of the variable, or the path of the file from the playbook's folder. */
  readonly place: string;
  readonly line: number;
}

/** Of all runs in one group, one acts at a time. */
export interface Concurrency {
  /** Over `inputs` and `env`. */
  readonly group: Template;
  /** How long to wait while another run is in the group; `undefined`, not at all. */
  readonly waitMs: number | undefined;
  readonly line: number;
}

/** When `tokenbook schedule` runs the playbook, and what it does when it cannot. */
export interface Schedule {
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

/** The types that an input can have. */
export type InputType = "string" | "integer" | "decimal" | "boolean" | "date" | "entity" | "list" | "object" | "file";

/** What a value must be; `any` where only a JSON Schema knows. */
export interface ValueShape {
  readonly type: Exclude<InputType, "file"> | "any";
  readonly pattern?: string | undefined;
  readonly enum?: readonly Json[] | undefined;
  /** A number or a date, as it was written. */
  readonly minimum?: string | undefined;
  readonly maximum?: string | undefined;
  /** The type of each item of a list. */
  readonly items?: ValueShape | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  /** No two items are the same; or, with the name of a field, have the same there. */
  readonly unique?: true | string | undefined;
  /** The fields of an object, which has no others unless it is `open`. */
  readonly properties?: ReadonlyMap<string, ValueShape> | undefined;
  /** What every field of an object is, whatever its name. */
  readonly values?: ValueShape | undefined;
  readonly required?: ReadonlySet<string> | undefined;
  /** As a JSON Schema has it: there may be other fields, and null. */
  readonly open?: boolean | undefined;
  readonly nullable?: boolean | undefined;
}

/** One of the `inputs`: its type, its rules and its default. */
export interface InputDeclaration {
  readonly name: string;
  readonly type: InputType;
  readonly description: string | undefined;
  /** What the value is; of a file, its content. */
  readonly shape: ValueShape;
  readonly default: Json | undefined;
  /** How a file is read. */
  readonly file: FileRule | undefined;
}

/** The formats of a data file. */
export type FileFormat = "json" | "yaml" | "csv";

/** The rules of an input of type `file`. */
export interface FileRule {
  /** By default, by the file's extension. */
  readonly format: FileFormat | undefined;
  /** The path of the default, resolved. */
  readonly path: string | undefined;
  /** What the JSON Schema of the content finds; `undefined` without one. */
  readonly validate: Validate | undefined;
}

/** Whom an actor is on each interface: an entity such as `userId:alice`, or the name of a credential of the environment. */
export type Identity = { readonly [Name in InterfaceName]?: string };

/** One of the `actors`: a single actor, or a group. */
export interface ActorDeclaration {
  readonly name: string;
  readonly group: boolean;
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
  readonly timeoutMs: number;
}

/** The `foreach` of a step: its list, the name of the item, and the key of its rounds. */
export interface Foreach {
  readonly variable: string;
  readonly list: Template;
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
  readonly attempts: number;
}

/** A call of an operation. */
export interface CallStep extends StepCommon {
  readonly kind: "call";
  readonly operation: Operation;
  readonly with: Template;
  readonly as: ActorUse | undefined;
  readonly expect: readonly Expression[];
  /** Read again until this holds. */
  readonly until: Expression | undefined;
  readonly onTimeout: "fail" | "pending";
  /** How to wait for `until`, or for a write's receipt; `undefined` on a write that does not wait. */
  readonly wait: Waiting | undefined;
  /** The refusal that is expected. */
  readonly fails: ExpectedRefusal | undefined;
  /** How many pages of a list are read. */
  readonly pages: number;
  readonly retry: Retry | undefined;
  readonly ensure: Ensure | undefined;
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
  readonly operation: Operation;
  readonly with: Template;
  readonly as: ActorUse | undefined;
}

/** The effect that a write must have. If it is there already, the write is not sent; after the write it must be there. */
export interface Ensure {
  readonly read: SideRead;
  /** How long it may take until the service shows the written value. */
  readonly withinMs: number;
  readonly that: Expression;
}

/** How to find, by reading, the thing that a write made. */
export interface Discover {
  readonly read: SideRead;
  readonly withinMs: number;
  /** Over `response`: a list of exactly one. */
  readonly one: Expression;
  /** Over `one`: the values for later steps. */
  readonly outputs: ReadonlyMap<string, Expression>;
}

/** Steps with a way out when one of them fails. */
export interface BlockStep extends StepCommon {
  readonly kind: "block";
  readonly steps: readonly Step[];
  readonly rescue: readonly Step[];
  readonly always: readonly Step[];
  readonly retry: Retry | undefined;
}

/** Another playbook, run with inputs of its own. */
export interface IncludeStep extends StepCommon {
  readonly kind: "include";
  /** Its path or name in the step. */
  readonly uses: string;
  readonly playbook: Playbook;
  readonly inputs: ReadonlyMap<string, Template>;
}

/** A condition over a new read, the conservation of a quantity, or two sides that must agree, checked when all steps are complete. */
export interface CheckStep extends StepCommon {
  readonly kind: "check";
  /** Whether it is only reported when it does not hold. */
  readonly warns: boolean;
  readonly looks: LookCheck | Conserve | Compare;
}

/** A check that reads something and has a condition. */
export interface LookCheck {
  readonly kind: "look";
  readonly read: SideRead;
  readonly that: Expression;
}

/** Token: supply = sum of accounts = mints - burns. Vault and sale likewise. */
export interface Conserve {
  readonly kind: "conserve";
  /** Such as `token`: a name under which the interface of the reads conserves something. */
  readonly of: string;
  readonly conserved: Conserved;
  readonly id: Template;
  /** Who reads; for a sale, everybody who may have bought. */
  readonly as: readonly ActorUse[];
  /** The operations that it takes. */
  readonly reads: readonly Operation[];
}

/** Two sides that must agree, row by row. */
export interface Compare {
  readonly kind: "compare";
  readonly sides: GivenSides | ConservedSides;
  /** The names of the parts of a row's key, in the order in which they are shown. */
  readonly key: readonly string[];
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
  readonly left: Side;
  readonly right: Side;
}

/** The sides that a conserved quantity has, for each round of a `foreach`. */
export interface ConservedSides {
  readonly kind: "conserved";
  readonly foreach: Foreach | undefined;
  readonly conserve: Conserve;
}

/** One side of a comparison: the origin of its rows, and the compared value of a row. */
export interface Side {
  /** Its name in reports. */
  readonly name: string;
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
  readonly foreach: Foreach | undefined;
  readonly read: SideRead;
  /** The rows of one page, over its `response`; by default the operation's list, or the response as the only row. */
  readonly each: Expression | undefined;
}

/** Rows that are known already: of an input, or of earlier steps. */
export interface ListSource {
  readonly kind: "list";
  readonly rows: Expression;
}

/** Rows from outside of the service. */
export interface OutsideSource {
  readonly kind: "outside";
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
  readonly part: string;
  readonly from: Template;
  /** The fields of its rows. */
  readonly left: string;
  readonly right: string;
}
