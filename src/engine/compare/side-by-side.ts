/** The reads of one source. */
export interface Queue<Read> {
  /** The reads in the order in which they begin. */
  readonly reads: readonly Read[];
  /** How many reads may be in progress at a time. */
  readonly parallel: number;
}

interface ReadingRules<Read> {
  readonly work: (read: Read) => Promise<void>;
  /** While it returns true, no source begins a read. */
  readonly isStopping: () => boolean;
  /** While it returns true, a source begins no read if it is ahead of another source, because its rows would wait for their counterparts. */
  readonly isCrowded: () => boolean;
}

class QueueProgress<Read> {
  readonly queue: Queue<Read>;
  begun = 0;
  ended = 0;

  constructor(queue: Queue<Read>) {
    this.queue = queue;
  }

  get mayBegin(): boolean {
    return this.begun < this.queue.reads.length && this.begun - this.ended < this.queue.parallel;
  }

  isAheadOf(other: QueueProgress<Read>): boolean {
    return other.ended < other.queue.reads.length && other.ended < this.ended;
  }
}

/** Makes the reads of several sources at the same time, each source in its own order. Rejects as soon as one of them does. */
export async function sideBySide<Read>(
  queues: readonly Queue<Read>[],
  { work, isStopping, isCrowded }: ReadingRules<Read>,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sources = queues.map((queue) => new QueueProgress(queue));
  // The source that has finished the fewest reads may always begin, so that the loop ends.
  const mayBegin = (source: QueueProgress<Read>): boolean =>
    source.mayBegin && !isStopping() && !(isCrowded() && sources.some((other) => source.isAheadOf(other)));
  const readNext = async (source: QueueProgress<Read>): Promise<void> => {
    const read = source.queue.reads[source.begun++] as Read;
    try {
      await work(read);
      source.ended += 1;
      begin();
    } catch (error) {
      reject(error);
    }
  };
  const begin = (): void => {
    for (const source of sources) while (mayBegin(source)) void readNext(source);
    if (sources.every(({ begun, ended }) => begun === ended)) resolve();
  };
  begin();
  await promise;
}
