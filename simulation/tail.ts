import type { TailFile } from "../src/journal/tail.ts";

/** The tail of the simulated journal, which outlives processes like the disk. */
export class SimulatedTail implements TailFile {
  readonly path = "simulated.tail";
  #content: Buffer | undefined;
  /** The content for a journal without records. */
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

  /** Restores the content for a journal without records. */
  reset(): void {
    this.#content = this.#fresh === undefined ? undefined : Buffer.from(this.#fresh);
  }
}
