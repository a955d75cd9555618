import { createHash } from "node:crypto";
import type { Drill } from "../../api/index.ts";

/** Labels and the finalizer of drills. */
export const drillNames = {
  /** On everything that a drill makes: the uid of the drill, which nothing else has. */
  uid: "headway.dev/drill-uid",
  /** On the runs of a drill with a schedule: its name. */
  schedule: "headway.dev/drill-schedule",
  finalizer: "headway.dev/drill",
  /** The Secret with the key that reports are signed with, and the ConfigMap with its public half. */
  key: "headway-drill-key",
} as const;

/** Names of Kubernetes objects that become labels or namespaces have at most so many characters. */
const maxName = 63;

/** Five letters and digits that belong to this drill alone, the same in every process. */
export function suffixOf(uid: string): string {
  const digest = createHash("sha256").update(uid).digest();
  return [...digest.subarray(0, 5)]
    .map((byte) => "abcdefghijklmnopqrstuvwxyz012345".charAt(byte % 32))
    .join("");
}

/** Where a namespace of the backup is restored: `shop-drill-x7k2a`. */
export function scratchName(namespace: string, uid: string): string {
  const tail = `-drill-${suffixOf(uid)}`;
  const short = namespace.slice(0, maxName - tail.length);
  // Two long names may begin alike.
  const head =
    short === namespace ? namespace : `${short.slice(0, -6)}-${suffixOf(namespace)}`.replaceAll(/-+/g, "-");
  return `${head}${tail}`;
}

/** The Restore of a drill, and the ConfigMap with its resource modifiers. */
export function restoreNameOf({ metadata }: Drill): string {
  const tail = `-drill-${suffixOf(metadata.uid ?? "")}`;
  return `${metadata.name.slice(0, maxName - tail.length)}${tail}`;
}

/** A run of a drill with a schedule: `nightly-proof-20261115030000`. */
export function runNameOf(name: string, atMs: number): string {
  const stamp = new Date(atMs).toISOString().slice(0, 19).replaceAll(/\D/g, "");
  return `${name.slice(0, 200)}-${stamp}`;
}
