import { type PodVolumeBackup, type Restore, veleroNames } from "../../api/index.ts";
import type { PlannedData, PlannedTime, Verdict } from "../../kinds/index.ts";
import { type Json, recordOf, textOf } from "./json.ts";

/** What is known when the data of a restore is looked at. */
export interface DataFacts {
  readonly restore: Pick<Restore, "spec">;
  /** What the backup says about its volumes. */
  readonly infos: readonly Json[];
  readonly backups: readonly PodVolumeBackup[];
  /** Whether the content of pod volumes is restored at all. */
  readonly copiesVolumes: boolean;
  /** Where a namespace of the backup goes. */
  target(namespace: string): string;
  /** What becomes of an item of the backup; undefined when it is not among those to be restored, or not for the one who asks. */
  verdict(groupResource: string, namespace: string, name: string): Verdict | undefined;
}

/** The volumes whose data a restore brings back, and those that it leaves out although the backup has their data. */
export function dataOf(facts: DataFacts): readonly PlannedData[] {
  return [
    ...facts.backups.flatMap((backup) => copied(backup, facts)),
    ...facts.infos.flatMap((info) => snapshotted(info, facts)),
  ];
}

function copied({ metadata, spec, status }: PodVolumeBackup, facts: DataFacts): readonly PlannedData[] {
  const { namespace = "", name: pod = "" } = spec?.pod ?? {};
  const verdict = facts.verdict("pods", namespace, pod);
  // A copy without a snapshot is nothing that could be brought back.
  if (verdict === undefined || !status?.snapshotID) return [];
  const volume = spec?.volume ?? "";
  const leftOut = facts.copiesVolumes
    ? notMade("its pod", verdict)
    : "the content of pod volumes is not restored here";
  return [
    {
      namespace: facts.target(namespace),
      name: metadata.annotations?.[veleroNames.pvcName] ?? volume,
      pod,
      volume,
      method: "pod volume",
      ...(spec?.uploaderType && { mover: spec.uploaderType }),
      ...sizeOf(status.progress?.totalBytes),
      ...timeOf(status.startTimestamp, status.completionTimestamp),
      ...(leftOut !== undefined && { leftOut }),
    },
  ];
}

function snapshotted(info: Json, facts: DataFacts): readonly PlannedData[] {
  const method = textOf(info["backupMethod"]);
  const [namespace, claim, volume] = ["pvcNamespace", "pvcName", "pvName"].map((key) => textOf(info[key]));
  if (namespace === undefined || claim === undefined || volume === undefined) return [];
  if (info["skipped"] === true || (method !== "NativeSnapshot" && method !== "CSISnapshot")) return [];
  const isNative = method === "NativeSnapshot";
  const verdict = isNative
    ? facts.verdict("persistentvolumes", "", volume)
    : facts.verdict("persistentvolumeclaims", namespace, claim);
  if (verdict === undefined) return [];
  const isMoved = !isNative && info["snapshotDataMoved"] === true;
  const told = recordOf(info[isMoved ? "snapshotDataMovementInfo" : "csiSnapshotInfo"]);
  const mover = isMoved ? textOf(told["uploaderType"]) : undefined;
  const leftOut =
    facts.restore.spec?.restorePVs === false
      ? "the restore brings no volumes back"
      : notMade(isNative ? "its PersistentVolume" : "its claim", verdict);
  return [
    {
      namespace: facts.target(namespace),
      name: claim || volume,
      method: isNative ? "snapshot" : isMoved ? "moved data" : "CSI snapshot",
      ...(mover && { mover }),
      ...sizeOf(told["size"]),
      // A snapshot is there at once; what took time was making it.
      ...(isMoved && timeOf(textOf(info["startTimestamp"]), textOf(info["completionTimestamp"]))),
      ...(leftOut !== undefined && { leftOut }),
    },
  ];
}

function notMade(what: string, verdict: Verdict): string | undefined {
  switch (verdict) {
    case "create":
      return undefined;
    case "unknown":
      return `whether ${what} is made is not known`;
    case "update":
    case "conflict":
      return `${what} is there already: its data is left as it is`;
    case "skip":
      return `${what} is not made anew: its data is left as it is`;
    case "refused":
      return `${what} is refused`;
  }
}

function sizeOf(bytes: unknown): { readonly bytes?: number } {
  return typeof bytes === "number" && bytes > 0 ? { bytes } : {};
}

function timeOf(
  start: string | null | undefined,
  end: string | null | undefined,
): { readonly time?: PlannedTime } {
  const ms = Date.parse(end ?? "") - Date.parse(start ?? "");
  return ms >= 0 ? { time: { seconds: ms / 1000, from: "backup" } } : {};
}
