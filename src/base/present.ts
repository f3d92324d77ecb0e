/** Fields without those that are undefined. */
type Present<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Returns the fields that are not undefined. */
export function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
