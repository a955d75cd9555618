import {
  type Backup,
  type DataDownload,
  type DataUpload,
  type PodVolumeBackup,
  type PodVolumeRestore,
  type Restore,
  veleroNames,
} from "../api/index.ts";

/** What makes an agent copy a volume. */
export type Copied = PodVolumeBackup | PodVolumeRestore | DataUpload | DataDownload;

/** Whom a copy names as the one that asked for it. */
export interface Asker {
  readonly kind: "Backup" | "Restore";
  readonly name: string;
  readonly uid: string;
}

/** The Backup or Restore that a copy belongs to, as our server and upstream's mark it; undefined when it says none, or two. */
export function askerOf({ kind, metadata }: Pick<Copied, "kind" | "metadata">): Asker | undefined {
  const wanted = askerKind(kind);
  const label = wanted === "Backup" ? veleroNames.backupUid : veleroNames.restoreUid;
  const owners = (metadata.ownerReferences ?? []).filter(
    (owner) => owner.kind === wanted && owner.apiVersion.startsWith("velero.io/"),
  );
  const [owner] = owners;
  if (owner === undefined || owners.length > 1 || metadata.labels?.[label] !== owner.uid) return undefined;
  return { kind: wanted, name: owner.name, uid: owner.uid };
}

/**
 * Why a copy must not be run; undefined when it may. A copy moves the data of any pod of the node, so it takes more than an
 * object that says so: somebody must be waiting for it here. Objects that came out of a bucket belong to backups that are over.
 */
export function refusalOf(
  kind: Copied["kind"],
  asker: Asker | undefined,
  found: Backup | Restore | undefined,
): string | undefined {
  const wanted = askerKind(kind);
  if (asker === undefined) return `not run: it does not say which ${wanted} it belongs to`;
  const title = `${wanted} "${asker.name}"`;
  if (found === undefined || found.metadata.uid !== asker.uid) return `not run: its ${title} does not exist`;
  const phase = found.status?.phase ?? "New";
  return waiting[kind].includes(phase) ? undefined : `not run: its ${title} is ${phase}, not InProgress`;
}

/** The kind that asks for copies of a kind. */
export function askerKind(kind: Copied["kind"]): Asker["kind"] {
  return kind === "PodVolumeBackup" || kind === "DataUpload" ? "Backup" : "Restore";
}

const withOperations = [
  "InProgress",
  "WaitingForPluginOperations",
  "WaitingForPluginOperationsPartiallyFailed",
];

/** The phases in which somebody waits for a copy; data is moved after the items, too. */
const waiting: Readonly<Record<Copied["kind"], readonly string[]>> = {
  PodVolumeBackup: ["InProgress"],
  PodVolumeRestore: ["InProgress"],
  DataUpload: withOperations,
  DataDownload: withOperations,
};
