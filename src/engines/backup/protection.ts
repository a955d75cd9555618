import type { Backup } from "../../api/index.ts";

/** A claim that is in the backup and holds data, with the volume that it is bound to. */
export interface ClaimSeen {
  readonly namespace: string;
  readonly name: string;
  readonly volume: string;
}

/** Why the files of a claim are not copied out of a pod that mounts it. */
export interface LeftClaim {
  /** `namespace/name` */
  readonly claim: string;
  readonly reason: string;
  /** Whether somebody asked for this: then nothing is missing. */
  readonly isWish?: boolean;
  /** Whether an error has been told about it already. */
  readonly isTold?: boolean;
}

/** Notes why a claim is not copied. Of several pods that mount it, one whose copy failed says more than a wish. */
export function noteLeft(left: Map<string, LeftClaim>, one: LeftClaim): void {
  const gravity = ({ isTold, isWish }: LeftClaim) => (isTold ? 2 : isWish ? 0 : 1);
  const known = left.get(one.claim);
  if (!known || gravity(one) > gravity(known)) left.set(one.claim, one);
}

/** Why a volume has no snapshot. */
export interface Unsnapped {
  readonly reason: string;
  readonly isWish?: boolean;
  readonly isTold?: boolean;
}

/** What became of the volumes of a run, from all that copy or snapshot. */
export interface Kept {
  /** Claims (`namespace/name`) whose files are copied. */
  readonly copied: ReadonlySet<string>;
  /** By claim. */
  readonly left: ReadonlyMap<string, LeftClaim>;
  /** Volumes of which a snapshot was taken. */
  readonly snapped: ReadonlySet<string>;
  readonly unsnapped: ReadonlyMap<string, Unsnapped>;
  /** Claims (`namespace/name`) of which their driver takes a snapshot, and why it takes none of others. */
  readonly snappedClaims?: ReadonlySet<string> | undefined;
  readonly unsnappedClaims?: ReadonlyMap<string, Unsnapped> | undefined;
}

/** Who keeps the data of a claim, or why nobody does. */
export type Protection =
  | { readonly by: "files" | "snapshot" }
  | {
      readonly by: "nobody";
      readonly reason: string;
      /** Whether the backup's spec, a policy or a pod says that this data is not wanted. */
      readonly isWish: boolean;
      /** Whether an error has been told about it already. */
      readonly isTold: boolean;
    };

/**
 * Who keeps the data of a claim. Every way to protect a volume has its say here and nowhere else: a new one is a field of
 * `Kept` and a line of this function.
 */
export function protectionOf(claim: ClaimSeen, spec: Backup["spec"], kept: Kept): Protection {
  const key = `${claim.namespace}/${claim.name}`;
  if (kept.copied.has(key)) return { by: "files" };
  if (kept.snappedClaims?.has(key) || kept.snapped.has(claim.volume)) return { by: "snapshot" };
  // Its own driver would have been the first to take it, so that one's word counts.
  const unsnapped = kept.unsnappedClaims?.get(key) ?? kept.unsnapped.get(claim.volume);
  const left = kept.left.get(key);
  const isTold = left?.isTold === true || unsnapped?.isTold === true;
  const nobody = (reason: string, isWish: boolean): Protection => ({ by: "nobody", reason, isWish, isTold });
  // What was to be copied and could not be is missing, whatever is said about snapshots.
  if (left && !left.isWish) return nobody(left.reason, false);
  const wish = left ?? (unsnapped?.isWish ? unsnapped : undefined);
  if (wish) return nobody(wish.reason, true);
  if (spec?.defaultVolumesToFsBackup === true) return nobody("no running pod of the backup mounts it", false);
  if (spec?.snapshotVolumes === false)
    return nobody("the backup takes no snapshots (snapshotVolumes: false)", true);
  if (!unsnapped) return nobody("the backup leaves its PersistentVolume out", true);
  return nobody(unsnapped.reason, false);
}

/** What to do about data that nobody keeps. */
const advice =
  "copy its files (defaultVolumesToFsBackup: true, or annotation backup.velero.io/backup-volumes on its pod), " +
  "give the backup a location that can snapshot it, or say that it is not wanted " +
  "(snapshotVolumes: false, or a resource policy that skips it)";

interface Findings {
  add(
    subject: { readonly resource?: string; readonly namespace?: string; readonly name?: string },
    message: string,
    error?: string,
  ): void;
}

/** At most so many names stand in one sentence. */
const namesTold = 20;

/**
 * Tells of every claim whose data is not in the backup: an error each, with what to do; those that are left out as asked
 * are one warning for each reason, and so are volumes that no claim of the backup uses.
 */
export function tellUnprotected(
  { claims, volumes }: { readonly claims: readonly ClaimSeen[]; readonly volumes: readonly string[] },
  spec: Backup["spec"],
  kept: Kept,
  found: { readonly warnings: Findings; readonly errors: Findings },
): void {
  const wishes = new Map<string, string[]>();
  for (const claim of claims) {
    const protection = protectionOf(claim, spec, kept);
    if (protection.by !== "nobody" || protection.isTold) continue;
    const { reason, isWish } = protection;
    const { namespace, name } = claim;
    if (isWish) wishes.set(reason, [...(wishes.get(reason) ?? []), `${namespace}/${name}`]);
    else {
      const subject = { resource: "persistentvolumeclaims", namespace, name };
      found.errors.add(subject, "the data of the volume is not in the backup", `${reason}; ${advice}`);
    }
  }
  for (const [reason, names] of wishes) {
    const message = `not in the backup is the data of ${listed(names, "claim")}, as was asked: ${reason}`;
    found.warnings.add({ resource: "persistentvolumeclaims" }, message);
  }
  const used = new Set(claims.map(({ volume }) => volume));
  const unused = volumes.filter((name) => !used.has(name) && !kept.snapped.has(name));
  if (unused.length === 0) return;
  const message = `not in the backup is the data of ${listed(unused, "volume")}, which no claim in it uses`;
  found.warnings.add({ resource: "persistentvolumes" }, message);
}

function listed(names: readonly string[], noun: string): string {
  const more = names.length > namesTold ? ` and ${names.length - namesTold} more` : "";
  return `${names.length} ${noun}${names.length === 1 ? "" : "s"} (${names.slice(0, namesTold).join(", ")}${more})`;
}
