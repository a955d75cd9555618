import { mkdir, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { AppError } from "../errors.ts";
import { FilesystemStore } from "./filesystem.ts";
import { checkKey } from "./key.ts";
import { prefixed } from "./prefixed.ts";
import { S3Store } from "./s3.ts";
import type { S3Spec } from "./s3-config.ts";
import type { Store } from "./store.ts";

/** What a BackupStorageLocation says about its store, its secrets already read. */
export interface LocationSpec extends S3Spec {
  /** `aws` or `filesystem`, with or without upstream's "velero.io/" in front. */
  readonly provider: string;
  readonly prefix?: string;
}

/** Opens the store of a location and makes nothing. Checks the spec only; `validateLocation` asks the store itself. */
export async function openStore(spec: LocationSpec): Promise<Store> {
  const provider = bareProvider(spec);
  if (provider === "aws") return prefixed(new S3Store(spec), spec.prefix ?? "");
  if (provider === "filesystem") return prefixed(await openFolder(spec), spec.prefix ?? "");
  const known = 'neither "aws" nor "filesystem"';
  throw new AppError("STORE_CONFIG", `provider "${spec.provider}" is ${known}`, { retry: false });
}

/** The folder of a location of provider `filesystem`: the bucket is a folder below config.path. */
export function locationFolder(spec: Pick<LocationSpec, "bucket" | "config">): string {
  const { path } = spec.config;
  if (path === undefined || !isAbsolute(path)) {
    const found = path === undefined ? "is missing" : `"${path}" is not absolute`;
    throw new AppError("STORE_CONFIG", `config key "path" of provider filesystem ${found}`, { retry: false });
  }
  const unknown = Object.keys(spec.config).filter((key) => key !== "path");
  if (unknown.length > 0) {
    const what = `unknown config key "${unknown[0]}" of provider filesystem`;
    throw new AppError("STORE_CONFIG", what, { retry: false });
  }
  if (checkKey(spec.bucket).includes("/")) {
    throw new AppError("STORE_CONFIG", `the bucket "${spec.bucket}" has a "/"`, { retry: false });
  }
  return join(path, spec.bucket);
}

/** Makes the bucket of a location that is used for the first time, where a bucket is a folder; the path above it must be there. */
export async function makeBucket(spec: LocationSpec): Promise<void> {
  if (bareProvider(spec) !== "filesystem") return;
  const folder = locationFolder(spec);
  await mustBeFolder(join(folder, ".."));
  await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw new AppError("STORE_DENIED", `cannot make the folder "${folder}"`, { cause });
  });
}

/** Whether the bucket of a location is still to be made, where a bucket is a folder. */
export async function lacksBucket(spec: LocationSpec): Promise<boolean> {
  if (bareProvider(spec) !== "filesystem") return false;
  const folder = locationFolder(spec);
  await mustBeFolder(join(folder, ".."));
  return stat(folder).then(
    () => false,
    (error: unknown) => error instanceof Error && "code" in error && error.code === "ENOENT",
  );
}

/** The bucket must be there: a volume that is not mounted must not be taken for an empty location. */
async function openFolder(spec: LocationSpec): Promise<Store> {
  const folder = locationFolder(spec);
  await mustBeFolder(join(folder, ".."));
  await mustBeFolder(folder);
  return new FilesystemStore(folder);
}

async function mustBeFolder(path: string): Promise<void> {
  const facts = await stat(path).catch((cause: unknown) => {
    const what = `cannot open the folder "${path}": it is not there; is its volume mounted?`;
    throw new AppError("STORE_MISSING", what, { cause });
  });
  if (!facts.isDirectory()) throw new AppError("STORE_CONFIG", `"${path}" is not a folder`);
}

function bareProvider({ provider }: LocationSpec): string {
  return provider.replace(/^(velero\.io|headway\.dev)\//, "");
}
