import {
  type Backup,
  type PodVolumeBackup,
  type PodVolumeRestore,
  type Restore,
  veleroNames,
} from "../api/index.ts";

/** Whom a copy names as the one that asked for it. */
export interface Asker {
  readonly kind: "Backup" | "Restore";
  readonly name: string;
  readonly uid: string;
}

/** The Backup or Restore that a copy belongs to, as our server and upstream's mark it; undefined when it says none, or two. */
export function askerOf({ kind, metadata }: PodVolumeBackup | PodVolumeRestore): Asker | undefined {
  const [wanted, label] =
    kind === "PodVolumeBackup"
      ? (["Backup", veleroNames.backupUid] as const)
      : (["Restore", veleroNames.restoreUid] as const);
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
  kind: "PodVolumeBackup" | "PodVolumeRestore",
  asker: Asker | undefined,
  found: Backup | Restore | undefined,
): string | undefined {
  const wanted = kind === "PodVolumeBackup" ? "Backup" : "Restore";
  if (asker === undefined) return `not run: it does not say which ${wanted} it belongs to`;
  const title = `${wanted} "${asker.name}"`;
  if (found === undefined || found.metadata.uid !== asker.uid) return `not run: its ${title} does not exist`;
  const phase = found.status?.phase ?? "New";
  return phase === "InProgress" ? undefined : `not run: its ${title} is ${phase}, not InProgress`;
}
