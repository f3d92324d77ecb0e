// npm run release [-- PART…]: builds all or some artefacts of a release in the folder release/.
import { cpSync, existsSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { makeBinary } from "./binary.ts";
import { makeDeb } from "./deb.ts";
import { makeImage } from "./image.ts";
import { makePackage } from "./package.ts";
import { artefact, makeFolder, NODE, type PartName, quietly, ROOT, sizeOf } from "./place.ts";
import { makeSbom } from "./sbom.ts";
import { makeVsix } from "./vsix.ts";

interface Part {
  /** The part whose artefact it includes. */
  readonly needs?: PartName;
  /** Builds the artefact. Returns what it had to leave out. */
  readonly make: () => Promise<string | undefined | void> | string | undefined | void;
}

const PARTS: Readonly<Record<PartName, Part>> = {
  package: { make: makePackage },
  binary: { make: makeBinary },
  deb: { needs: "binary", make: makeDeb },
  sbom: { make: makeSbom },
  image: { needs: "binary", make: makeImage },
  vsix: { make: makeVsix },
  action: { make: makeAction },
};

function makeAction(): void {
  rmSync(artefact("action"), { recursive: true, force: true });
  cpSync(join(ROOT, "deploy/github/action.yaml"), join(artefact("action"), "action.yaml"));
}

const names = Object.keys(PARTS) as readonly PartName[];
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !names.some((each) => each === name));
if (unknown !== undefined) {
  console.error(`no part is called "${unknown}"\nnext: npm run release -- ${names.join(" ")}`);
  process.exit(2);
}
makeFolder();
quietly(NODE, [join(ROOT, "scripts/build.ts")]);
for (const name of names) {
  const isWanted = wanted.length === 0 || wanted.includes(name);
  const isNeeded = wanted.some((each) => PARTS[each as PartName].needs === name) && !existsSync(artefact(name));
  if (!isWanted && !isNeeded) continue;
  const left = await PARTS[name].make();
  console.log(
    `${name.padEnd(8)} release/${basename(artefact(name))}  ${sizeOf(artefact(name))}${left === undefined ? "" : `  (${left})`}`,
  );
}
