import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Limits the number of connections of a server. A new connection beyond the limit replaces the one that has been longest without a request in progress
 * or, if all have one, the oldest. So a client that connects and stalls keeps nobody out.
 */
export function limitConnections(server: Server, most: number): void {
  const waiting = new Set<Socket>();
  const answered = new Set<Socket>();
  const forget = (socket: Socket): void => {
    waiting.delete(socket);
    answered.delete(socket);
  };
  server.on("connection", (socket) => {
    if (waiting.size + answered.size >= most) {
      const [oldest] = waiting.size > 0 ? waiting : answered;
      oldest?.destroy();
      if (oldest !== undefined) forget(oldest);
    }
    waiting.add(socket);
    socket.once("close", () => forget(socket));
  });
  server.on("request", ({ socket }, response) => {
    waiting.delete(socket);
    if (!socket.destroyed) answered.add(socket);
    response.once("close", () => {
      if (answered.delete(socket)) waiting.add(socket);
    });
  });
}
