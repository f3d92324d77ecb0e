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
  readonly outcome: RunOutcome | null;
  /** The exit code of a command that runs only this run. */
  readonly exit: number;
  /** Why it was not run; null if it has an outcome. */
  readonly problem: { readonly code: string; readonly message: string; readonly next?: string } | null;
}

/** A submitted run with the label for which workers take it. */
export interface LabelledRun extends TakenRun {
  readonly label: string;
}

/** Thrown if a worker cannot do a job now, so that it is tried again later. However often this happens, the job is not given up. */
export class NotNow extends Error {}

/** The job of a submitted run, as the queue has it. */
export type RunJob = JobWithMetadata<SubmittedRun>;

/** What names the job of a submitted run, and the run. */
export type NamedJob = Pick<RunJob, "name" | "id" | "data">;

/** The code of the problem for a run that was given up. */
export const GIVEN_UP = "queue.given-up";

/** Returns a result without texts that the database cannot keep. It would refuse the end of the job, and deliver the job again and again. */
export function storableResult(result: JobResult): JobResult {
  return JSON.parse(JSON.stringify(result), storableIn) as JobResult;
}

/** Returns an error with such a message. */
export function storableError(error: unknown): Error {
  return new Error(storable(messageOf(error)));
}

/** Returns the run of a job. */
export function takenRun({ name, id, data }: NamedJob): TakenRun {
  return { ...data, job: { name, id } };
}

/** Returns whether nobody will do a job any more. */
export function isGivenUp({ state }: RunJob): boolean {
  return state === "failed" || state === "cancelled";
}

/** Returns whether a job has ended without a run that passed. */
export function hasEndedBadly(job: RunJob): boolean {
  return isGivenUp(job) || (job.state === "completed" && (job.output as JobResult).exit !== EXIT.passed);
}

/** Returns the result of a job that was given up. */
export function givenUpResult({ data, retryCount, output }: Pick<RunJob, "data" | "output" | "retryCount">): JobResult {
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

/** Returns why a worker last returned a job to the queue. */
export function whyReturned({ output }: Pick<RunJob, "output">): string | undefined {
  const { message, value } = (output ?? {}) as { readonly message?: string; readonly value?: { readonly message?: string } };
  return message ?? value?.message;
}

/** Returns whether two submissions are of the same run. The person may differ, and so may the text of the playbook: an edited one resumes the run. */
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
