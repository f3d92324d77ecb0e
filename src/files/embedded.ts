import { getAssetKeys, getRawAsset, isSea } from "node:sea";

/** Returns whether this program is a single binary. */
export const isSingleBinary: () => boolean = isSea;

/** Returns the names of the files inside this program; `undefined` if it is not a single binary. */
export function embeddedNames(): readonly string[] | undefined {
  return isSea() ? getAssetKeys() : undefined;
}

/** Returns a file inside this program as a view of its memory, which must not be changed; `undefined` if there is no such file. */
export function embeddedFile(name: string): Buffer | undefined {
  return embeddedNames()?.includes(name) === true ? Buffer.from(getRawAsset(name)) : undefined;
}
