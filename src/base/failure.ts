import { type Advice, adviceLines, adviceText } from "./command-line.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { present } from "./present.ts";

/** What a failure reports: what is wrong, why, and how to fix it. */
export interface FailureDetails {
  /** A frozen dotted code, such as `environment.key-missing`; programs branch on it. */
  readonly code: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** The reason, or why it matters. */
  readonly why?: string;
  /** The command or edit that fixes it, ready to paste. A command has its own type, because strings may contain foreign text. */
  readonly next?: Advice;
  /** The exit code of a command that ends with it; 2 by default. */
  readonly exit?: ExitCode;
  /** The error that it explains. */
  readonly cause?: unknown;
}

/** An expected failure of something outside tokenbook. It is shown as one clear message, never with a stack trace. */
export class Failure extends Error {
  override readonly name = "Failure";
  /** A frozen dotted code; programs branch on it. */
  readonly code: string;
  /** The reason, or why it matters. */
  readonly why: string | undefined;
  /** The command or edit that fixes it, as `adviceText` writes it. */
  readonly next: string | undefined;
  /** The exit code of a command that ends with it. */
  readonly exit: ExitCode;

  constructor(details: FailureDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.why = details.why;
    this.next = details.next === undefined ? undefined : adviceText(details.next);
    this.exit = details.exit ?? EXIT.cannotStart;
  }

  /** Returns the failure as reports show it, without the exit code and the cause. */
  toJSON(): KeptFailure {
    return {
      code: this.code,
      message: this.message,
      ...present({ why: this.why, next: this.next }),
    };
  }
}

/** A failure as reports and journals keep it. */
export interface KeptFailure extends Pick<FailureDetails, "code" | "message" | "why"> {
  /** The command or edit that fixes it, as `adviceText` writes it. */
  readonly next?: string;
}

/** Returns a Failure from its kept form. Its commands are commands again, not mere text. */
export function failureFrom(kept: KeptFailure, more: Pick<FailureDetails, "exit" | "cause"> = {}): Failure {
  const { code, message, why, next } = kept;
  return new Failure({
    ...more,
    code,
    message,
    ...present({ why, next: next && adviceLines(next) }),
  });
}

/** A fault of tokenbook itself: a state that should be impossible. Exits 70 and asks for a report. */
export class Bug extends Error {
  override readonly name = "Bug";
}

/** Asserts that a state is possible: fails loudly instead of continuing with a wrong value. */
export function invariant(condition: unknown, says: string): asserts condition {
  if (condition === false || condition === undefined || condition === null) throw new Bug(says);
}

/** Returns the message of any thrown value. For a file that cannot be used, this is the reason in words, without the path. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A name may have several addresses. If none accepts a connection, only the parts of the error have messages.
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ");
  const { code = "", syscall = "spawn" }: NodeJS.ErrnoException = error;
  const words = syscall.startsWith("spawn") ? undefined : OF_FILES[code];
  return words === undefined ? error.message : `${words} (${code})`;
}

const OF_FILES: Readonly<Record<string, string>> = {
  EACCES: "permission is denied",
  EISDIR: "it is a folder",
  ENOENT: "there is no such file or folder",
  ENOSPC: "no space is left on the disk",
  ENOTDIR: "a part of its path is no folder",
  EROFS: "the file system is read-only",
};
