import { AppError } from "../../errors.ts";
import {
  folderPath,
  innerPath,
  parallelFiles,
  pathInSnapshot,
  repositoryAt,
  snapshotId,
  snapshotSource,
  snapshotTag,
  tagPairs,
} from "../argument-check.ts";
import type { AzurePlace, BackupRequest, Place, RestoreRequest, S3Place } from "../mover.ts";

/** A manifest: 32 hexadecimal digits. */
export const snapshotForm = /^[0-9a-f]{32}$/;

/** Files of one connection. */
export interface Connection {
  readonly config: string;
  readonly cache: string;
  readonly caFile: string | undefined;
  readonly keyFile: string | undefined;
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
    ...storageArgs(place, connection),
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

/** `kopia snapshot create` of a folder under its lasting name, or under its own path and one tag. */
export function backupArgs({ path, source, tag, tags, parallel, block }: BackupRequest): string[] {
  return [
    "snapshot",
    "create",
    "--json",
    "--progress-update-interval=500ms",
    ...(tag === undefined
      ? [
          "--description=Kopia Uploader",
          "--pin=velero-pin",
          `--override-source=default@default:${snapshotSource(source)}`,
          ...tagPairs(tags).map(([key, value]) => `--tags=${key}:${value}`),
        ]
      : [`--tags=kanister:${snapshotTag(tag)}`]),
    ...(parallel === undefined ? [] : [`--parallel=${parallelFiles(parallel)}`]),
    // A device comes through standard input: a folder that is not there, with one file, as upstream stores it.
    ...(block === true ? ["--stdin-file=device"] : []),
    "--",
    folderPath(path),
  ];
}

/** `kopia snapshot restore` into a folder; owners that cannot be set are an error where we may set them. */
export function restoreArgs(
  { snapshotId: id, path, sparse, parallel, below }: RestoreRequest,
  asRoot: boolean,
): string[] {
  const part = innerPath(below?.subPath ?? "").replace(/^\/+|\/+$/g, "");
  return [
    "snapshot",
    "restore",
    "--mode=local",
    "--progress-update-interval=500ms",
    ...(asRoot ? ["--no-ignore-permission-errors"] : []),
    ...(sparse === true ? ["--write-sparse-files"] : []),
    ...(parallel === undefined ? [] : [`--parallel=${parallelFiles(parallel)}`]),
    "--",
    part === "" ? snapshotWord(id) : `${snapshotWord(id)}/${part}`,
    folderPath(path),
  ];
}

/** `kopia snapshot list` of everybody's snapshots with one tag. */
export function findArgs(tag: string): string[] {
  return ["snapshot", "list", "--all", "--json", `--tags=kanister:${snapshotTag(tag)}`];
}

/** `kopia manifest show` of one snapshot. */
export function manifestArgs(id: string): string[] {
  return ["manifest", "show", "--", snapshotWord(id)];
}

/** `kopia show` of one object: the entries of a folder, or the bytes of a file. */
export function objectArgs(id: string): string[] {
  return ["show", "--", snapshotId("kopia", id, objectForm)];
}

/** `kopia show` of what lies below a folder's object. */
export function showArgs(root: string, path: string): string[] {
  return ["show", "--", below(root, path)];
}

/** `kopia diff` of two folders' objects. */
export function diffArgs(from: string, to: string): string[] {
  return ["diff", "--", snapshotId("kopia", from, objectForm), snapshotId("kopia", to, objectForm)];
}

/** `kopia snapshot restore` of a folder as tar, into what this process writes to. */
export function archiveArgs(id: string, path: string): string[] {
  const what = path === "/" ? snapshotWord(id) : `${snapshotWord(id)}${pathInSnapshot(path)}`;
  return ["snapshot", "restore", "--mode=tar", "--", what, "/dev/stdout"];
}

function below(root: string, path: string): string {
  const object = snapshotId("kopia", root, objectForm);
  return path === "/" ? object : `${object}${pathInSnapshot(path)}`;
}

/** An object: the hash of a content, or of a list of them, with a letter for its kind. */
const objectForm = /^[A-Za-z]{0,4}[0-9a-f]{8,128}$/;

/** `kopia snapshot delete` of one snapshot. */
export function forgetArgs(id: string): string[] {
  return ["snapshot", "delete", "--delete", "--", snapshotWord(id)];
}

/** What kopia calls the keys of a place, besides what every mover calls the same. It takes no authority but for S3. */
export function placeVariables(place: Place, caFile: string | undefined): Record<string, string> {
  if (place.kind !== "azure" && place.kind !== "gcs") return {};
  const trust = caFile === undefined ? {} : { SSL_CERT_FILE: caFile };
  if (place.kind === "gcs") return trust;
  const { access } = place;
  return {
    ...trust,
    ...(access.by === "key" && { AZURE_STORAGE_KEY: access.key }),
    ...(access.by === "certificate" && { AZURE_CLIENT_CERTIFICATE: access.pem }),
  };
}

function storageArgs(place: Place, { caFile, keyFile }: Connection): string[] {
  switch (place.kind) {
    case "filesystem":
      return ["filesystem", `--path=${place.path}`];
    case "s3":
      return s3Args(place, caFile);
    case "azure":
      return azureArgs(place);
    case "gcs":
      return [
        "gcs",
        `--bucket=${place.bucket}`,
        ...prefixArgs(place.prefix),
        ...(keyFile === undefined ? [] : [`--credentials-file=${keyFile}`]),
      ];
  }
}

function azureArgs({ container, prefix, account, domain, access }: AzurePlace): string[] {
  if (access.by === "managed") {
    const what =
      "kopia knows no managed identity of Azure; use an account key, a client secret or workload identity";
    throw new AppError("MOVER_ARGUMENT", what, { retry: false });
  }
  return [
    "azure",
    `--container=${container}`,
    ...prefixArgs(prefix),
    `--storage-account=${account}`,
    `--storage-domain=${domain}`,
  ];
}

/** Kopia puts the names of its objects right behind the prefix. */
function prefixArgs(prefix: string): string[] {
  return prefix === "" ? [] : [`--prefix=${prefix}/`];
}

function s3Args(place: S3Place, caFile: string | undefined): string[] {
  const endpoint = place.endpoint === undefined ? undefined : new URL(place.endpoint);
  return [
    "s3",
    `--bucket=${place.bucket}`,
    ...prefixArgs(place.prefix),
    ...(endpoint === undefined ? [] : [`--endpoint=${endpoint.host}`]),
    ...(place.region === undefined ? [] : [`--region=${place.region}`]),
    ...(endpoint?.protocol === "http:" ? ["--disable-tls"] : []),
    ...(place.skipVerify === true ? ["--disable-tls-verification"] : []),
    ...(caFile === undefined ? [] : [`--root-ca-pem-path=${caFile}`]),
  ];
}

function snapshotWord(id: string): string {
  return snapshotId("kopia", id, snapshotForm);
}
