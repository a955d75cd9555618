import {
  type Backup,
  type BackupStorageLocation,
  type Drill,
  parseGoDurationMs,
  veleroNames,
} from "../../api/index.ts";

type Spec = NonNullable<Drill["spec"]>;
type Check = NonNullable<Spec["checks"]>[number];

/** What is wrong with a spec by itself, one sentence a fault; nothing when it can be tried. */
export function specFaults(spec: Spec): string[] {
  const { backupName = "", scheduleName = "" } = spec;
  const names = (spec.checks ?? []).map(({ name }) => name);
  return [
    ...(backupName === "" && scheduleName === "" ? ["neither a backup nor a schedule is named"] : []),
    ...(backupName !== "" && scheduleName !== "" ? ["both a backup and a schedule are named"] : []),
    ...durationFaults({ readyTimeout: spec.readyTimeout, restoreTimeout: spec.restoreTimeout }),
    ...modifierFaults(spec),
    ...names
      .filter((name, at) => names.indexOf(name) !== at)
      .map((name) => `two checks are called "${name}"`),
    ...(spec.checks ?? []).flatMap(checkFaults),
  ];
}

function durationFaults(given: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(given).flatMap(([field, text]) =>
    text === undefined || (parseGoDurationMs(text) ?? 0) > 0 ? [] : [`${field} "${text}" is no duration`],
  );
}

function modifierFaults({ isolation }: Spec): string[] {
  const { resourceModifier } = isolation ?? {};
  if (!resourceModifier) return [];
  const isMap = resourceModifier.kind.toLowerCase() === "configmap" && resourceModifier.name !== "";
  return isMap ? [] : ["isolation.resourceModifier must name a ConfigMap"];
}

function checkFaults(check: Check): string[] {
  const { name, exec, http, job, timeout } = check;
  const kinds = [exec, http, job].filter((one) => one !== undefined).length;
  const target = exec ?? http;
  const isNamed = (target?.pod ?? "") !== "" || target?.selector != null;
  return [
    ...(kinds === 1 ? [] : [`check "${name}" needs exactly one of exec, http and job`]),
    ...(target === undefined || isNamed ? [] : [`check "${name}" names neither a pod nor a selector`]),
    ...durationFaults({ timeout }).map((fault) => `check "${name}": ${fault}`),
  ];
}

/** What is rehearsed, or why nothing can be. */
export type Choice =
  | { readonly backup: Backup; readonly location: BackupStorageLocation }
  | { readonly part: "backup" | "location" | "drill"; readonly fault: string };

/** The named backup, or the newest completed one of the schedule. */
export function chooseBackup(
  spec: Spec,
  {
    backups,
    locations,
  }: { readonly backups: readonly Backup[]; readonly locations: readonly BackupStorageLocation[] },
): Choice {
  const { backupName = "", scheduleName = "" } = spec;
  const backup =
    backupName !== ""
      ? backups.find(({ metadata }) => metadata.name === backupName)
      : newestOf(scheduleName, backups);
  if (!backup) {
    const fault =
      backupName === ""
        ? `schedule "${scheduleName}" has no completed backup`
        : `there is no backup "${backupName}"`;
    return { part: "drill", fault };
  }
  const { name } = backup.metadata;
  const phase = backup.status?.phase ?? "New";
  if (phase !== "Completed" && phase !== "PartiallyFailed") {
    return { part: "backup", fault: `backup "${name}" cannot be restored: its phase is ${phase}` };
  }
  const place = backup.spec?.storageLocation ?? "";
  const location = locations.find(({ metadata }) => metadata.name === place);
  if (!location)
    return { part: "location", fault: `the storage location "${place}" of backup "${name}" does not exist` };
  if (location.status?.phase === "Unavailable") {
    return { part: "location", fault: `the storage location "${place}" is unavailable` };
  }
  return { backup, location };
}

function newestOf(schedule: string, backups: readonly Backup[]): Backup | undefined {
  const startedAt = ({ status }: Backup) => status?.startTimestamp ?? "";
  return backups
    .filter(
      ({ metadata, status }) =>
        metadata.labels?.[veleroNames.scheduleName] === schedule && status?.phase === "Completed",
    )
    .toSorted((a, b) => (startedAt(a) < startedAt(b) ? 1 : -1))[0];
}
