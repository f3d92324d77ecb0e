import type { JsonObject } from "../../src/base/json/json.ts";
import type { Commit, LedgerCall } from "../../src/sandbox/ledger/call.ts";
import type { LedgerRules } from "../../src/sandbox/ledger/operations.ts";
import { ServiceRefusal } from "../../src/sandbox/refusal.ts";
import type { Kind, Resources } from "../../src/sandbox/store/resources.ts";
import type { World } from "../../src/sandbox/store/world.ts";

// Ways in which a ledger can be wrong. Each wraps the ledger's rules and leaves the rules themselves unchanged.

/** Returns rules that are wrong in one way. */
export type Flaw = (rules: LedgerRules) => LedgerRules;

// Only the operation that a flaw wraps knows the type of its body.
export type AnyCommit = Commit<never>;
type AnyWrite = (commit: AnyCommit) => void;
type AnyAnswer = JsonObject & { readonly records?: readonly JsonObject[] };

/** Replaces how a write works. */
export function writing(operations: string | readonly string[], wrong: (commit: AnyCommit, write: AnyWrite) => void): Flaw {
  return ({ writes, ...rules }) => {
    const changed = [operations].flat().map((name) => {
      const write = writes[name] as unknown as AnyWrite;
      return [name, (commit: Commit<unknown>) => wrong(commit as AnyCommit, write)] as const;
    });
    return { ...rules, writes: { ...writes, ...Object.fromEntries(changed) } };
  };
}

/** Replaces how a read answers. */
export function reading(
  operations: string | readonly string[],
  wrong: (answer: never, call: LedgerCall, read: (call: LedgerCall) => AnyAnswer) => unknown,
): Flaw {
  return ({ reads, ...rules }) => {
    const changed = [operations].flat().map((name) => {
      const read = reads[name] as unknown as (call: LedgerCall) => AnyAnswer;
      return [name, (call: LedgerCall<unknown>) => wrong(read(call as LedgerCall) as never, call as LedgerCall, read)] as const;
    });
    return { ...rules, reads: { ...reads, ...Object.fromEntries(changed) } };
  };
}

/** Does a write that sees the resources of a kind wrongly. The wrong values are not stored: only the write's own changes are. */
export function seeing<K extends Kind>(
  operations: string | readonly string[],
  kind: K,
  wrong: (value: Resources[K], commit: AnyCommit) => Partial<Resources[K]>,
): Flaw {
  return writing(operations, (commit, write) => {
    const world = around(commit.world, {
      get: (asked: Kind, id: string) => {
        const value = commit.world.get(asked, id);
        return asked === kind && value !== undefined ? { ...value, ...wrong(value as Resources[K], commit) } : value;
      },
      put: (asked: Kind, key: { readonly id: string }, value: Resources[K]) => {
        const before = commit.world.get(asked, key.id) as Resources[K] | undefined;
        commit.world.put(
          asked,
          key,
          asked === kind && before !== undefined ? restored(value, before, wrong(before, commit)) : value,
        );
      },
      remember: (asked: Kind, id: string, record: Resources[K]) => {
        const stored = commit.world.get(asked, id) as Resources[K] | undefined;
        commit.world.remember(
          asked,
          id,
          asked === kind && stored !== undefined ? restored(record, stored, wrong(stored, commit)) : record,
        );
      },
    });
    write({ ...commit, world });
  });
}

// Restores the stored value where the write left a wrong value unchanged.
function restored<T extends object>(value: T, before: T, seen: Partial<T>): T {
  const kept = Object.keys(seen).filter(
    (name) => JSON.stringify(value[name as keyof T]) === JSON.stringify(seen[name as keyof T]),
  );
  return { ...value, ...Object.fromEntries(kept.map((name) => [name, before[name as keyof T]])) };
}

/** Does a write, but leaves out one of its changes. */
export function without(operations: string | readonly string[], change: "delete" | "get", kind: Kind): Flaw {
  return writing(operations, (commit, write) => {
    const world = around(commit.world, {
      [change]: (asked: Kind, id: string) => (asked === kind ? undefined : commit.world[change](asked, id)),
    });
    write({ ...commit, world });
  });
}

/** Reports success where the write is refused for the condition, and does nothing. */
export function ignoring(operations: string | readonly string[], condition: string): Flaw {
  return writing(operations, (commit, write) => {
    try {
      write(commit);
    } catch (error) {
      if (!(error instanceof ServiceRefusal) || error.condition !== condition) throw error;
    }
  });
}

/** Changes what is stored after a write is done. */
export function afterwards(operations: string | readonly string[], change: (commit: AnyCommit) => void): Flaw {
  return writing(operations, (commit, write) => {
    write(commit);
    change(commit);
  });
}

/** Does a write with a different body. */
export function doing(operations: string | readonly string[], other: (body: never, commit: AnyCommit) => unknown): Flaw {
  return writing(operations, (commit, write) => write({ ...commit, body: other(commit.body, commit) as never }));
}

/** Reports a write as done, but does it only at the first read after `afterMs`. With `onlyRefused`: refuses it, and does it later anyway. */
export function late(
  operation: string,
  { afterMs, onlyRefused }: { readonly afterMs: number; readonly onlyRefused?: Flaw },
): Flaw {
  return (rules) => {
    const waiting = new Map<string, { readonly at: number; readonly run: () => void }>();
    const meant = rules.writes[operation] as unknown as AnyWrite;
    const granting = onlyRefused?.(rules).writes[operation] as unknown as AnyWrite | undefined;
    const put = (commit: AnyCommit, run: () => void): void =>
      void waiting.set(commit.transactionId, { at: Date.now() + afterMs, run });
    const write = (commit: AnyCommit): void => {
      try {
        meant(granting === undefined ? { ...commit, world: unchanging(commit.world) } : commit);
        if (granting === undefined) put(commit, () => meant(commit));
      } catch (error) {
        if (granting !== undefined && isGranted(() => granting({ ...commit, world: unchanging(commit.world) })))
          put(commit, () => granting(commit));
        throw error;
      }
    };
    const catchUp = (): void => {
      for (const [id, { at, run }] of waiting) {
        if (at > Date.now()) continue;
        waiting.delete(id);
        isGranted(run);
      }
    };
    const reads = Object.entries(rules.reads).map(([name, read]) => {
      const caughtUp = (call: LedgerCall<unknown>): unknown => {
        catchUp();
        return read(call);
      };
      return [name, caughtUp] as const;
    });
    const writes = { ...rules.writes, [operation]: write as unknown as LedgerRules["writes"][string] };
    return { ...rules, writes, reads: Object.fromEntries(reads) };
  };
}

/** Makes rules wrong in several ways at once. */
export function all(...flaws: readonly Flaw[]): Flaw {
  return (rules) => flaws.reduce((changed, flaw) => flaw(changed), rules);
}

function isGranted(run: () => void): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (!(error instanceof ServiceRefusal)) throw error;
    return false;
  }
}

function unchanging(world: World): World {
  const nothing = (): void => {};
  return around(world, { put: nothing, delete: nothing, remember: nothing });
}

function around(world: World, changes: Readonly<Record<string, unknown>>): World {
  return new Proxy(world, {
    get: (target, name) => {
      const changed = changes[String(name)];
      const own: unknown = Reflect.get(target, name, target);
      return changed ?? (typeof own === "function" ? (own.bind(target) as unknown) : own);
    },
  });
}
