/** Returns the time of a `Date` header, in milliseconds since the Unix epoch; `undefined` if it is missing or invalid. */
export function timeOfHeader(date: string | null | undefined): number | undefined {
  const time = Date.parse(date ?? "");
  return Number.isNaN(time) ? undefined : time;
}
