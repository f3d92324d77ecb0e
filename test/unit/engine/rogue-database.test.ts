// A server that breaks the protocol of PostgreSQL: a comparison never finds that two sides agree because rows were lost on the way.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { HOLDERS, Register } from "./sources.ts";

const COLUMNS = ["holder", "balance"];
const ROWS: readonly (readonly string[])[] = [
  ["alice", "100.50"],
  ["bob", "12345678901234567890.000000000000000001"],
];

const text = (value: string): Buffer => Buffer.from(`${value}\0`);
const short = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);

function message(kind: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const END_OF_COLUMN = Buffer.alloc(18);
const columns = (names: readonly string[] = COLUMNS): Buffer =>
  message("T", short(names.length), ...names.flatMap((name) => [text(name), END_OF_COLUMN]));
const row = (values: readonly string[]): Buffer =>
  message(
    "D",
    short(values.length),
    ...values.flatMap((value) => [Buffer.from([0, 0, 0, Buffer.byteLength(value)]), Buffer.from(value)]),
  );
const end = (tag: string): Buffer => message("C", text(tag));
const READY = message("Z", Buffer.from("T"));
const refused = (code: string, why: string): Buffer =>
  message("E", text("SERROR"), text(`C${code}`), text(`M${why}`), Buffer.from([0]));

const GREETING = Buffer.concat([message("R", Buffer.alloc(4)), message("K", Buffer.alloc(8, 1)), READY]);
const NONE = Buffer.concat([columns(), end("FETCH 0"), READY]);

interface Rogue {
  /** Sends its part of the beginning of a connection. The default is a server that lets everybody in. */
  readonly greet?: (socket: Socket) => void;
  /** Answers the first request for rows. */
  readonly rows?: (socket: Socket) => void;
}

/** Serves one query as PostgreSQL would, except for what a rogue does. Returns the address. */
async function serve({ greet = (socket) => socket.write(GREETING), rows = () => undefined }: Rogue): Promise<string> {
  const server = createServer((socket) => {
    let unread = Buffer.alloc(0);
    let [isGreeted, asked] = [false, 0];
    const take = (kind: string, body: string): void => {
      if (kind === "Q" && body.startsWith("BEGIN")) socket.write(Buffer.concat([end("BEGIN"), READY]));
      else if (kind === "S")
        socket.write(Buffer.concat([message("1"), message("2"), message("n"), end("DECLARE CURSOR"), READY]));
      else if (kind === "Q" && asked++ === 0) rows(socket);
      else if (kind === "Q") socket.write(NONE);
    };
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      unread = Buffer.concat([unread, bytes]);
      for (;;) {
        const begin = isGreeted ? 1 : 0;
        const length = unread.length < begin + 4 ? Infinity : begin + unread.readInt32BE(begin);
        if (unread.length < length) return;
        const given = unread.subarray(0, length);
        unread = unread.subarray(length);
        if (isGreeted) take(given.toString("latin1", 0, 1), given.toString("utf8", 5));
        else greet(socket);
        isGreeted = true;
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `postgres://me:a-secret-password@127.0.0.1:${(server.address() as AddressInfo).port}/money`;
}

async function compare(register: Register, rogue: Rogue): Promise<readonly [outcome: string, gap: string]> {
  const query = `{ postgres: env:REGISTER, query: "SELECT holder, balance FROM register", timeout: 20s, ${HOLDERS} }`;
  const { outcome, gap } = await register.compare(query, { variables: { REGISTER: await serve(rogue) } });
  expect(gap).not.toContain("a-secret-password");
  return [outcome, gap];
}

const CORRECT = [columns(), ...ROWS.map(row), end("FETCH 2"), READY];

/** The rows of an answer and their number; nothing else is lost if it is changed. */
function rowsIn(answer: readonly Buffer[]): Buffer {
  return Buffer.concat(answer.filter((part) => part[0] === ROW || part[0] === END));
}

const [ROW, END] = [row([])[0], end("")[0]];

/** One change to the messages of an answer. */
const changes = fc.oneof(
  fc.nat({ max: 4 }).map((at) => (answer: readonly Buffer[]) => answer.toSpliced(at, 1)),
  fc.nat({ max: 4 }).map((at) => (answer: readonly Buffer[]) => answer.toSpliced(at, 0, ...answer.slice(at, at + 1))),
  fc.nat({ max: 4 }).map((at) => (answer: readonly Buffer[]) => answer.slice(0, at)),
  fc.nat({ max: 4 }).map((at) => (answer: readonly Buffer[]) => [...answer.slice(at), ...answer.slice(0, at)]),
  fc
    .tuple(
      fc.nat({ max: 4 }),
      fc.constantFrom(
        row(["carol"]),
        row(["carol", "1", "2"]),
        row(["carol", "NaN"]),
        end("FETCH 7"),
        end("SELECT 2"),
        columns(["holder"]),
        message("s"),
        message("I"),
        message("H", Buffer.alloc(3)),
        refused("XX000", "odd"),
        Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"),
        Buffer.alloc(32),
      ),
    )
    .map(
      ([at, other]) =>
        (answer: readonly Buffer[]) =>
          answer.toSpliced(at, 0, other),
    ),
);

test("two sides agree only if the server's answer was whole", async () => {
  const register = new Register();
  expect(await compare(register, { rows: (socket) => socket.write(Buffer.concat(CORRECT)) })).toEqual(["passed", ""]);
  await fc.assert(
    fc.asyncProperty(changes, async (change) => {
      const answer = change(CORRECT);
      if (rowsIn(answer).equals(rowsIn(CORRECT))) return;
      const rows = (socket: Socket): void => {
        socket.write(Buffer.concat(answer));
        // Otherwise a message that announces more than there is would be waited for.
        setTimeout(() => socket.end(), 300);
      };
      const [outcome, gap] = await compare(register, { rows });
      expect([outcome, gap]).toEqual(["failed", expect.stringMatching(/^(?:source|reconcile)\.[a-z-]+: ./)]);
    }),
    { numRuns: 15 },
  );
});

test("a server that breaks the protocol is a gap of the comparison, and the message says how", async () => {
  const register = new Register();
  const sends =
    (...answer: readonly Buffer[]) =>
    (socket: Socket) =>
      socket.write(Buffer.concat(answer));
  const cases: readonly (readonly [Rogue, string])[] = [
    [
      { rows: sends(columns(), end("FETCH 2"), READY) },
      "source.unreadable: the answer of the database cannot be read: it does not end with",
    ],
    [{ rows: sends(columns(), READY) }, "source.unreadable: the answer of the database cannot be read: it does not end with"],
    [
      { rows: sends(columns(), row(["alice", "1", "2"]), end("FETCH 1"), READY) },
      "source.unreadable: the answer of the database cannot be read: a part of it does not fit the parts before it",
    ],
    [
      { rows: sends(refused("57014", "canceling statement due to user request"), READY) },
      "source.refused: the database did not finish the query: canceling statement due to user request; find out who cancels queries there",
    ],
    [
      { rows: sends(message("E", Buffer.from([0])), READY) },
      "source.unreachable: the database cannot be reached: it gives no reason",
    ],
    [
      { greet: (socket) => socket.write(message("R", Buffer.from([0, 0, 0, 99]))) },
      "source.unreadable: the answer of the database cannot be read: Unknown authenticationOk message type 99",
    ],
  ];
  for (const [rogue, expected] of cases) {
    const [outcome, gap] = await compare(register, rogue);
    expect([outcome, gap]).toEqual(["failed", expect.stringContaining(expected)]);
  }
});

test("an answer that never ends is read up to its limit", async () => {
  const register = new Register();
  const huge = Buffer.alloc(1_048_576, "y");
  const rows = (socket: Socket): void => {
    const write = (): void => {
      while (!socket.destroyed && socket.write(huge));
    };
    socket.on("drain", write);
    // The row announces one field of two gigabytes.
    socket.write(Buffer.concat([columns(), Buffer.from("D\x7f\xff\xff\xf0\x00\x02\x7f\xff\xff\x00", "latin1")]));
    write();
  };
  expect(await compare(register, { rows })).toEqual([
    "failed",
    "source.unreadable: the rows of the database cannot be read 2,000 at a time: its answer has more than 134,217,728 bytes; select fewer columns, or only the beginning of long texts",
  ]);
});
