/** The times between a stop of a run and its resume, when nothing worked on it. */
export class Pauses {
  readonly #pauses: { readonly from: number; readonly to: number }[] = [];

  add(from: number, to: number): void {
    if (from > 0 && to > from) this.#pauses.push({ from, to });
  }

  /** Returns how long was worked from one moment to another. */
  workedMs(from: number, to: number): number {
    const paused = this.#pauses.reduce((sum, pause) => sum + Math.max(0, Math.min(to, pause.to) - Math.max(from, pause.from)), 0);
    return Math.max(0, to - from - paused);
  }
}
