import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Keeps the connections of a server to a number. For one more, the one gives way that has been longest without a request in hand; where each has one, the
 * oldest. So whoever connects and stalls keeps nobody out.
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
