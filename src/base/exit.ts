/** The exit codes of every command. They are public: schedulers and CI branch on them. */
export const EXIT = {
  passed: 0,
  /** A step failed, or an expectation did not hold. */
  failed: 1,
  /** Nothing was started: usage, a static check, the environment. */
  cannotStart: 2,
  drift: 3,
  pending: 4,
  /** The outcome of a write is unknown, or contradicts what was read. */
  unknown: 5,
  /** Another process holds the run. */
  locked: 6,
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const;

/** The number of an exit. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
