// The npm package: it depends on no other.
import { quietly, RELEASE } from "./place.ts";

/** Packs what was built. */
export function makePackage(): void {
  quietly("npm", ["pack", "--ignore-scripts", "--pack-destination", RELEASE]);
}
