import type { Backup, BackupStorageLocation, Restore } from "../../api/index.ts";
import { veleroNames } from "../../api/index.ts";
import { completeExcludes, specFaults } from "./validate.ts";

type Spec = NonNullable<Restore["spec"]>;

/** What the cluster says about what a restore names. */
export interface AdmissionFacts {
  readonly backups: readonly Backup[];
  readonly locations: readonly BackupStorageLocation[];
  /** The label value for a name (63 characters at most). */
  readonly labelValue: (name: string) => string;
}

/** A restore that may start, and what it starts from; or why it may not. */
export interface Admission {
  readonly spec: Spec;
  readonly backup: Backup | undefined;
  readonly location: BackupStorageLocation | undefined;
  readonly faults: readonly string[];
}

/** Applies the defaults to a restore and checks it. */
export function admit(restore: Restore, facts: AdmissionFacts): Admission {
  const given = restore.spec ?? {};
  const faults = [...specFaults(given), ...bothFaults(restore)];
  const chosen = chooseBackup(given, facts);
  const name = chosen?.metadata.name ?? given.backupName ?? "";
  const spec: Spec = {
    ...given,
    ...(name !== "" && { backupName: name }),
    excludedResources: completeExcludes(given),
    includedNamespaces: given.includedNamespaces?.length ? given.includedNamespaces : ["*"],
    itemOperationTimeout: given.itemOperationTimeout ?? "4h0m0s",
  };
  const location = facts.locations.find(({ metadata }) => metadata.name === chosen?.spec?.storageLocation);
  return { spec, backup: chosen, location, faults: [...faults, ...sourceFaults(given, chosen, location)] };
}

/** A restore that was begun carries the backup that stood for its schedule; a new one must choose. */
function bothFaults({ spec, status }: Restore): string[] {
  const both = (spec?.backupName ?? "") !== "" && (spec?.scheduleName ?? "") !== "";
  return both && (status?.phase ?? "New") === "New" ? ["both a backup and a schedule are named"] : [];
}

/** The named backup, or the newest good one of the schedule. */
function chooseBackup(spec: Spec, { backups, labelValue }: AdmissionFacts): Backup | undefined {
  if ((spec.backupName ?? "") !== "")
    return backups.find(({ metadata }) => metadata.name === spec.backupName);
  if ((spec.scheduleName ?? "") === "") return undefined;
  const label = labelValue(spec.scheduleName ?? "");
  const startedAt = ({ status }: Backup): string => status?.startTimestamp ?? "";
  return backups
    .filter(
      ({ metadata, status }) =>
        metadata.labels?.[veleroNames.scheduleName] === label && status?.phase === "Completed",
    )
    .toSorted((a, b) => (startedAt(a) < startedAt(b) ? 1 : -1))[0];
}

function sourceFaults(
  spec: Spec,
  backup: Backup | undefined,
  location: BackupStorageLocation | undefined,
): string[] {
  const { backupName = "", scheduleName = "" } = spec;
  if (backupName === "" && scheduleName === "") return []; // told already
  if (backup === undefined) {
    return [
      backupName === ""
        ? `schedule "${scheduleName}" has no completed backup`
        : `there is no backup "${backupName}"`,
    ];
  }
  const phase = backup.status?.phase ?? "New";
  if ((backup.metadata.deletionTimestamp ?? null) !== null || phase === "Deleting") {
    return [`backup "${backup.metadata.name}" is being deleted`];
  }
  if (phase !== "Completed" && phase !== "PartiallyFailed") {
    return [`backup "${backup.metadata.name}" cannot be restored: its phase is ${phase}`];
  }
  const place = backup.spec?.storageLocation ?? "";
  if (location === undefined) return [`the storage location "${place}" of the backup does not exist`];
  return location.status?.phase === "Unavailable" ? [`the storage location "${place}" is unavailable`] : [];
}
