import { AppError } from "../../errors.ts";
import {
  folderPath,
  innerPath,
  measureMode,
  parallelFiles,
  pathInSnapshot,
  repositoryAt,
  snapshotId,
  snapshotTag,
  tagPairs,
} from "../argument-check.ts";
import type { BackupRequest, Place, RestoreRequest } from "../mover.ts";

/** 64 hexadecimal digits, or the first of them. */
export const snapshotForm = /^[0-9a-f]{8,64}$/;

/** Where restic finds the repository: a folder, s3:<address>/<bucket>/<prefix>, azure:<container>:/<prefix> or gs:<bucket>:/<prefix>. */
export function repositoryUrl(place: Place): string {
  repositoryAt(place);
  if (place.kind === "filesystem") return place.path;
  if (place.kind === "azure") return `azure:${place.container}:/${place.prefix}`;
  if (place.kind === "gcs") return `gs:${place.bucket}:/${place.prefix}`;
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

/** What restic calls the keys of a place, besides what every mover calls the same. */
export function placeVariables(place: Place, keyFile: string | undefined): Record<string, string> {
  if (place.kind === "gcs" && keyFile !== undefined) return { GOOGLE_APPLICATION_CREDENTIALS: keyFile };
  if (place.kind !== "azure") return {};
  const { account, domain, access } = place;
  return {
    AZURE_ACCOUNT_NAME: account,
    AZURE_ENDPOINT_SUFFIX: endpointSuffix(domain),
    ...(access.by === "key" && { AZURE_ACCOUNT_KEY: access.key }),
    ...(access.by === "certificate" && keyFile !== undefined && { AZURE_CLIENT_CERTIFICATE_PATH: keyFile }),
  };
}

/** Restic puts "blob." between the account and what it is given. */
function endpointSuffix(domain: string): string {
  if (domain.startsWith("blob.")) return domain.slice("blob.".length);
  const what = `restic reaches blobs only at https://<account>.blob.<domain>, not at "${domain}"`;
  throw new AppError("MOVER_ARGUMENT", what, { retry: false });
}

/**
 * `restic backup` of the working directory, as upstream calls it, or of the path itself under one tag; before 0.15 restic reads
 * as it likes. One host for all: what lies in pods that come and go is compared with the copy before.
 */
export function backupArgs(
  { path, tag, tags, parent, parallel }: BackupRequest,
  takesParallel: boolean,
): string[] {
  return [
    "backup",
    ...(tag === undefined
      ? tagPairs(tags).map(([key, value]) => `--tag=${key}=${value}`)
      : [`--tag=${snapshotTag(tag)}`]),
    `--host=${tag === undefined ? "velero" : "headway"}`,
    "--json",
    ...(parent === undefined ? [] : [`--parent=${snapshotWord(parent)}`]),
    ...(parallel === undefined || !takesParallel ? [] : [`--read-concurrency=${parallelFiles(parallel)}`]),
    "--",
    tag === undefined ? "." : folderPath(path),
  ];
}

/** What a version of restic can do in a restore: speak JSON (0.17), write holes (0.15). */
export interface RestoreSkills {
  readonly speaks: boolean;
  readonly sparse: boolean;
}

/** `restic restore` into the working directory. */
export function restoreArgs({ snapshotId: id, sparse, below }: RestoreRequest, can: RestoreSkills): string[] {
  const part = innerPath(below?.subPath ?? "").replace(/\/+$/, "");
  return [
    "restore",
    "--target=.",
    ...(sparse === true && can.sparse ? ["--sparse"] : []),
    ...(can.speaks ? ["--json"] : []),
    "--",
    part === "" ? snapshotWord(id) : `${snapshotWord(id)}:${part}`,
  ];
}

/** `restic stats` of one snapshot. */
export function statsArgs(id: string, mode?: string): string[] {
  const way = mode === undefined ? [] : [`--mode=${measureMode(mode)}`];
  return ["stats", "--json", ...way, "--", snapshotWord(id)];
}

/** `restic snapshots` with one tag. */
export function findArgs(tag: string): string[] {
  return ["snapshots", "--json", `--tag=${snapshotTag(tag)}`];
}

/** `restic forget` of one snapshot. */
export function forgetArgs(id: string): string[] {
  return ["forget", "--", snapshotWord(id)];
}

/** `restic cat tree`: the entries of a folder as they are stored, since 0.16. */
export function treeArgs(id: string, path: string): string[] {
  return ["cat", "tree", "--no-lock", "--", `${snapshotWord(id)}:${pathInSnapshot(path)}`];
}

/** `restic ls` of a folder and what is directly in it. */
export function lsArgs(id: string, path: string): string[] {
  return ["ls", "--no-lock", "--json", "--", snapshotWord(id), pathInSnapshot(path)];
}

/** `restic dump` of a file. Without `--quiet` old versions say in the middle of it that they read the password. */
export function dumpArgs(id: string, path: string): string[] {
  return ["dump", "--no-lock", "--quiet", "--", snapshotWord(id), pathInSnapshot(path)];
}

/** `restic dump` of a folder as tar, with names that begin below it (since 0.16). */
export function archiveArgs(id: string, path: string): string[] {
  const what = path === "/" ? snapshotWord(id) : `${snapshotWord(id)}:${pathInSnapshot(path)}`;
  return ["dump", "--no-lock", "--quiet", "--archive=tar", "--", what, "/"];
}

/** `restic diff` of two snapshots. */
export function diffArgs(from: string, to: string): string[] {
  return ["diff", "--no-lock", "--json", "--", snapshotWord(from), snapshotWord(to)];
}

function snapshotWord(id: string): string {
  return snapshotId("restic", id, snapshotForm);
}
