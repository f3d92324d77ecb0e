import { createPrivateKey, createPublicKey, hash, type JsonWebKey, type KeyObject, sign } from "node:crypto";

// The formats are those of OpenSSH's PROTOCOL.key and PROTOCOL.sshsig, and of RFC 4253 and RFC 5656 (decision 167).

/** A private key in OpenSSH's format, without a passphrase. */
export interface OpenSshKey {
  /** The private key itself. */
  readonly key: KeyObject;
  /** Its public half, in the form that `known_hosts` and allowed signers contain in base64. */
  readonly publicBlob: Buffer;
  /** Its name in OpenSSH, such as `ssh-ed25519`. */
  readonly type: string;
}

/** Why a text is not a key that can sign. */
export type KeyFault = "encrypted" | "damaged" | "unsupported";

const MAGIC = "openssh-key-v1\0";
const ED25519_BYTES = 32;

const CURVES: Readonly<Record<string, { readonly name: string; readonly bytes: number; readonly digest: string }>> = {
  "ecdsa-sha2-nistp256": { name: "P-256", bytes: 32, digest: "sha256" },
  "ecdsa-sha2-nistp384": { name: "P-384", bytes: 48, digest: "sha384" },
  "ecdsa-sha2-nistp521": { name: "P-521", bytes: 66, digest: "sha512" },
};

/** Reads the content between the lines `BEGIN` and `END OPENSSH PRIVATE KEY`. */
export function parseOpenSsh(base64: string): OpenSshKey | KeyFault {
  try {
    return keyIn(Buffer.from(base64, "base64"));
  } catch {
    return "damaged"; // a length leads beyond the end, or the numbers are not a key
  }
}

function keyIn(content: Buffer): OpenSshKey | KeyFault {
  if (content.subarray(0, MAGIC.length).toString("latin1") !== MAGIC) return "damaged";
  const outer = new Wire(content.subarray(MAGIC.length));
  const cipher = outer.text();
  outer.bytes(); // the name of the key derivation
  outer.bytes(); // its options
  if (cipher !== "none") return "encrypted";
  if (outer.number() !== 1) return "unsupported";
  const publicBlob = outer.bytes();
  const inner = new Wire(outer.bytes());
  if (inner.number() !== inner.number()) return "damaged";
  const type = inner.text();
  const jwk = jwkOf(type, inner);
  if (jwk === undefined) return "unsupported";
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  return isItsPublicHalf(key, publicBlob) ? { key, publicBlob, type } : "damaged";
}

function jwkOf(type: string, wire: Wire): JsonWebKey | undefined {
  if (type === "ssh-ed25519") {
    const x = wire.bytes();
    return { kty: "OKP", crv: "Ed25519", x: url(x), d: url(wire.bytes().subarray(0, ED25519_BYTES)) };
  }
  if (type === "ssh-rsa") {
    const next = (): Buffer => unsigned(wire.bytes());
    const [n, e, d, qi, p, q] = [next(), next(), next(), next(), next(), next()];
    return {
      kty: "RSA",
      n: url(n),
      e: url(e),
      d: url(d),
      p: url(p),
      q: url(q),
      dp: url(rest(d, p)),
      dq: url(rest(d, q)),
      qi: url(qi),
    };
  }
  const curve = CURVES[type];
  if (curve === undefined) return undefined;
  wire.bytes(); // the curve, which the type already names
  const point = wire.bytes();
  const coordinates = point.subarray(1);
  const [x, y] = [coordinates.subarray(0, curve.bytes), coordinates.subarray(curve.bytes)];
  return { kty: "EC", crv: curve.name, x: url(x), y: url(y), d: url(padded(unsigned(wire.bytes()), curve.bytes)) };
}

// Returns `d` modulo one less than a prime, which OpenSSH leaves out.
function rest(d: Buffer, prime: Buffer): Buffer {
  const hex = (BigInt(`0x${d.toString("hex")}`) % (BigInt(`0x${prime.toString("hex")}`) - 1n)).toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
}

// If the halves in a file did not belong together, nobody could verify the signature.
function isItsPublicHalf(key: KeyObject, publicBlob: Buffer): boolean {
  const { n = "", x = "", y = "" } = createPublicKey(key).export({ format: "jwk" });
  return [n, x, y].every((part) => publicBlob.includes(Buffer.from(part, "base64url")));
}

/** The namespace of our signatures. Verifiers pass it with `-n`. */
export const NAMESPACE = "file";

/** Returns a detached signature that `ssh-keygen -Y verify` accepts. */
export function signSsh(message: Buffer, { key, publicBlob, type }: OpenSshKey): Buffer {
  const about = [NAMESPACE, "", "sha512"].map((text) => field(Buffer.from(text)));
  const signed = Buffer.concat([Buffer.from("SSHSIG"), ...about, field(hash("sha512", message, "buffer"))]);
  const version = Buffer.from([0, 0, 0, 1]);
  const blob = Buffer.concat([
    Buffer.from("SSHSIG"),
    version,
    field(publicBlob),
    ...about,
    field(signatureOf(signed, key, type)),
  ]);
  const lines = blob.toString("base64").match(/.{1,70}/g) ?? [];
  return Buffer.from(["-----BEGIN SSH SIGNATURE-----", ...lines, "-----END SSH SIGNATURE-----", ""].join("\n"));
}

function signatureOf(signed: Buffer, key: KeyObject, type: string): Buffer {
  if (type === "ssh-ed25519") return named(type, sign(null, signed, key));
  // OpenSSH no longer accepts SHA-1, which a signature under the key's own name would use.
  if (type === "ssh-rsa") return named("rsa-sha2-512", sign("sha512", signed, key));
  const both = sign(CURVES[type]?.digest, signed, { key, dsaEncoding: "ieee-p1363" });
  const half = both.length / 2;
  return named(type, Buffer.concat([number(both.subarray(0, half)), number(both.subarray(half))]));
}

function named(name: string, signature: Buffer): Buffer {
  return Buffer.concat([field(Buffer.from(name)), field(signature)]);
}

function field(content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

// Writes a non-negative whole number without leading zeros, except one zero that keeps its first bit from being a sign.
function number(bytes: Buffer): Buffer {
  const shortest = unsigned(bytes);
  return field((shortest[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), shortest]) : shortest);
}

function unsigned(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? Buffer.alloc(0) : bytes.subarray(first);
}

function padded(bytes: Buffer, length: number): Buffer {
  return Buffer.concat([Buffer.alloc(Math.max(0, length - bytes.length)), bytes]);
}

function url(bytes: Buffer): string {
  return bytes.toString("base64url");
}

/** Reads the fields of a blob. Throws a RangeError beyond its end. */
class Wire {
  readonly #content: Buffer;
  #at = 0;

  constructor(content: Buffer) {
    this.#content = content;
  }

  number(): number {
    this.#at += 4;
    return this.#content.readUInt32BE(this.#at - 4);
  }

  bytes(): Buffer {
    const length = this.number();
    if (this.#at + length > this.#content.length) throw new RangeError("a field leads beyond the end");
    this.#at += length;
    return this.#content.subarray(this.#at - length, this.#at);
  }

  text(): string {
    return this.bytes().toString("latin1");
  }
}
