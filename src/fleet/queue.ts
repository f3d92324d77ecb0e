import { type Job, PgBoss } from "pg-boss";
import { command } from "../base/command-line.ts";
import { Failure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { NOT_REPLICATED } from "../postgres/messages.ts";
import { isUnconfirmed, SESSION } from "../postgres/session.ts";
import { DatabaseFailure } from "../sql/failure.ts";
import type { ServerPlace } from "../sql/place.ts";
import { type RunContent, type SubmittedAlike, submittedAlike } from "./submitted-alike.ts";
import {
  GIVEN_UP,
  givenUpResult,
  hasEndedBadly,
  isGivenUp,
  isSameRun,
  jobIdOf,
  type JobResult,
  type LabelledRun,
  type NamedJob,
  NotNow,
  type RunJob,
  storableError,
  storableResult,
  type TakenRun,
  takenRun,
  whyReturned,
} from "./job.ts";
import { HAS_NOT_ENDED, labelOf, PREFIX, schemaOfQueue, type SubmittedRun } from "./submitted-run.ts";
import {
  explained,
  queueUnusable,
  submissionUnanswered,
  maybeWithdrawn,
  keyTaken,
  otherPlaybook,
  underWay,
} from "./queue-failures.ts";

/** A submitted run that has not ended. */
export interface QueuedRun extends LabelledRun {
  /** Whether a worker has taken it. */
  readonly isTaken: boolean;
  /** When it was submitted. */
  readonly submittedAt: Date;
  /** Why a worker last returned it to the queue; undefined if none has. */
  readonly returned: string | undefined;
}

/** The job of a submitted run. */
export interface SubmittedJob {
  readonly id: string;
  /** Whether this submission has put it into the queue. Otherwise it was there before. */
  readonly isNew: boolean;
}

/** The jobs of one label. */
export interface LabelLoad {
  /** The label for which workers take jobs. */
  readonly label: string;
  /** How many jobs no worker has taken yet. */
  readonly waiting: number;
  /** How many jobs are in progress. */
  readonly active: number;
  /** How long the oldest job has waited, in seconds. */
  readonly oldestSeconds: number;
  /** How many jobs were given up, and not submitted again. */
  readonly givenUp: number;
}

interface WaitingJob extends NamedJob, Pick<RunJob, "output" | "state" | "createdOn"> {
  readonly total: string;
}

interface JobCounts {
  readonly name: string;
  readonly waiting: string;
  readonly active: string;
  readonly failed: string;
  readonly oldest: string | null;
}

// Workers that start together wait for each other, and this side already limits each query.
const UNBOUNDED = "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0;";

/** The server ended the connection on which pg-boss listens, which does not have our settings. pg-boss reopens it, and polls until then. */
const IDLE_TOO_LONG = "57P05";

/**
 * The queue of submitted runs, by label. It may deliver a job twice: the journal decides by the job's key which worker acts for the run
 * (decision 159).
 */
export class RunQueue {
  readonly #boss: PgBoss;
  readonly #schema: string;
  readonly #standbys: Standbys;
  readonly #known = new Set<string>();

  private constructor(boss: PgBoss, schema: string, standbys: Standbys) {
    this.#boss = boss;
    this.#schema = schema;
    this.#standbys = standbys;
  }

  /** Opens the queue of a state. `onError` receives each error after which the queue continues. Throws a Failure. */
  static async open(
    { url, schema }: ServerPlace,
    { takesJobs, onError }: { readonly takesJobs: boolean; readonly onError: (why: string) => void },
  ): Promise<RunQueue> {
    // A server that has lost its power does not close a connection. Without a limit, a worker would wait forever for an answer.
    const bounded = { keepAlive: true, query_timeout: LIMITS.databaseAnswerMs };
    const standbys = { unconfirmed: 0 };
    // pg-boss passes this to its pool, which sends no query before it has finished.
    const ready = {
      onConnect: (client: NewClient) => {
        client.on("notice", (notice) => void (standbys.unconfirmed += isUnconfirmed(notice) ? 1 : 0));
        return client.query(SESSION + UNBOUNDED);
      },
    };
    const boss = new PgBoss({
      ...bounded,
      ...ready,
      connectionString: url.reveal(),
      schema: schemaOfQueue(schema),
      application_name: `tokenbook ${schema}`,
      connectionTimeoutMillis: LIMITS.databaseConnectMs,
      max: LIMITS.queueConnections,
      schedule: false,
      supervise: takesJobs,
      registerInstance: takesJobs,
      instanceHeartbeatSeconds: LIMITS.queueHeartbeatSeconds,
      superviseIntervalSeconds: 1,
      monitorIntervalSeconds: 1,
      useListenNotify: takesJobs,
    });
    // pg-boss starts even if it cannot register this process, and does not retry. Metrics would then count one worker too few.
    let failedAtStart: string | undefined;
    const noteAtStart = ({ message, code }: { readonly message: string; readonly code?: string }): void => {
      if (code !== IDLE_TOO_LONG) failedAtStart ??= message; // some errors are plain objects
    };
    boss.on("error", noteAtStart);
    try {
      await boss.start();
      if (failedAtStart !== undefined) throw new Error(failedAtStart);
    } catch (error) {
      await boss.stop({ graceful: false }).catch(noteAtStart); // its timers and connections would keep the process alive forever
      throw queueUnusable(error);
    }
    boss.off("error", noteAtStart).on("error", ({ message }) => onError(message));
    return new RunQueue(boss, schemaOfQueue(schema), standbys);
  }

  /**
   * Puts a run into the queue. A run with the same key is put in only once. If it has ended without passing,
   * it is put in again, so that it is resumed, even with an edited playbook. Throws a Failure if the key names another run.
   */
  async submit(label: string, run: SubmittedRun): Promise<SubmittedJob> {
    return explained(
      () => this.#kept(() => this.#submit(label, run)),
      (error) => submissionUnanswered(run, error),
    );
  }

  // pg-boss takes a commit for kept that no standby has confirmed. In a failover, it would be lost.
  async #kept<T>(change: () => Promise<T>): Promise<T> {
    const { unconfirmed } = this.#standbys;
    const result = await change();
    if (this.#standbys.unconfirmed === unconfirmed) return result;
    throw Object.assign(new Error("the standby did not confirm a commit"), { code: NOT_REPLICATED });
  }

  // If the answer to an earlier attempt was lost, the job may not be on the standbys yet. The first change of a queue waits for them.
  async #submit(label: string, run: SubmittedRun): Promise<SubmittedJob> {
    const name = await this.#queue(label);
    const id = jobIdOf(run.key);
    const isSent = async (): Promise<boolean> => (await this.#boss.send(name, run, { id })) !== null;
    if (await isSent()) return { id, isNew: true };
    let job = await this.#there(name, id);
    if (!isSameRun(job.data, run)) throw keyTaken(run);
    if (hasEndedBadly(job)) {
      await this.#boss.deleteJob(name, id);
      if (await isSent()) return { id, isNew: true };
      job = await this.#there(name, id); // another process has put it in again
    }
    if (job.data.digest !== run.digest) throw otherPlaybook(run, job.state === "completed" && !hasEndedBadly(job));
    return { id, isNew: false };
  }

  /** Removes jobs that submissions have just put in, unless a worker has taken one, and throws why they cannot stay. */
  async refuse(submitted: readonly (SubmittedJob & { readonly run: SubmittedRun })[], why: Failure): Promise<never> {
    for (const { run, isNew } of submitted) {
      if (why instanceof DatabaseFailure) throw submissionUnanswered(run, why);
      const remove = async (): Promise<unknown> => isNew && this.#kept(() => this.#remove(run.key));
      await explained(remove, (error) => submissionUnanswered(run, error));
    }
    throw why;
  }

  // A job that was not put in because it already existed may be gone a moment later. Also, somebody's trigger may prevent it from being put
  // in.
  async #there(name: string, id: string): Promise<RunJob> {
    const job = await this.#boss.getJobById<SubmittedRun>(name, id);
    if (job === null) throw new Error("the database did not keep it");
    return job;
  }

  /** Takes jobs of these labels, up to `jobs` of each label at a time, until `stop`. Throws a Failure if it cannot begin. */
  async work(labels: readonly string[], jobs: number, carryOut: (run: TakenRun) => Promise<JobResult>): Promise<void> {
    await explained(() => this.#keepAll());
    const options = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 2, heartbeatRefreshSeconds: 3 };
    for (const label of labels) {
      const name = await explained(() => this.#queue(label));
      for (let slot = 0; slot < jobs; slot++) {
        let id = "";
        const handler = async ([job]: Job<SubmittedRun>[]): Promise<JobResult | undefined> => {
          try {
            return job === undefined ? undefined : storableResult(await carryOut(takenRun(job)));
          } catch (error) {
            if (job !== undefined && error instanceof NotNow) await this.#defer(name, job.id);
            throw storableError(error);
          } finally {
            this.#boss.notifyWorker(id); // it fetches the next job at once, without a pause
          }
        };
        id = await this.#boss.work<SubmittedRun>(name, options, handler);
      }
    }
  }

  // Each return to the queue counts as an attempt. Deferring is not a failure, so it allows one attempt more.
  async #defer(name: string, id: string): Promise<void> {
    const sql = `UPDATE ${this.#schema}.job SET retry_limit = retry_limit + 1 WHERE name = $1 AND id = $2 AND state = 'active'`;
    await explained(() => this.#rows(sql, name, id));
  }

  // Queues of earlier versions drop a job that no worker takes for two weeks.
  async #keepAll(): Promise<void> {
    const queues = await this.#boss.getQueues();
    for (const { name } of queues.filter((each) => each.name.startsWith(PREFIX))) await this.#keep(name);
  }

  async #keep(name: string): Promise<void> {
    await this.#boss.updateQueue(name, { retentionSeconds: LIMITS.queueWaitSeconds });
    const sql = `UPDATE ${this.#schema}.job SET keep_until = created_on + make_interval(secs => $2)
      WHERE name = $1 AND state < 'active' AND keep_until < created_on + make_interval(secs => $2)`;
    await this.#rows(sql, name, LIMITS.queueWaitSeconds);
  }

  /** Returns the runs that were given up and have not been notified yet. Throws a Failure. */
  async givenUp(): Promise<readonly { readonly run: TakenRun; readonly result: JobResult }[]> {
    const found = `SELECT name, id, data, output, retry_count AS "retryCount" FROM ${this.#schema}.job
      WHERE name LIKE '${PREFIX}%' AND state = 'failed' AND data ->> 'notified' IS DISTINCT FROM '${GIVEN_UP}'`;
    const jobs = await explained(() => this.#rows<NamedJob & Pick<RunJob, "output" | "retryCount">>(found));
    return jobs.map((job) => ({ run: takenRun(job), result: givenUpResult(job) }));
  }

  /** Returns the runs that are waiting or in progress, the earliest first and up to a limit, and their total number. Throws a Failure. */
  async queued(limit: number): Promise<{ readonly runs: readonly QueuedRun[]; readonly total: number }> {
    const found = `SELECT name, id, data, output, state, created_on AS "createdOn", count(*) OVER () AS total FROM ${this.#schema}.job
      WHERE ${HAS_NOT_ENDED} ORDER BY created_on, id LIMIT $1`;
    const jobs = await explained(() => this.#rows<WaitingJob>(found, limit));
    const runs = jobs.map((job) => ({
      ...takenRun(job),
      label: labelOf(job),
      isTaken: job.state === "active",
      submittedAt: job.createdOn,
      returned: whyReturned(job),
    }));
    return { runs, total: Number(jobs[0]?.total ?? 0) };
  }

  /** Returns the earliest run that waits or is under way and does what another one would do; undefined when there is none. Throws a Failure. */
  async alike(run: RunContent): Promise<SubmittedAlike | undefined> {
    return explained(() => submittedAlike(this.#schema, run, (sql, values) => this.#rows(sql, ...values)));
  }

  /** Removes submitted runs with a key from the queue, and returns them: none if none is there. Throws a Failure if a worker has one under way. */
  async withdraw(key: string): Promise<readonly LabelledRun[]> {
    return explained(
      () => this.#withdraw(key),
      (error) => maybeWithdrawn(key, error),
    );
  }

  async #withdraw(key: string): Promise<readonly LabelledRun[]> {
    const jobs = await this.#kept(() => this.#remove(key));
    if (jobs.length > 0) return jobs.map((each) => ({ ...takenRun(each), label: labelOf(each) }));
    const active = await this.#rows(`SELECT 1 FROM ${this.#schema}.job WHERE ${JOB} AND state = 'active'`, jobIdOf(key));
    // If the answer to an earlier attempt was lost, the removal may not be on the standbys yet. This commit waits for them.
    await this.#kept(() => this.#rows(`UPDATE ${this.#schema}.version SET version = version`));
    if (active.length > 0) throw underWay(key);
    return [];
  }

  #remove(key: string): Promise<readonly NamedJob[]> {
    const removal = `DELETE FROM ${this.#schema}.job WHERE ${JOB} AND state < 'active' RETURNING name, id, data`;
    return this.#rows(removal, jobIdOf(key));
  }

  async #rows<Row>(sql: string, ...values: unknown[]): Promise<readonly Row[]> {
    return (await this.#boss.getDb().executeSql(sql, values)).rows as readonly Row[];
  }

  /** Returns the outcome of a submitted run; undefined while it is waiting or in progress. Throws a Failure. */
  async outcome(label: string, id: string): Promise<JobResult | undefined> {
    const job = await explained(() => this.#boss.getJobById<SubmittedRun>(PREFIX + label, id));
    if (job === null)
      throw new Failure({ code: "queue.gone", message: `the job ${id} is not in the queue any more`, next: command`runs` });
    if (job.state === "completed") return job.output as JobResult;
    return isGivenUp(job) ? givenUpResult(job) : undefined;
  }

  /** Returns how many jobs are waiting, by label. Throws a Failure. */
  async load(): Promise<readonly LabelLoad[]> {
    const waits = "count(*) FILTER (WHERE state < 'active') AS waiting, count(*) FILTER (WHERE state = 'active') AS active";
    const failed = "count(*) FILTER (WHERE state = 'failed') AS failed";
    const oldest = "extract(epoch FROM now() - min(created_on) FILTER (WHERE state < 'active')) AS oldest";
    const sql = `SELECT name, ${waits}, ${failed}, ${oldest} FROM ${this.#schema}.job WHERE name LIKE '${PREFIX}%' GROUP BY name`;
    const counts = await explained(() => this.#rows<JobCounts>(sql));
    return counts.map(({ name, waiting, active, failed: lost, oldest: seconds }) => ({
      label: name.slice(PREFIX.length),
      waiting: Number(waiting),
      active: Number(active),
      oldestSeconds: Math.max(0, Number(seconds ?? 0)),
      givenUp: Number(lost),
    }));
  }

  /** Returns how many workers are alive. Throws a Failure. */
  async workers(): Promise<number> {
    const instances = await explained(() => this.#boss.getInstances());
    return instances.filter(({ live }) => live).length;
  }

  /** Stops taking jobs, and waits for those in progress, up to a limit. */
  async stop(graceMs: number): Promise<void> {
    await this.#boss.stop({ graceful: true, timeout: graceMs, close: true });
  }

  async #queue(label: string): Promise<string> {
    const name = PREFIX + label;
    if (this.#known.has(name)) return name;
    await this.#boss.createQueue(name, {
      policy: "standard",
      retryLimit: LIMITS.queueTries,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: LIMITS.queuePauseSeconds,
      heartbeatSeconds: LIMITS.queueHeartbeatSeconds,
      expireInSeconds: LIMITS.queueRunSeconds,
      deleteAfterSeconds: LIMITS.queueKeptSeconds,
      retentionSeconds: LIMITS.queueWaitSeconds,
      notify: true,
    });
    await this.#keep(name);
    this.#known.add(name);
    return name;
  }
}

const JOB = `name LIKE '${PREFIX}%' AND id = $1`;

/** How many commits of the queue no standby has confirmed. */
interface Standbys {
  readonly unconfirmed: number;
}

/** A new connection of the queue. */
interface NewClient {
  query(sql: string): Promise<unknown>;
  on(event: "notice", listener: (notice: { readonly routine?: string | undefined }) => void): unknown;
}
