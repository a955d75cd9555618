import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** A key and the certificate for it, in PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/**
 * A self-signed certificate for these names and for loopback, valid for ten years.
 *
 * kubectl sends a bearer token over TLS only, Node cannot make certificates, and an `openssl` may be missing: so the few
 * lines of DER are written here.
 */
export function selfSigned(
  commonName: string,
  nowMs: number,
  names: readonly string[] = ["kubernetes.default.svc"],
): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = seq(set(seq(oid("2.5.4.3"), der(0x0c, Buffer.from(commonName)))));
  const algorithm = seq(oid("1.2.840.10045.4.3.2"));
  const body = seq(
    der(0xa0, int(Buffer.from([2]))),
    int(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    seq(time(nowMs - 86_400_000), time(nowMs + 3650 * 86_400_000)),
    name,
    spki(publicKey),
    der(0xa3, seq(...extensions(names))),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = seq(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: pem("CERTIFICATE", certificate),
  };
}

function extensions(dns: readonly string[]): Buffer[] {
  const names = seq(
    ...["localhost", ...dns].map((name) => der(0x82, Buffer.from(name))),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const authority = seq(der(0x01, Buffer.from([0xff])));
  return [
    seq(oid("2.5.29.19"), der(0x01, Buffer.from([0xff])), der(0x04, authority)),
    seq(oid("2.5.29.17"), der(0x04, names)),
  ];
}

function spki(key: KeyObject): Buffer {
  return key.export({ type: "spki", format: "der" });
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function seq(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function set(...parts: readonly Buffer[]): Buffer {
  return der(0x31, Buffer.concat(parts));
}

function int(bytes: Buffer): Buffer {
  return der(0x02, bytes);
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 127];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 127) | 128);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]/g, "").slice(0, 14);
  return der(0x18, Buffer.from(`${digits}Z`));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").replaceAll(/.{64}/g, "$&\n");
  return `-----BEGIN ${label}-----\n${lines.trimEnd()}\n-----END ${label}-----\n`;
}
