import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const hasOpenssl: boolean = spawnSync("openssl", ["version"]).status === 0;

/** Makes a self-signed certificate for this machine and its key. Returns both as files in the folder and as texts. */
export function selfSigned(folder: string, days: number): { readonly file: string; readonly key: string; readonly cert: string } {
  const [key, file] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const files = ["-keyout", key, "-out", file];
  spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", String(days), ...subject, ...files]);
  return { file, key: readFileSync(key, "utf8"), cert: readFileSync(file, "utf8") };
}
