import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect, isIP, type NetConnectOpts, type Socket } from "node:net";
import { connect as connectSecurely, type TLSSocket } from "node:tls";
import { addressPatience } from "./addresses.ts";
import { type ConnectionFailure, connectionFailure } from "../base/connection-failure.ts";

/** How far a connection to an address got: the stages that worked, and the one that failed. */
export interface Reach {
  /** The address of the connection or, if there is none, the first one of the name; left out if the name was not found. */
  readonly address?: string;
  /** How long it took to look up the name, in milliseconds. */
  readonly lookupMs?: number;
  /** How long connecting took, in milliseconds. */
  readonly connectMs?: number;
  /** How long it took to secure the connection, in milliseconds. */
  readonly tlsMs?: number;
  /** The end of the certificate's validity, in milliseconds since the Unix epoch. */
  readonly certificateUntil?: number;
  /** The stage that failed, and why; left out if the address can be reached. */
  readonly failed?: ConnectionFailure & { readonly at: "name" | "connection" | "tls" };
}

/** How long to wait for each stage, and a signal that ends all of them. */
export interface ReachLimits {
  /** How long each stage may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborted when nobody waits for the result any more. This ends all stages. */
  readonly signal: AbortSignal;
}

/** Looks up a name, connects and, for an https address, secures the connection. Sends no request, and never throws for network errors. */
export async function reach(address: URL, patience: ReachLimits): Promise<Reach> {
  const host = address.hostname.replaceAll(/^\[|\]$/g, "");
  const secure = address.protocol === "https:";
  const found = await timed(patience, () => lookup(host));
  if ("why" in found) return { failed: { at: "name", ...found } };
  const reached = { address: found.value.address, lookupMs: found.ms };
  const port = Number(address.port) || (secure ? 443 : 80);
  // By its name, so that all its addresses are tried, as a run does it.
  const connected = await timed(patience, (signal) => connection({ host, port, ...addressPatience(patience.timeoutMs) }, signal));
  if ("why" in connected) return { ...reached, failed: { at: "connection", ...connected } };
  const socket = connected.value;
  try {
    const { remoteAddress = reached.address } = socket;
    const plain = { ...reached, address: remoteAddress, connectMs: connected.ms };
    return secure ? { ...plain, ...(await secured(socket, host, patience)) } : plain;
  } finally {
    socket.destroy();
  }
}

async function connection(to: NetConnectOpts, signal: AbortSignal): Promise<Socket> {
  const socket = connect(to);
  try {
    await once(socket, "connect", { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function secured(socket: Socket, host: string, patience: ReachLimits): Promise<Reach> {
  const name = isIP(host) === 0 ? { servername: host } : {};
  const done = await timed(patience, async (signal): Promise<TLSSocket> => {
    const tls = connectSecurely({ socket, host, ...name, ALPNProtocols: ["http/1.1"], rejectUnauthorized: true });
    await once(tls, "secureConnect", { signal });
    return tls;
  });
  if ("why" in done) return { failed: { at: "tls", ...done } };
  const until = Date.parse(done.value.getPeerCertificate().valid_to ?? "");
  return { tlsMs: done.ms, ...(Number.isNaN(until) ? {} : { certificateUntil: until }) };
}

type Timed<T> = { readonly value: T; readonly ms: number } | ConnectionFailure;

async function timed<T>({ timeoutMs, signal }: ReachLimits, work: (signal: AbortSignal) => Promise<T>): Promise<Timed<T>> {
  const begun = performance.now();
  const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const { promise: abandoned, reject } = Promise.withResolvers<never>();
  const abandon = (): void => reject(new Error(signal.aborted ? "it was not awaited" : `nothing came within ${timeoutMs} ms`));
  over.addEventListener("abort", abandon);
  if (over.aborted) abandon();
  try {
    const value = await Promise.race([work(over), abandoned]);
    return { value, ms: performance.now() - begun };
  } catch (error) {
    return connectionFailure(error);
  } finally {
    over.removeEventListener("abort", abandon);
  }
}
