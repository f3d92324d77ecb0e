/** Returns the keys and indexes of a JSON pointer. */
export function pathOf(pointer: string): readonly string[] {
  return pointer.split("/").slice(1).map(unescapePointer);
}

/** Returns the JSON pointer for keys and indexes. */
export function pointerTo(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Returns the keys and indexes of a JSON pointer in a URI fragment. */
export function pathOfFragment(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((token) => unescapePointer(decodeURIComponent(token)));
}

function unescapePointer(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}
