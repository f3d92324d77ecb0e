import type { TailFile } from "../src/journal/tail.ts";

/** The tail of the simulated journal, which outlives processes as the disk does. */
export class SimulatedTail implements TailFile {
  readonly path = "simulated.tail";
  #content: Buffer | undefined;
  /** As it is beside a journal without records. */
  #fresh: Buffer | undefined;

  read(): Buffer | undefined {
    return this.#content;
  }

  replace(content: Buffer): void {
    this.#content = Buffer.from(content);
    this.#fresh ??= Buffer.from(content);
  }

  overwrite(part: Buffer, at: number): void {
    this.#content?.set(part, at);
  }

  close(): void {
    // nothing is open
  }

  /** Of a journal that has no records any more. */
  reset(): void {
    this.#content = this.#fresh === undefined ? undefined : Buffer.from(this.#fresh);
  }
}
