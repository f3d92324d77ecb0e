// Makes the npm package, which depends on no other package.
import { quietly, RELEASE } from "./place.ts";

/** Packs the build. */
export function makePackage(): void {
  quietly("npm", ["pack", "--ignore-scripts", "--pack-destination", RELEASE]);
}
