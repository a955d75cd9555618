import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from "node:crypto";
import { type Drill, isRecord } from "../../api/index.ts";
import { AppError } from "../../errors.ts";

type Status = NonNullable<Drill["status"]>;

/** What a drill proved, for people who were not there. */
export interface DrillReport {
  readonly kind: "headway.dev/DrillReport";
  readonly version: 1;
  readonly drill: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly cluster: string | undefined;
  readonly backup: { readonly name: string; readonly startedAt: string | undefined };
  readonly verdict: "proved" | "failed" | "canceled";
  readonly message: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly namespaces: NonNullable<Status["namespaces"]>;
  readonly measured: NonNullable<Status["result"]>;
  readonly steps: NonNullable<Status["steps"]>;
  readonly checks: NonNullable<Status["checks"]>;
  readonly failures: NonNullable<Status["failures"]>;
}

/** The report as it is stored: nobody can change a byte of it unseen. */
interface SignedReport {
  readonly report: DrillReport;
  readonly signature: { readonly algorithm: "ed25519"; readonly publicKey: string; readonly value: string };
}

/** A key pair: the private half as PEM, the public one as the base64 of its 32 bytes. */
export interface SigningKey {
  readonly privatePem: string;
  readonly publicKey: string;
}

/** Makes a key pair. */
export function makeSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync("ed25519");
  return keyOf(privateKey.export({ type: "pkcs8", format: "pem" }).toString());
}

/** The pair of a private key. */
export function keyOf(privatePem: string): SigningKey {
  const { x = "" } = createPublicKey(createPrivateKey(privatePem)).export({ format: "jwk" });
  return { privatePem, publicKey: Buffer.from(x, "base64url").toString("base64") };
}

/** The document with its signature. Its form is fixed to the byte, so that the signature covers all of it. */
export function signedDocument(report: DrillReport, key: SigningKey): string {
  const plain = JSON.parse(JSON.stringify(report)) as DrillReport; // without what is undefined
  const value = sign(null, Buffer.from(JSON.stringify(plain)), createPrivateKey(key.privatePem)).toString(
    "base64",
  );
  return printed({ report: plain, signature: { algorithm: "ed25519", publicKey: key.publicKey, value } });
}

/** The hash of a document. */
export function documentHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Reads a document, and throws unless every byte of it is as it was signed; with `trusted`, by that key. */
export function verifyDocument(text: string, trusted?: string): SignedReport {
  const document = parsed(text);
  const { report, signature } = document;
  const value = Buffer.from(signature.value, "base64");
  if (printed(document) !== text || value.toString("base64") !== signature.value) {
    throw fault("it was changed after it was signed: its form is not the one that was written");
  }
  if (trusted !== undefined && trusted !== signature.publicKey) {
    throw fault(`it was signed with another key, "${signature.publicKey}"`);
  }
  const raw = Buffer.from(signature.publicKey, "base64");
  if (raw.length !== 32 || raw.toString("base64") !== signature.publicKey) throw fault("its key is none");
  const key = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: raw.toString("base64url") },
    format: "jwk",
  });
  if (!verify(null, Buffer.from(JSON.stringify(report)), key, value)) {
    throw fault("its signature does not fit its content: it was changed after it was signed");
  }
  return document;
}

function printed(document: SignedReport): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

function parsed(text: string): SignedReport {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw fault("it is no JSON", cause);
  }
  const { report, signature } = isRecord(value) ? value : {};
  const isReport = isRecord(report) && report["kind"] === "headway.dev/DrillReport";
  const isSigned =
    isRecord(signature) &&
    signature["algorithm"] === "ed25519" &&
    typeof signature["publicKey"] === "string" &&
    typeof signature["value"] === "string";
  if (!isReport || !isSigned) throw fault("it is no report of a drill");
  return value as SignedReport; // its outer form was checked, its content is what the signature is about
}

function fault(why: string, cause?: unknown): AppError {
  return new AppError("DRILL_REPORT", `the report cannot be trusted: ${why}`, { cause, retry: false });
}

/** The report of a drill that has ended. */
export function reportOf(drill: Drill, status: Status, cluster: string | undefined): DrillReport {
  const { metadata } = drill;
  const verdict =
    status.phase === "Completed" ? "proved" : status.phase === "Canceled" ? "canceled" : "failed";
  return {
    kind: "headway.dev/DrillReport",
    version: 1,
    drill: { name: metadata.name, namespace: metadata.namespace ?? "", uid: metadata.uid ?? "" },
    cluster,
    backup: { name: status.backupName ?? "", startedAt: status.backupTimestamp ?? undefined },
    verdict,
    message: status.message ?? "",
    startedAt: status.startTimestamp ?? "",
    finishedAt: status.completionTimestamp ?? "",
    namespaces: status.namespaces ?? [],
    measured: status.result ?? {},
    steps: status.steps ?? [],
    checks: status.checks ?? [],
    failures: status.failures ?? [],
  };
}
