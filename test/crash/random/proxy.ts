import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * What happens to a connection. `lose-request`: the proxy cuts it, and the service never gets the request. `lose-answer`: the service does what
 * was requested, and then the proxy cuts the connection. `break-answer`: half of the answer gets through. `late-request`: the request arrives
 * later, even if its sender is gone by then. `late-answer`: the answer arrives later.
 */
export const FAULTS = ["lose-request", "lose-answer", "break-answer", "late-request", "late-answer"] as const;
export type Fault = (typeof FAULTS)[number] | "none";

/** Decides the fault of each connection, and is notified when data passes. */
export interface Weather {
  /** Called for each connection. */
  readonly fault: () => { readonly fault: Fault; readonly lateMs: number; readonly reset: boolean };
  /** Called whenever data is about to pass, in either direction. */
  readonly onPass: () => void;
}

const CALM: Weather = { fault: () => ({ fault: "none", lateMs: 0, reset: false }), onPass: () => undefined };

/** A TCP proxy. It knows nothing about HTTP. */
export class Proxy {
  readonly #server: Server;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #weather: Weather = CALM;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#serve(client));
  }

  static async to(target: string): Promise<Proxy> {
    const proxy = new Proxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Applies to connections that are opened from now on. */
  set weather(weather: Weather | undefined) {
    this.#weather = weather ?? CALM;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(client: Socket): void {
    const { fault: toss, onPass } = this.#weather;
    const { fault, lateMs, reset } = toss();
    const service = this.#keep(connect({ port: Number(this.#target.port), host: this.#target.hostname, allowHalfOpen: true }));
    this.#keep(client);
    const cut = (): void => {
      service.destroy();
      if (reset) client.resetAndDestroy();
      else client.destroy();
    };
    const late = (is: Fault, act: () => void): void => void (fault === is ? setTimeout(act, lateMs) : act());
    client.on("data", (bytes) => {
      onPass();
      if (fault === "lose-request") return cut();
      late("late-request", () => service.write(bytes));
    });
    service.on("data", (bytes) => {
      onPass();
      if (fault === "lose-answer") return cut();
      if (fault === "break-answer") return void client.write(bytes.subarray(0, bytes.length / 2), cut);
      late("late-answer", () => client.write(bytes));
    });
    // Data that was sent still arrives if its sender has died.
    client.on("end", () => late("late-request", () => service.end()));
    service.on("end", () => late("late-answer", () => client.end()));
  }

  // A socket that breaks closes itself, and the socket on the other side then gets the end.
  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    return socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
  }
}
