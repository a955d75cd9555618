import { parallelFiles, repositoryAt, snapshotId, tagPairs } from "../argument-check.ts";
import type { BackupRequest, Place, RestoreRequest } from "../mover.ts";

/** Where restic finds the repository: a folder, or s3:<address>/<bucket>/<prefix>. */
export function repositoryUrl(place: Place): string {
  repositoryAt(place);
  if (place.kind === "filesystem") return place.path;
  const host = place.endpoint ?? `s3-${place.region ?? "us-east-1"}.amazonaws.com`;
  return `s3:${host}/${[place.bucket, place.prefix].filter((part) => part !== "").join("/")}`;
}

/** Flags of every command. The password comes through standard input, the keys through the environment. */
export function globalArgs(place: Place, cacheDir: string, caFile: string | undefined): string[] {
  return [
    `--repo=${repositoryUrl(place)}`,
    `--cache-dir=${cacheDir}`,
    ...(caFile === undefined ? [] : [`--cacert=${caFile}`]),
    ...(place.kind === "s3" && place.skipVerify === true ? ["--insecure-tls"] : []),
  ];
}

/** `restic backup` of the working directory, as upstream calls it; before 0.15 restic reads as it likes. */
export function backupArgs({ tags, parent, parallel }: BackupRequest, takesParallel: boolean): string[] {
  return [
    "backup",
    ...tagPairs(tags).map(([key, value]) => `--tag=${key}=${value}`),
    "--host=velero",
    "--json",
    ...(parent === undefined ? [] : [`--parent=${snapshotId("restic", parent)}`]),
    ...(parallel === undefined || !takesParallel ? [] : [`--read-concurrency=${parallelFiles(parallel)}`]),
    "--",
    ".",
  ];
}

/** What a version of restic can do in a restore: speak JSON (0.17), write holes (0.15). */
export interface RestoreSkills {
  readonly speaks: boolean;
  readonly sparse: boolean;
}

/** `restic restore` into the working directory. */
export function restoreArgs({ snapshotId: id, sparse }: RestoreRequest, can: RestoreSkills): string[] {
  return [
    "restore",
    "--target=.",
    ...(sparse === true && can.sparse ? ["--sparse"] : []),
    ...(can.speaks ? ["--json"] : []),
    "--",
    snapshotId("restic", id),
  ];
}

/** `restic stats` of one snapshot. */
export function statsArgs(id: string): string[] {
  return ["stats", "--json", "--", snapshotId("restic", id)];
}

/** `restic forget` of one snapshot. */
export function forgetArgs(id: string): string[] {
  return ["forget", "--", snapshotId("restic", id)];
}

/** Whether a version is at least this one; what cannot be read counts as old. */
export function atLeast(version: string, major: number, minor: number): boolean {
  const [a = 0, b = 0] = version.split(".").map(Number);
  return a > major || (a === major && b >= minor);
}
