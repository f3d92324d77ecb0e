import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { type Fault, FAULTS, Proxy } from "./random/proxy.ts";

interface Seen {
  /** What the service received. */
  readonly asked: string;
  /** What the sender got back. */
  readonly answered: string;
  /** How often the proxy reported that data was about to pass. */
  readonly passes: number;
}

/** Sends a request through a proxy with one fault, and closes the connection. The service answers once it has read everything. */
async function seenWith(fault: Fault, { dies = false, reset = false } = {}): Promise<Seen> {
  let [asked, passes] = ["", 0];
  const heard = Promise.withResolvers<void>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket
      .on("error", () => undefined)
      .on("data", (bytes) => {
        asked += String(bytes);
        socket.end("0123456789");
      });
    socket.on("close", () => heard.resolve());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy = await Proxy.to(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(async () => {
    await proxy.close();
    server.close();
  });
  proxy.weather = { fault: () => ({ fault, lateMs: 20, reset }), onPass: () => void passes++ };
  const client = connect(Number(new URL(proxy.url).port), "127.0.0.1");
  await once(client, "connect");
  client.end("request");
  const answer = text(client).catch(() => "reset");
  if (dies) client.destroy();
  const answered = dies ? "nobody is there" : await answer;
  // A connection that is cut at once may never have reached the service.
  if (fault !== "lose-request") await heard.promise;
  return { asked, answered, passes };
}

const EXPECTED: Readonly<Record<Fault, Seen>> = {
  none: { asked: "request", answered: "0123456789", passes: 2 },
  "lose-request": { asked: "", answered: "", passes: 1 },
  "lose-answer": { asked: "request", answered: "", passes: 2 },
  "break-answer": { asked: "request", answered: "01234", passes: 2 },
  "late-request": { asked: "request", answered: "0123456789", passes: 2 },
  "late-answer": { asked: "request", answered: "0123456789", passes: 2 },
};

test.for(["none", ...FAULTS] as const)("the fault %s has its described effect on the service and its client", async (fault) => {
  expect(await seenWith(fault)).toEqual(EXPECTED[fault]);
});

test("a connection can also be reset", async () => {
  expect(await seenWith("lose-answer", { reset: true })).toMatchObject({ asked: "request", answered: "reset" });
});

test("a late request arrives, even if its sender is gone", async () => {
  expect(await seenWith("late-request", { dies: true })).toMatchObject({ asked: "request" });
});
