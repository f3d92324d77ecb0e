// HTTP allows only these characters in a header. With any other, sending fails, and the service would seem unreachable.
const IN_HEADER = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Returns whether a text can be sent as the value of a header. */
export function fitsHeader(text: string): boolean {
  return IN_HEADER.test(text);
}
