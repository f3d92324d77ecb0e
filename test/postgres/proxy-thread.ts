// A proxy in front of a server. It can lose the answer to a commit, be gone right after that answer, cut all connections after a number of
// answers, drop only the client, let connections hang, or refuse new connections. It runs in its own thread, because a client blocks its thread while it waits for the server.
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/** The harm that the proxy does next. */
export type Harm =
  | { readonly loseCommit: true }
  | { readonly loseCommitOf: string }
  | { readonly goneAfter: string }
  | { readonly abandon: true }
  | { readonly cutAfter: number }
  | { readonly hang: true }
  | { readonly refuses: boolean };

/** The end of an answer after which no transaction is open (ReadyForQuery, idle). */
const IDLE = Buffer.from("Z\0\0\0\u0005I", "latin1");
const { port } = workerData as { readonly port: number };
const open = new Set<Socket>();
let losesCommit = false;
let losesCommitOf: string | undefined;
let goneAfter: string | undefined;
let abandons = false;
let answersLeft = Infinity;
let refuses = false;

const listener = createServer((client) => {
  if (refuses) return void client.destroy();
  const server = connect(port, "127.0.0.1");
  for (const socket of [client, server]) {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      open.delete(socket);
      client.destroy();
      server.destroy();
    });
  }
  client.pipe(server);
  let isLost = false;
  let isLast = false;
  client.on("data", (chunk) => {
    if (goneAfter !== undefined && chunk.includes(goneAfter)) {
      goneAfter = undefined;
      isLast = true;
    }
    if (losesCommitOf === undefined || !chunk.includes(losesCommitOf)) return;
    losesCommitOf = undefined;
    isLost = true;
  });
  server.on("data", (chunk) => {
    if (abandons) {
      abandons = false;
      client.removeAllListeners("close").destroy();
      open.delete(client);
      server.removeAllListeners("data").resume();
    } else if ((losesCommit || isLost) && chunk.includes(IDLE)) {
      losesCommit = false;
      client.destroy();
    } else if (isLast && chunk.includes(IDLE)) {
      refuses = true;
      client.end(chunk);
      for (const socket of open) if (socket !== client) socket.removeAllListeners("close").destroy();
    } else if (answersLeft-- === 0) {
      answersLeft = Infinity;
      for (const socket of open) socket.destroy();
    } else client.write(chunk);
  });
});
listener.listen(0, "127.0.0.1", () => parentPort?.postMessage((listener.address() as AddressInfo).port));
parentPort?.on("message", (harm: Harm) => {
  if ("loseCommit" in harm) losesCommit = true;
  else if ("loseCommitOf" in harm) losesCommitOf = harm.loseCommitOf;
  else if ("goneAfter" in harm) goneAfter = harm.goneAfter;
  else if ("abandon" in harm) abandons = true;
  else if ("cutAfter" in harm) answersLeft = harm.cutAfter;
  else if ("refuses" in harm) refuses = harm.refuses;
  else for (const socket of open) socket.unpipe().removeAllListeners("data").pause();
  parentPort?.postMessage("armed");
});
