import { mkdir, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { AppError } from "../errors.ts";
import { AzureStore } from "./azure/store.ts";
import { FilesystemStore } from "./filesystem.ts";
import { GcsStore } from "./gcs/store.ts";
import { checkKey } from "./key.ts";
import { prefixed } from "./prefixed.ts";
import { S3Store } from "./s3.ts";
import type { S3Spec } from "./s3-config.ts";
import type { Store } from "./store.ts";
import { readMounted } from "./token.ts";

/** What a BackupStorageLocation says about its store, its secrets already read. */
export interface LocationSpec extends S3Spec {
  /** One of `providers`, with or without upstream's "velero.io/" in front. */
  readonly provider: string;
  readonly prefix?: string;
}

/** Providers with a store of our own. */
const providers = ["aws", "azure", "gcp", "filesystem"] as const;

/** One of the providers with a store of our own. */
export type Provider = (typeof providers)[number];

/** The provider of this name, with or without upstream's prefix; undefined when there is no store of our own. */
export function ownProvider(name: string): Provider | undefined {
  const bare = name.replace(/^(velero\.io|headway\.dev)\//, "");
  return providers.find((one) => one === bare);
}

/** Opens the store of a location and makes nothing. Checks the spec only; `validateLocation` asks the store itself. */
export async function openStore(spec: LocationSpec): Promise<Store> {
  return prefixed(await open(spec), spec.prefix ?? "");
}

async function open(spec: LocationSpec): Promise<Store> {
  const provider = providerOf(spec);
  switch (provider) {
    case "aws":
      return new S3Store(spec);
    case "azure":
      return new AzureStore(spec);
    case "gcp":
      return new GcsStore(spec);
    case "filesystem":
      return openFolder(spec);
  }
}

/** The provider of a location; refused when it is none of ours. */
export function providerOf(spec: Pick<LocationSpec, "provider">): Provider {
  const provider = ownProvider(spec.provider);
  if (provider !== undefined) return provider;
  const known = providers.map((one) => `"${one}"`).join(", ");
  throw new AppError("STORE_CONFIG", `provider "${spec.provider}" is none of ${known}`, { retry: false });
}

/** The variables by which upstream's servers mount credentials for locations that name no Secret. */
const mounts: Readonly<Partial<Record<Provider, string>>> = {
  azure: "AZURE_CREDENTIALS_FILE",
  gcp: "GOOGLE_APPLICATION_CREDENTIALS",
};

/** The credentials for a location that names no Secret, where a file of the process has them; S3's client looks for itself. */
export async function mountedCredentials(
  provider: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  const own = ownProvider(provider);
  const variable = own === undefined ? undefined : mounts[own];
  const path = variable === undefined ? undefined : env[variable];
  return path ? await readMounted(path, `the file of ${variable}`) : undefined;
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
  if (ownProvider(spec.provider) !== "filesystem") return;
  const folder = locationFolder(spec);
  await mustBeFolder(join(folder, ".."));
  await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw new AppError("STORE_DENIED", `cannot make the folder "${folder}"`, { cause });
  });
}

/** Whether the bucket of a location is still to be made, where a bucket is a folder. */
export async function lacksBucket(spec: LocationSpec): Promise<boolean> {
  if (ownProvider(spec.provider) !== "filesystem") return false;
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
