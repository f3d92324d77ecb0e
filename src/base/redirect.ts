/** Returns whether the status of an answer refers to another address. tokenbook follows no redirect. */
export function isRedirect(status: number | null): boolean {
  return status !== null && status >= 300 && status < 400;
}
