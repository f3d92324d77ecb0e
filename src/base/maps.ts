/** A map, or a map that holds its keys weakly. */
interface MapLike<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** Returns the value of a key. If the map has none, makes and keeps it. Node 24 lacks `Map.prototype.getOrInsertComputed`. */
export function getOrInsert<K, V>(map: MapLike<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** Returns the value that an object itself has under a name. A name from outside, such as `constructor`, may also be one of the runtime. */
export function ownValue<V>(object: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns an object with the keys of a map and new values made from those of the map. */
export function objectOf<V, T>(map: ReadonlyMap<string, V>, make: (value: V, key: string) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(Array.from(map, ([key, value]) => [key, make(value, key)] as const));
}

/** Returns an object with the names of another one and new values made from its values. */
export function mapValues<V, T>(
  object: Readonly<Record<string, V>>,
  make: (value: V, name: string) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, make(value, name)]));
}
