import { type Advice, command } from "../base/command-line.ts";
import { Failure, messageOf } from "../base/failure.ts";
import { quoted } from "../base/text/text.ts";
import { failureOf } from "../postgres/failure.ts";
import { PassingFailure } from "../sql/failure.ts";
import type { SubmittedRun } from "./submitted-run.ts";

/** Returns what the database answers. Throws a Failure that explains an error of the database, because it is not a bug in tokenbook. */
export async function explained<T>(ask: () => Promise<T>, explain: (error: unknown) => Failure = queueUnusable): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof Failure ? error : explain(error);
  }
}

/** The queue cannot be used. */
export function queueUnusable(cause: unknown): Failure {
  const message = messageOf(cause);
  const { code } = cause as { readonly code?: string };
  const known = failureOf("the queue", { message, code, isBroken: false, isUnsent: false });
  const next = known instanceof PassingFailure ? known.next : undefined;
  return new Failure({
    code: "queue.unusable",
    message: `the queue in the database cannot be used: ${message}`,
    next: next ?? "make sure that the server runs, and that the user may create the schema of the queue",
    cause,
  });
}

/** It is unknown whether a run was put into the queue. */
export function submissionUnanswered({ playbook, key }: SubmittedRun, cause: unknown): Failure {
  return new Failure({
    code: "queue.unanswered",
    message: `it is unknown whether ${playbook} was put into the queue: ${messageOf(cause)}`,
    why: "with this key it is put in once; with another one, or without one, it would be a second run",
    next: `submit ${playbook} with the same options and --key ${quoted(key)}`,
    cause,
  });
}

/** It is unknown whether a run was withdrawn. */
export function maybeWithdrawn(key: string, cause: unknown): Failure {
  return new Failure({
    code: "queue.unanswered",
    message: `it is unknown whether the submitted run ${key} was withdrawn: ${messageOf(cause)}`,
    why: "if it was not, a worker may still take it",
    next: ["once the database answers, withdraw it again:", command`runs withdraw ${key}`],
    cause,
  });
}

/** A worker has a submitted run under way. */
export function underWay(key: string): Failure {
  return notWithdrawn(`a worker has the submitted run ${key} under way`, command`runs show ${key}`);
}

/** No submitted run with a key is in the queue. */
export function notWaiting(key: string): Failure {
  const message = `no submitted run with the key ${key} waits: it has ended, was withdrawn, or was never submitted`;
  return notWithdrawn(message, command`runs --queued`);
}

function notWithdrawn(message: string, next: Advice): Failure {
  const why = "only a run that no worker has can be withdrawn; nothing was changed";
  return new Failure({ code: "queue.not-waiting", message, why, next });
}

/** The key of a submission belongs to another run. */
export function keyTaken({ key }: SubmittedRun): Failure {
  return new Failure({
    code: "queue.key-taken",
    message: `the key ${key} was submitted with another playbook, other inputs or another environment`,
    why: "a key names one run; nothing was put into the queue",
    next: [
      "look at that run first; a run with another key would make its writes in addition to those of that run:",
      command`runs show ${key}`,
    ],
  });
}

/** A run with the key was submitted with another version of the playbook. */
export function otherPlaybook({ key, playbook }: SubmittedRun, hasPassed: boolean): Failure {
  const why = "a key names one run; nothing was put into the queue";
  const message = `the key ${key} was submitted with another version of ${playbook} or of what it includes, and that run has ${hasPassed ? "passed" : "not ended yet"}`;
  const next = hasPassed
    ? ["look at that run first; a run with another key would repeat any write of that run:", command`runs show ${key}`]
    : [
        "submit this version with the same key once that run has ended, or once you have withdrawn it, if no worker has it:",
        command`runs --queued`,
        command`runs withdraw ${key}`,
      ];
  return new Failure({ code: "queue.other-playbook", message, why, next });
}
