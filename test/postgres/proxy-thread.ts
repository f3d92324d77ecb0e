// A way to a server that can lose the answer to a commit. It is a thread, because whoever asks the server waits without running anything else.
import { connect, createServer, type AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/** The end of an answer after which no transaction is open: ReadyForQuery, idle. */
const IDLE = Buffer.from("Z\0\0\0\u0005I", "latin1");
const { port } = workerData as { readonly port: number };
let losesCommit = false;

const listener = createServer((client) => {
  const server = connect(port, "127.0.0.1");
  for (const socket of [client, server]) {
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      client.destroy();
      server.destroy();
    });
  }
  client.pipe(server);
  server.on("data", (chunk) => {
    if (!losesCommit || !chunk.includes(IDLE)) return void client.write(chunk);
    losesCommit = false;
    client.destroy();
  });
});
listener.listen(0, "127.0.0.1", () => parentPort?.postMessage((listener.address() as AddressInfo).port));
parentPort?.on("message", () => {
  losesCommit = true;
  parentPort?.postMessage("armed");
});
