import { type Advice, adviceLines, adviceText } from "../../base/command-line.ts";
import { Failure } from "../../base/failure.ts";
import { present } from "../../base/present.ts";
import { InvalidEnvironment } from "../../environment/load.ts";
import type { Area, DoctorFinding, Grade } from "../../report/doctor/shape.ts";

/** The parts of a finding besides its message. */
export interface More {
  /** The reason, or the consequence. */
  readonly why?: string;
  /** What to do about it. */
  readonly next?: Advice;
}

/** Makes the findings of one area. */
export class Findings {
  readonly #area: Area;
  /** All findings so far, in the order in which they were made. */
  readonly all: DoctorFinding[] = [];

  constructor(area: Area) {
    this.#area = area;
  }

  /** Adds that something is all right. */
  ok(code: string, message: string): void {
    this.#add("ok", code, { message });
  }

  /** Adds a warning. */
  warning(code: string, message: string, more: More = {}): void {
    this.#add("warning", code, { message, ...more });
  }

  /** Adds a problem. */
  problem(code: string, message: string, more: More): void {
    this.#add("problem", code, { message, ...more });
  }

  /** Returns what the work gives. Of a Failure it adds each mistake that it reports, by default as a problem, and returns `undefined`. */
  from<T>(work: () => T, gradeOf: (failure: Failure) => Grade = () => "problem"): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { code, message, why, next } = error;
      for (const each of error instanceof InvalidEnvironment ? error.mistakes : [message])
        this.#add(gradeOf(error), code, { message: each, ...present({ why, next: next && adviceLines(next) }) });
      return undefined;
    }
  }

  #add(grade: Grade, code: string, { message, why, next }: More & { readonly message: string }): void {
    this.all.push({
      area: this.#area,
      grade,
      code,
      message,
      why: why ?? null,
      next: next === undefined ? null : adviceText(next),
    });
  }
}
