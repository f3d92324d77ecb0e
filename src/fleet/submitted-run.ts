/** Begins the name of each queue that holds submitted runs; their label follows. */
export const PREFIX = "run-";

/** A run that somebody has submitted. It consists of text and JSON, because it is stored in the database. */
export interface SubmittedRun {
  /** The path of the playbook, relative to the project's folder. */
  readonly playbook: string;
  /** The environment's name in tokenbook.yaml. */
  readonly environment: string;
  /** The key of the run. However often the queue delivers the job, it is the same run. */
  readonly key: string;
  /** The digest of the playbook and its data. A worker with another version refuses the job. */
  readonly digest: string;
  /** The inputs as JSON text, in which numbers are exact. */
  readonly inputs: string;
  /** The declared variables, by the playbook that declares them. */
  readonly env: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Who has consented to its writes in a protected environment. */
  readonly confirmed: { readonly who: string; readonly how: "yes" } | null;
  /** The name of the person who submitted it. */
  readonly submittedBy: string;
}

/** The condition of the jobs of submitted runs that wait or are under way. */
export const HAS_NOT_ENDED: string = `name LIKE '${PREFIX}%' AND state <= 'active'`;

/** Returns the label of the queue that a job is in. */
export function labelOf({ name }: { readonly name: string }): string {
  return name.slice(PREFIX.length);
}

/** Returns the schema of the queue that belongs to a state. */
export function schemaOfQueue(schema: string): string {
  return `${schema}_queue`;
}
