import type { TestProject } from "vitest/node";
import { PostgresServer } from "./server.ts";

/** Starts the server for the tests that keep their state on a server. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await PostgresServer.start({ max_connections: "300" });
  provide("postgres", server.address());
  return () => server.remove();
}
