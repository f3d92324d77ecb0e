// What HTTP lets stand in a header: other letters the network would not take, and the service would seem to be out of reach.
const IN_HEADER = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether a text can be sent as the value of a header. */
export function fitsHeader(text: string): boolean {
  return IN_HEADER.test(text);
}
