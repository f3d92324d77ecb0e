// The names of the loopback interface, including those used when a port is forwarded to it. Nobody else can make these names lead
// elsewhere.
const LOOPBACK = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|localhost|\[::1\]|::1)$/i;

/** Returns whether a host, from a `Host` header or a listen address, is the loopback interface under a name that nobody else can redirect. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(hostnameOf(host));
}

/** Returns the host of a `Host` header without its port. */
export function hostnameOf(host: string): string {
  return host.replace(/^([^:]*|\[.*\]):\d+$/, "$1");
}
