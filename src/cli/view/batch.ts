const DELAY_MS = 50;

/** Lines on their way to a pipe or a file. To write takes longer than to make a line, so what is said within a moment goes in one. */
export class Batch {
  readonly #write: (text: string) => void;
  #text = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  write(text: string): void {
    this.#text += text;
    this.#timer ??= setTimeout(() => this.flush(), DELAY_MS);
  }

  /** Writes what has not gone yet. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#text !== "") this.#write(this.#text);
    this.#text = "";
  }
}
