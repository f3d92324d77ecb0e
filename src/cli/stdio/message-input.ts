import { Transform, type TransformCallback, type Writable } from "node:stream";
import { callbackify } from "node:util";
import { messageOf } from "../../base/failure.ts";
import { isObject } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";

/** How messages are separated: each has a head with its length, or each is one line. */
export type Framing = "head" | "line";

/** What a program at the other end of the pipes sends and reads. */
export interface Conversation {
  readonly framing: Framing;
  /** Bytes of one message. */
  readonly limit: number;
  /** Where the answers go. */
  readonly output: Writable;
  /** Returns whether a message is taken. Reports or answers any other. */
  readonly takes?: (message: object) => boolean;
  /** Reports a message that was left out. */
  readonly leftOut: (why: string) => void;
}

/**
 * Passes on whole messages, each a JSON object. Other messages are left out. It reads no more while the other program leaves too many answers unread. Where
 * the next message begins cannot be found after a wrong head or a message that is too long, so both are errors of the stream.
 */
export class MessageInput extends Transform {
  readonly #conversation: Conversation;
  #unread: Buffer = Buffer.alloc(0);
  /** How many bytes of a message must arrive before the next look, so that a long message is not joined again and again. */
  #needed = 0;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(conversation: Conversation) {
    super();
    this.#conversation = conversation;
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const pass = async (): Promise<void> => {
      this.#pieces.push(piece);
      this.#bytes += piece.length;
      if (this.#bytes >= this.#needed) this.#take();
      await untilRead(this.#conversation.output);
    };
    callbackify(pass)(done);
  }

  #take(): void {
    this.#unread = Buffer.concat([this.#unread, ...this.#pieces.splice(0)]);
    for (;;) {
      const { begin, end } = this.#conversation.framing === "head" ? this.#afterHead() : this.#line();
      this.#needed = end;
      if (end > this.#unread.length) break;
      const message = this.#unread.subarray(begin, end);
      if (message.length > 0 && this.#isTaken(message)) this.push(this.#unread.subarray(0, end));
      this.#unread = this.#unread.subarray(end);
    }
    this.#bytes = this.#unread.length;
  }

  #line(): Extent {
    const end = this.#unread.indexOf("\n") + 1;
    this.#assertNotTooLong(end === 0 ? this.#unread.length : end);
    const text = this.#unread.subarray(0, end);
    return end === 0 ? { begin: 0, end: this.#unread.length + 1 } : { begin: text.toString().trim() === "" ? end : 0, end };
  }

  #afterHead(): Extent {
    const length = this.#unread.indexOf(HEAD_END);
    if (length < 0 && this.#unread.length <= LIMITS.editorHeadBytes) return { begin: 0, end: this.#unread.length + 1 };
    const head = this.#unread.toString("latin1", 0, Math.max(length, 0));
    const announced = /^content-length: *(\d{1,15})$/im.exec(head)?.[1];
    if (announced === undefined) throw new Error("a message does not begin with its length (Content-Length)");
    this.#assertNotTooLong(Number(announced));
    const begin = length + HEAD_END.length;
    return { begin, end: begin + Number(announced) };
  }

  #assertNotTooLong(bytes: number): void {
    const { limit } = this.#conversation;
    if (bytes > limit) throw new Error(`a message has more than ${limit.toLocaleString("en")} bytes`);
  }

  #isTaken(text: Buffer): boolean {
    const { takes = () => true, leftOut } = this.#conversation;
    let message: unknown;
    try {
      message = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text));
    } catch (error) {
      leftOut(messageOf(error));
      return false;
    }
    if (isObject(message)) return takes(message);
    leftOut("it is not one JSON object");
    return false;
  }
}

interface Extent {
  /** Where the message begins, after its head. */
  readonly begin: number;
  /** Where it ends; beyond what has arrived if there is more to come. */
  readonly end: number;
}

const HEAD_END = "\r\n\r\n";

/** Returns a message with its head. */
export function framed(message: object): string {
  const text = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}${HEAD_END}${text}`;
}

// A program that sends requests and reads no answers would fill the memory.
async function untilRead(output: Writable): Promise<void> {
  if (output.writableLength <= LIMITS.unreadBytes) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = setTimeout(() => reject(new Error("nobody reads the answers")), LIMITS.streamWaitMs);
  for (const event of ["drain", "close", "error"]) output.once(event, resolve);
  try {
    await promise;
  } finally {
    clearTimeout(late);
    for (const event of ["drain", "close", "error"]) output.off(event, resolve);
  }
}
