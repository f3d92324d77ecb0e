import type { KeyOrder } from "../source/format.ts";

/** The order in which a formatted playbook has its keys. */
export const PLAYBOOK_KEYS: readonly string[] = [
  "playbook",
  "name",
  "description",
  "tags",
  "mode",
  "schedule",
  "concurrency",
  "inputs",
  "env",
  "secrets",
  "actors",
  "defaults",
  "steps",
  "reconcile",
  "checks",
  "outputs",
];

/** The order of a step's keys: what it is, when and for whom, what it does, how it waits, what must come of it. */
export const STEP_KEYS: readonly string[] = [
  "id",
  "name",
  "if",
  "foreach",
  "as",
  "uses",
  "with",
  "ensure",
  "discover",
  "block",
  "rescue",
  "always",
  "pages",
  "retry",
  "wait",
  "until",
  "timeout",
  "on_timeout",
  "expect",
  "fails",
];

/** The order of the keys of `fails`, and of the message in it. */
export const FAILS_KEYS: readonly string[] = ["condition", "status", "message"];
export const MESSAGE_KEYS: readonly string[] = ["contains", "matches"];

/** The order of a check's keys. */
export const CHECK_KEYS: readonly string[] = ["name", "foreach", "as", "read", "with", "that", "conserve", "severity"];

/** The order of a comparison's keys, and of each of its sides. */
export const COMPARISON_KEYS: readonly string[] = [
  "id",
  "name",
  "scope",
  "foreach",
  "as",
  "conserve",
  "left",
  "right",
  "map",
  "tolerance",
  "settle",
  "recheck",
  "totals",
];
export const SIDE_KEYS: readonly string[] = [
  "name",
  "foreach",
  "as",
  "read",
  "with",
  "rows",
  "each",
  "where",
  "key",
  "value",
  "combine",
  "at",
];

const IN_STEP: Readonly<Record<string, readonly string[]>> = { fails: FAILS_KEYS, "fails.message": MESSAGE_KEYS };

const STEP_LISTS: ReadonlySet<string> = new Set(["steps", "block", "rescue", "always"]);

/** Orders the keys of the playbook itself and of its steps; what stands in `with`, in inputs or actors keeps its order. */
export const playbookOrder: KeyOrder = (path) => {
  if (path.length === 0) return PLAYBOOK_KEYS;
  if (path.length === 2 && path[0] === "checks") return CHECK_KEYS;
  if (path[0] === "reconcile" && path.length === 2) return COMPARISON_KEYS;
  if (path[0] === "reconcile" && path.length === 3 && (path[2] === "left" || path[2] === "right")) return SIDE_KEYS;
  const depth = path.findIndex((key, at) => (at % 2 === 0 ? !STEP_LISTS.has(key) : key !== "*"));
  if (depth < 0) return path.length % 2 === 0 ? STEP_KEYS : undefined;
  return depth % 2 === 0 ? IN_STEP[path.slice(depth).join(".")] : undefined;
};
