// What the loopback interface is called, also where a port is forwarded to it. Nobody else can let these names lead elsewhere.
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\]|::1)$/i;

/** Whether a host, as a `Host` header or an address to listen on has it, is the loopback interface by a name that nobody else can give to it. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(hostnameOf(host));
}

/** The host of a `Host` header without its port. */
export function hostnameOf(host: string): string {
  return host.replace(/^([^:]*|\[.*\]):\d+$/, "$1");
}
