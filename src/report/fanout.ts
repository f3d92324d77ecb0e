import { whileUnderWay } from "../base/time/turns.ts";
import type { RunEvent } from "../protocol/record.ts";

/** An observer of one run, which receives its events in order. */
export interface Observer {
  /** Receives the next event. */
  event(event: RunEvent): void;
  /** Called when the run is over, whether it was closed or not. */
  end?(): void | Promise<void>;
}

/** Called once for each observer that crashed. */
type OnCrash = (error: unknown, observer: Observer) => void;

/**
 * Passes events to several observers. If one of them crashes, it receives nothing more and is reported once through `onCrash`. It never fails the run, and the
 * other observers continue.
 */
export class FanOut implements Observer {
  readonly #listening: Set<Observer>;
  readonly #onCrash: OnCrash;

  constructor(observers: readonly Observer[], onCrash: OnCrash) {
    this.#listening = new Set(observers);
    this.#onCrash = onCrash;
  }

  /** Passes the next event to all observers. */
  event(event: RunEvent): void {
    for (const observer of this.#listening) {
      try {
        // An observer may be asynchronous although its type is not. Its rejection must not end the process.
        const result: unknown = observer.event(event);
        if (result instanceof Promise) result.catch((error: unknown) => this.#drop(observer, error));
      } catch (error) {
        this.#drop(observer, error);
      }
    }
  }

  /** Ends all observers and waits for them. Never rejects. */
  async end(): Promise<void> {
    await Promise.all(Array.from(this.#listening, (observer) => this.#end(observer)));
  }

  async #end(observer: Observer): Promise<void> {
    try {
      await observer.end?.();
    } catch (error) {
      this.#drop(observer, error);
    }
  }

  #drop(observer: Observer, error: unknown): void {
    if (!this.#listening.delete(observer)) return;
    try {
      this.#onCrash(error, observer);
    } catch {
      // nobody is left to report this to, and the run matters more
    }
  }
}

/** Delays events until the next request is under way, so that the run does not wait while an observer handles them. */
export class Later implements Observer {
  readonly #observer: Observer;
  #pending: RunEvent[] = [];

  constructor(observer: Observer) {
    this.#observer = observer;
  }

  /** Keeps an event until the next request is under way. */
  event(event: RunEvent): void {
    if (this.#pending.length === 0) whileUnderWay(() => this.deliver());
    this.#pending.push(event);
  }

  /** Delivers all events that were kept. */
  deliver(): void {
    const events = this.#pending;
    this.#pending = [];
    for (const event of events) this.#observer.event(event);
  }
}
