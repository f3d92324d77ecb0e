import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { Failure } from "../base/failure.ts";
import { type KeyFault, NAMESPACE, parseOpenSsh, signSsh } from "./openssh.ts";
import { quoted } from "../base/text/text.ts";

/** Signs bytes with one private key. */
export interface Signer {
  /** The key for people: its kind, and the fingerprint of its public half. */
  readonly words: string;
  /** Returns a detached signature. */
  readonly sign: (message: Buffer) => Buffer;
  /** Returns what to type to verify a file with the public half of the key. */
  readonly verifying: (file: string, signature: string) => readonly string[];
}

const LEAST_RSA_BITS = 2_048;
/** The curves over prime fields with 256 bits and more. Any other curve, or one that a key defines by numbers, may be weak. */
const CURVES: ReadonlySet<string | undefined> = new Set([
  "prime256v1",
  "secp256k1",
  "secp384r1",
  "secp521r1",
  "brainpoolP256r1",
  "brainpoolP256t1",
  "brainpoolP320r1",
  "brainpoolP320t1",
  "brainpoolP384r1",
  "brainpoolP384t1",
  "brainpoolP512r1",
  "brainpoolP512t1",
]);
const PUBLIC = /-----BEGIN (?:[A-Z0-9 ]*PUBLIC KEY|CERTIFICATE)-----|^(?:ssh|ecdsa)-/;

/** Reads a private key in PEM, in the format of OpenSSL or of OpenSSH. Throws a Failure that calls it `name`, and shows none of it. */
export function readSigner(text: string, name: string): Signer {
  const [, label, body = ""] = /-----BEGIN ((?:[A-Z]+ )?PRIVATE KEY)-----([\s\S]*?)-----END \1-----/.exec(text) ?? [];
  if (label === undefined) throw refused(name, PUBLIC.test(text) ? "public" : "none");
  if (label === "OPENSSH PRIVATE KEY") {
    const read = parseOpenSsh(body);
    if (typeof read === "string") throw refused(name, read);
    assertStrong(read.key, name);
    return openSshSigner(read);
  }
  if (label === "ENCRYPTED PRIVATE KEY" || /^Proc-Type: 4,ENCRYPTED/m.test(body)) throw refused(name, "encrypted");
  const key = pemKey(text);
  if (key === undefined) throw refused(name, "damaged");
  const kind = PEM_KINDS[key.asymmetricKeyType ?? ""];
  if (kind === undefined) throw refused(name, "unsupported");
  assertStrong(key, name);
  return pemSigner(key, name, kind);
}

function pemKey(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined; // its message could show a part of the key
  }
}

function assertStrong(key: KeyObject, name: string): void {
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0, namedCurve } = {} } = key;
  if (type === "rsa" && modulusLength < LEAST_RSA_BITS) throw refused(name, "short");
  if (type === "ec" && !CURVES.has(namedCurve)) throw refused(name, "curve");
}

function openSshSigner(read: Exclude<ReturnType<typeof parseOpenSsh>, string>): Signer {
  const publicHalf = read.publicBlob.toString("base64");
  const fingerprint = createHash("sha256").update(read.publicBlob).digest("base64").replace(/=+$/, "");
  return {
    words: `${read.type} SHA256:${fingerprint}`,
    sign: (message) => signSsh(message, read),
    verifying: (file, signature) => [
      `echo 'signer namespaces="${NAMESPACE}" ${read.type} ${publicHalf}' > allowed_signers`,
      `ssh-keygen -Y verify -f allowed_signers -I signer -n ${NAMESPACE} -s ${quoted(signature)} < ${quoted(file)}`,
    ],
  };
}

interface PemKind {
  readonly word: string;
  readonly digest: "sha256" | null;
  /** Returns the command that verifies a signature with the public key `signer.pem`. */
  readonly verify: (file: string, signature: string) => string;
}

const BY_DIGEST = (file: string, signature: string): string =>
  `openssl dgst -sha256 -verify signer.pem -signature ${signature} ${file}`;

const PEM_KINDS: Readonly<Record<string, PemKind>> = {
  rsa: { word: "RSA", digest: "sha256", verify: BY_DIGEST },
  ec: { word: "EC", digest: "sha256", verify: BY_DIGEST },
  ed25519: {
    word: "Ed25519",
    digest: null,
    verify: (file, signature) => `openssl pkeyutl -verify -pubin -inkey signer.pem -rawin -in ${file} -sigfile ${signature}`,
  },
};

function pemSigner(key: KeyObject, name: string, kind: PemKind): Signer {
  const publicHalf = createPublicKey(key).export({ type: "spki", format: "der" });
  return {
    words: `${kind.word} SHA256:${createHash("sha256").update(publicHalf).digest("hex")}`,
    sign: (message) => sign(kind.digest, message, key),
    verifying: (file, signature) => [
      `openssl pkey -in ${quoted(name)} -pubout -out signer.pem`,
      kind.verify(quoted(file), quoted(signature)),
    ],
  };
}

type KeyRefusal = KeyFault | "public" | "none" | "short" | "curve";

const REFUSALS: Readonly<Record<KeyRefusal, { readonly message: string; readonly next: (name: string) => string }>> = {
  encrypted: {
    message: "is protected by a passphrase, and tokenbook asks for none",
    next: (name) =>
      `write a copy without it, for this purpose alone: cp ${name} signing-key && ssh-keygen -p -N '' -f signing-key, or openssl pkey -in ${name} -out signing-key`,
  },
  damaged: { message: "cannot be read as a private key: it is damaged, or not whole", next: () => "copy the key again" },
  unsupported: { message: "is of a kind that cannot sign here", next: () => MAKE },
  short: { message: `has fewer than ${LEAST_RSA_BITS} bits`, next: () => MAKE },
  curve: { message: "is an EC key of a curve that has fewer than 256 bits, or is not known here", next: () => MAKE },
  public: { message: "is a public key or a certificate: it verifies, and cannot sign", next: () => "name the private key" },
  none: { message: "holds no private key in PEM or in OpenSSH's format", next: () => MAKE },
};

const MAKE = "use an Ed25519, EC or RSA key, such as of: ssh-keygen -t ed25519 -N '' -f signing-key";

function refused(name: string, refusal: KeyRefusal): Failure {
  const { message, next } = REFUSALS[refusal];
  return new Failure({
    code: "sign.key",
    message: `the key ${name} ${message}`,
    why: "nothing was written",
    next: next(quoted(name)),
  });
}
