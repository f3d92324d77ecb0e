import { hash } from "node:crypto";
import type { JobWithMetadata } from "pg-boss";
import { EXIT } from "../base/exit.ts";
import { messageOf } from "../base/failure.ts";
import { canonicalJson, parseJson } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { storable, storableIn } from "../base/text/text.ts";
import type { RunOutcome } from "../protocol/record.ts";
import type { SubmittedRun } from "./submitted-run.ts";

/** A submitted run whose job a worker has taken, or that was given up. */
export interface TakenRun extends SubmittedRun {
  /** The job of the run, and the queue of the job. */
  readonly job: { readonly name: string; readonly id: string };
}

/** How a submitted run ended. Its id and outcome are null if it never began. */
export interface JobResult {
  /** The run's id. */
  readonly run: string | null;
  /** The outcome of the run. */
  readonly outcome: RunOutcome | null;
  /** The exit code of a command that runs only this run. */
  readonly exit: number;
  /** Why it was not run; null if it has an outcome. */
  readonly problem: { readonly code: string; readonly message: string; readonly next?: string } | null;
}

/** A submitted run with the label for which workers take it. */
export interface LabelledRun extends TakenRun {
  /** The label. */
  readonly label: string;
}

/** A submitted run that has not ended. */
export interface QueuedRun extends LabelledRun {
  /** Whether a worker has taken it. */
  readonly isTaken: boolean;
  /** When it was submitted. */
  readonly submittedAt: Date;
  /** Why a worker last returned it to the queue; undefined if none has. */
  readonly returned: string | undefined;
}

/** A job of the queue, whatever its state. */
export type AnyJob = JobWithMetadata<SubmittedRun>;

/** A job that was given up. */
export type GivenUp = Pick<AnyJob, "name" | "id" | "data" | "output" | "retryCount">;

/** The code of the problem for a run that was given up. */
export const GIVEN_UP = "queue.given-up";

/**
 * Returns a result without the texts that the database cannot keep. It would refuse the end of the job, and deliver the job again and again.
 */
export function storableResult(result: JobResult): JobResult {
  return JSON.parse(JSON.stringify(result), storableIn) as JobResult;
}

/** Returns an error without such texts, and without its cause. */
export function storableError(error: unknown): Error {
  return new Error(storable(messageOf(error)));
}

/** Returns the submitted run of a job. */
export function takenRun({ name, id, data }: Pick<AnyJob, "name" | "id" | "data">): TakenRun {
  return { ...data, job: { name, id } };
}

/** Returns whether no worker takes the job any more, although its run has not ended. */
export function isGivenUp({ state }: AnyJob): boolean {
  return state === "failed" || state === "cancelled";
}

/** Returns whether the job is over, and its run has not passed. */
export function hasEndedBadly(job: AnyJob): boolean {
  return isGivenUp(job) || (job.state === "completed" && (job.output as JobResult).exit !== EXIT.passed);
}

/** Returns the result of a run that was given up. */
export function givenUpResult({ data, retryCount, output }: Pick<GivenUp, "data" | "output" | "retryCount">): JobResult {
  const why = whyReturned({ output });
  const last = why === undefined ? "" : `; the last one: ${why}`;
  return {
    run: null,
    outcome: null,
    exit: EXIT.cannotStart,
    problem: {
      code: GIVEN_UP,
      message: `${data.playbook} was given up after ${retryCount + 1} tries${last}`,
      next: "submit it again with the same key, which resumes its run",
    },
  };
}

/** Returns why a worker last returned the job to the queue; undefined if none has. */
export function whyReturned({ output }: Pick<AnyJob, "output">): string | undefined {
  const { message, value } = (output ?? {}) as { readonly message?: string; readonly value?: { readonly message?: string } };
  return message ?? value?.message;
}

/** Returns whether two submissions mean the same run. The person may differ, and so may the text of the playbook: an edited one resumes the run. */
export function isSameRun(one: SubmittedRun, other: SubmittedRun): boolean {
  return contentOf(one) === contentOf(other);
}

// The database does not keep the order of names, and 1.0 is the same as 1.
function contentOf({ playbook, environment, key, inputs, env }: SubmittedRun): string {
  return canonicalJson([playbook, environment, key, parseJson(inputs, LIMITS.recordDepth), env]);
}

const UUID = /^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/;

/** Returns the id of the job with a key. */
export function jobIdOf(key: string): string {
  return hash("sha256", `tokenbook ${key}`).replace(UUID, "$1-$2-4$3-8$4-$5");
}
