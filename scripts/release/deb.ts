// Makes a package for Debian and its derivatives: the binary, its man page, completions, licences and examples.
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { manPage } from "./man.ts";
import { ABOUT, artefact, inFolder, quietly, ROOT, sourceDate } from "./place.ts";

/** The path of each shell's completions in Debian. */
const COMPLETIONS = {
  bash: "usr/share/bash-completion/completions/tokenbook",
  zsh: "usr/share/zsh/vendor-completions/_tokenbook",
  fish: "usr/share/fish/vendor_completions.d/tokenbook.fish",
};

/** Builds the package from the binary. */
export async function makeDeb(): Promise<void> {
  const seconds = sourceDate();
  await inFolder((folder) => {
    const write = (path: string, content: string | Buffer): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    };
    write("usr/bin/tokenbook", readFileSync(artefact("binary")));
    for (const [shell, path] of Object.entries(COMPLETIONS)) write(path, quietly(artefact("binary"), ["completion", shell]));
    write(
      "usr/share/man/man1/tokenbook.1.gz",
      gzipSync(manPage(new Date(Number(seconds) * 1_000).toISOString().slice(0, 10)), { level: 9 }),
    );
    write("usr/share/doc/tokenbook/changelog.gz", gzipSync(readFileSync(join(ROOT, "CHANGELOG.md")), { level: 9 }));
    write("usr/share/doc/tokenbook/copyright", copyright());
    cpSync(join(ROOT, "deploy/systemd"), join(folder, "usr/share/doc/tokenbook/examples"), { recursive: true });
    const sizeKb = Math.ceil(statSync(artefact("binary")).size / 1_024);
    write("DEBIAN/control", control(sizeKb));
    // The umask of the builder must not affect the modes.
    quietly("chmod", ["-R", "u=rwX,go=rX", folder]);
    chmodSync(join(folder, "usr/bin/tokenbook"), 0o755);
    const env = { ...process.env, SOURCE_DATE_EPOCH: seconds };
    quietly("dpkg-deb", ["--build", "--root-owner-group", "-Zzstd", folder, artefact("deb")], { env });
  });
}

// Node's package has no text of its licence, which is as long as all others together, so we link to it.
function copyright(): string {
  const node = ABOUT.devDependencies["node"];
  const texts = ["LICENSE", "dist/THIRD-PARTY-LICENSES.txt"].map((file) => readFileSync(join(ROOT, file), "utf8"));
  return [...texts, `Node.js ${node} (MIT and others)\nhttps://github.com/nodejs/node/blob/v${node}/LICENSE\n`].join("\n\n");
}

function control(sizeKb: number): string {
  return `Package: ${ABOUT.name}
Version: ${ABOUT.version}
Architecture: amd64
Maintainer: The tokenbook maintainers <maintainers@tokenbook.example>
Installed-Size: ${sizeKb}
Depends: libc6 (>= 2.28), libstdc++6 (>= 9), libgcc-s1
Section: utils
Priority: optional
Description: ${ABOUT.description.replace(/\.$/, "")}
 tokenbook type-checks every step before it sends anything, waits for receipts,
 and reports what happened to each step. After a crash it continues by evidence.
`;
}
