import {
  folderPath,
  parallelFiles,
  repositoryAt,
  snapshotId,
  snapshotSource,
  tagPairs,
} from "../argument-check.ts";
import type { BackupRequest, Place, RestoreRequest, S3Place } from "../mover.ts";

/** Files of one connection. */
export interface Connection {
  readonly config: string;
  readonly cache: string;
  readonly caFile: string | undefined;
  readonly cacheBytes: number;
}

/** Flags of every command. Password and keys come through the environment. */
export function globalArgs(config: string): string[] {
  return [
    `--config-file=${config}`,
    "--no-persist-credentials",
    "--no-use-keyring",
    "--disable-file-logging",
  ];
}

/** `kopia repository connect|create`, with the identity that upstream's repositories have. */
export function repositoryArgs(verb: "connect" | "create", place: Place, connection: Connection): string[] {
  repositoryAt(place);
  const cacheMb = Math.max(100, Math.floor(connection.cacheBytes / 1_000_000));
  return [
    "repository",
    verb,
    ...(place.kind === "filesystem"
      ? ["filesystem", `--path=${place.path}`]
      : s3Args(place, connection.caFile)),
    "--override-username=default",
    "--override-hostname=default",
    `--cache-directory=${connection.cache}`,
    `--content-cache-size-limit-mb=${Math.floor(cacheMb * 0.8)}`,
    `--metadata-cache-size-limit-mb=${Math.floor(cacheMb * 0.2)}`,
    "--no-check-for-updates",
  ];
}

/** The only file that may leave something out; naming one is kopia's only way to drop its default, .kopiaignore. */
export const ignoreFile = ".headway-ignores-nothing";

/** Nothing of a volume may be left out, and no snapshot may go away by itself: the defaults do both. */
export const policyArgs: readonly string[] = [
  "policy",
  "set",
  "--global",
  "--ignore-cache-dirs=false",
  "--remove-dot-ignore=.kopiaignore",
  `--add-dot-ignore=${ignoreFile}`,
  "--keep-latest=2147483647",
];

/** `kopia snapshot create` of a folder under its lasting name. */
export function backupArgs({ path, source, tags, parallel }: BackupRequest): string[] {
  return [
    "snapshot",
    "create",
    "--json",
    "--progress-update-interval=500ms",
    "--description=Kopia Uploader",
    "--pin=velero-pin",
    `--override-source=default@default:${snapshotSource(source)}`,
    ...tagPairs(tags).map(([key, value]) => `--tags=${key}:${value}`),
    ...(parallel === undefined ? [] : [`--parallel=${parallelFiles(parallel)}`]),
    "--",
    folderPath(path),
  ];
}

/** `kopia snapshot restore` into a folder; owners that cannot be set are an error where we may set them. */
export function restoreArgs(
  { snapshotId: id, path, sparse, parallel }: RestoreRequest,
  asRoot: boolean,
): string[] {
  return [
    "snapshot",
    "restore",
    "--mode=local",
    "--progress-update-interval=500ms",
    ...(asRoot ? ["--no-ignore-permission-errors"] : []),
    ...(sparse === true ? ["--write-sparse-files"] : []),
    ...(parallel === undefined ? [] : [`--parallel=${parallelFiles(parallel)}`]),
    "--",
    snapshotId("kopia", id),
    folderPath(path),
  ];
}

/** `kopia manifest show` of one snapshot. */
export function manifestArgs(id: string): string[] {
  return ["manifest", "show", "--", snapshotId("kopia", id)];
}

/** `kopia snapshot delete` of one snapshot. */
export function forgetArgs(id: string): string[] {
  return ["snapshot", "delete", "--delete", "--", snapshotId("kopia", id)];
}

function s3Args(place: S3Place, caFile: string | undefined): string[] {
  const endpoint = place.endpoint === undefined ? undefined : new URL(place.endpoint);
  return [
    "s3",
    `--bucket=${place.bucket}`,
    ...(place.prefix === "" ? [] : [`--prefix=${place.prefix}/`]),
    ...(endpoint === undefined ? [] : [`--endpoint=${endpoint.host}`]),
    ...(place.region === undefined ? [] : [`--region=${place.region}`]),
    ...(endpoint?.protocol === "http:" ? ["--disable-tls"] : []),
    ...(place.skipVerify === true ? ["--disable-tls-verification"] : []),
    ...(caFile === undefined ? [] : [`--root-ca-pem-path=${caFile}`]),
  ];
}
