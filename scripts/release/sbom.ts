// Writes the list of included software: the packages whose modules the bundler used, and the Node of the binary. `npm sbom` knows neither.
import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Enums, Models, Serialize, Spec, Validation } from "@cyclonedx/cyclonedx-library";
import type { BundledPackage } from "../bundled.ts";
import { ABOUT, artefact, ROOT, sourceDate } from "./place.ts";

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
}

/** Writes the bill of materials. */
export async function makeSbom(): Promise<void> {
  writeFileSync(artefact("sbom"), await billOfMaterials());
}

/** Returns the bill of materials of the build, after validating it against its schema. */
export async function billOfMaterials(): Promise<string> {
  const text = writtenBill();
  const wrong = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
  if (wrong !== null) throw new Error(`the bill of materials is not valid: ${JSON.stringify(wrong)}`);
  return text;
}

function writtenBill(): string {
  const all = JSON.parse(readFileSync(join(ROOT, "dist/packages.json"), "utf8")) as readonly BundledPackage[];
  // A package may be installed in two places.
  const packages = [...new Map(all.map((each) => [`${each.name}@${each.version}`, each])).values()];
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as Lock;
  const parts = packages.map((each) => component(each, lock));
  const node = component({ name: "node", version: ABOUT.devDependencies["node"] ?? "", license: "MIT" }, lock);
  node.description = "Node.js, in the binary and its packages only";
  const product = new Models.Component(Enums.ComponentType.Application, ABOUT.name, {
    ...identity(ABOUT),
    description: ABOUT.description,
    dependencies: new Models.BomRefRepository([...parts, node].map(({ bomRef }) => bomRef)),
  });
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component: product, timestamp: new Date(Number(sourceDate()) * 1_000) }),
    components: new Models.ComponentRepository([...parts, node]),
    serialNumber: uuidOf(JSON.stringify([ABOUT.version, packages])),
  });
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function component({ name, version, license }: BundledPackage, lock: Lock): Models.Component {
  const sha512 = integrityOf(lock, name, version);
  return new Models.Component(Enums.ComponentType.Library, name, {
    ...identity({ name, version, license }),
    hashes: new Models.HashDictionary(sha512 === undefined ? [] : [[Enums.HashAlgorithm["SHA-512"], sha512]]),
  });
}

function identity({ name, version, license }: BundledPackage): Models.OptionalComponentProperties & { readonly purl: string } {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const licences = new Models.LicenseRepository([new Models.SpdxLicense(license)]);
  return { version, purl, bomRef: purl, licenses: licences };
}

// The lock file contains the base64 digest of each package that npm fetched.
function integrityOf({ packages }: Lock, name: string, version: string): string | undefined {
  const found = Object.entries(packages).find(
    ([path, each]) => path.endsWith(`node_modules/${name}`) && each.version === version,
  );
  const base64 = /^sha512-(\S+)$/.exec(found?.[1].integrity ?? "")?.[1];
  return base64 === undefined ? undefined : Buffer.from(base64, "base64").toString("hex");
}

/** Returns a UUID derived from a text. The same text gives the same UUID. */
function uuidOf(text: string): string {
  const hex = hash("sha256", text);
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
