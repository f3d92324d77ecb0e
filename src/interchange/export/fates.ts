import { CHECK, type CheckFields } from "../../playbook/keywords/comparison.ts";
import type { Table } from "../../playbook/keywords/keyword.ts";
import { PLAYBOOK, type PlaybookFields } from "../../playbook/keywords/playbook.ts";
import {
  type BlockFields,
  type CallFields,
  type EnsureFields,
  type FailsFields,
  type HeadFields,
  STEP_KINDS,
  type UseFields,
  type WaitFields,
} from "../../playbook/keywords/step.ts";
import type { FOREACH, RetryFields } from "../../playbook/keywords/shared.ts";
import type { MapNode, SourceNode } from "../../source/node.ts";
import type { TranslationFindings } from "../findings.ts";

/** The fate of a keyword that the export writes. The export itself reports the parts that it cannot write. */
const WRITTEN = true;

/** The fate of a keyword: it is written, or the reason why it is not, or the fates of the keywords inside it. */
type Fate = typeof WRITTEN | string | { readonly [name: string]: Fate };

/** Has a row for each keyword, so that a missing keyword does not compile. */
type Fates<Fields> = { readonly [Name in keyof Fields]-?: Fate };

const ROUNDS: Fates<typeof FOREACH> = { key: WRITTEN, parallel: "Arazzo runs one step after the other" };
const HEAD: Fates<HeadFields> = {
  id: WRITTEN,
  name: WRITTEN,
  if: WRITTEN,
  foreach: ROUNDS,
};
const USE: Fates<UseFields> = { uses: WRITTEN, with: WRITTEN };
const ENSURE: Fates<EnsureFields> = { as: WRITTEN, read: WRITTEN, with: WRITTEN, that: WRITTEN, within: WRITTEN };
// The number of tries and their total time are written.
const RETRY: Fates<RetryFields> = { attempts: WRITTEN, every: WRITTEN, backoff: WRITTEN };
const WAIT: Fates<WaitFields> = { timeout: WRITTEN, every: WRITTEN, backoff: WRITTEN, max: WRITTEN };
const FAILS: Fates<FailsFields> = {
  condition: WRITTEN,
  status: WRITTEN,
  message: "runners compare parts of texts in different ways",
};

const CALL: Fates<HeadFields & CallFields> = {
  ...HEAD,
  ...USE,
  as: WRITTEN,
  ensure: ENSURE,
  discover: "Arazzo has no list of exactly one",
  pages: WRITTEN,
  retry: RETRY,
  wait: WAIT,
  until: WRITTEN,
  timeout: WRITTEN,
  on_timeout: WRITTEN,
  expect: WRITTEN,
  fails: FAILS,
};

const BLOCK: Fates<HeadFields & BlockFields & Pick<CallFields, "retry">> = {
  ...HEAD,
  block: WRITTEN,
  rescue: "Arazzo has no steps for the failure of several others",
  always: WRITTEN,
  retry: "Arazzo repeats one step, and not several",
};

const INCLUDE: Fates<HeadFields & UseFields> = { ...HEAD, ...USE };

const OF_CHECK: Fates<CheckFields> = {
  name: WRITTEN,
  foreach: ROUNDS,
  as: WRITTEN,
  read: WRITTEN,
  with: WRITTEN,
  that: WRITTEN,
  conserve: WRITTEN,
  severity: WRITTEN,
};

const OF_PLAYBOOK: Fates<PlaybookFields> = {
  playbook: WRITTEN,
  id: "Arazzo remembers no drifts",
  name: WRITTEN,
  description: WRITTEN,
  tags: "workflows of Arazzo are not chosen by words",
  mode: "Arazzo does not prove that a workflow only reads",
  schedule: "Arazzo has no schedule",
  concurrency: "Arazzo has no groups of runs",
  inputs: WRITTEN,
  env: WRITTEN,
  secrets: WRITTEN,
  actors: WRITTEN,
  defaults: WRITTEN,
  steps: WRITTEN,
  reconcile: "Arazzo compares no two sides",
  checks: WRITTEN,
  outputs: WRITTEN,
};

type PlaybookPart = "playbook" | "call" | "block" | "include" | "check";

const PARTS: Readonly<Record<PlaybookPart, readonly [Table, Fate]>> = {
  playbook: [PLAYBOOK, OF_PLAYBOOK],
  call: [STEP_KINDS.call, CALL],
  block: [STEP_KINDS.block, BLOCK],
  include: [STEP_KINDS.include, INCLUDE],
  check: [CHECK, OF_CHECK],
};

/** Reports the keywords in a part of a playbook that are not written. */
export function loseKeywords(part: PlaybookPart, node: MapNode, findings: TranslationFindings): void {
  const [table, fates] = PARTS[part];
  loseIn(node, table, fates, findings);
}

function loseIn(node: MapNode, table: Table | undefined, fates: Fate, findings: TranslationFindings): void {
  for (const [name, { key, value }] of node.entries) {
    const fate = typeof fates === "object" ? fates[name] : undefined;
    // Leaving out a keyword with its default value loses nothing.
    if (typeof fate === "string" && !isDefault(value, table?.[name]?.default))
      findings.lose(key, `\`${name}\` is left out`, fate);
    if (typeof fate === "object" && value.kind === "map") loseIn(value, table?.[name]?.inside?.(), fate, findings);
  }
}

function isDefault(value: SourceNode, usual: string | undefined): boolean {
  return value.kind === "scalar" && usual !== undefined && String(value.value) === usual;
}
