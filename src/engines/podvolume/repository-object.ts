import { apiVersionOf, type BackupRepository, kinds, type NewObject, veleroNames } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Client, type Clock, isAlreadyExists, labelValue, sleep } from "../../kube/index.ts";
import type { Repository } from "../../movers/index.ts";
import { defaultFrequency } from "./maintenance.ts";
import { uploaderOf } from "./objects.ts";
import { type RepositoryKey, readRepository } from "./repository.ts";
import { cacheBytesOf } from "./repository-settings.ts";
import { resources } from "./resources.ts";

/** The object of a repository; made when there is none. */
export async function obtainRepository(
  client: Pick<Client, "list" | "create" | "get">,
  namespace: string,
  key: RepositoryKey,
  signal: AbortSignal,
): Promise<BackupRepository> {
  return (await find(client, namespace, key, signal)) ?? (await create(client, namespace, key, signal));
}

/** Waits until the operator has opened a repository, whose object is made when there is none; throws what it says when it cannot. */
export async function awaitRepository(
  {
    client,
    namespace,
    clock,
  }: { readonly client: Client; readonly namespace: string; readonly clock: Clock },
  key: RepositoryKey,
  limitMs: number,
  signal: AbortSignal,
  onWait: (message: string) => void,
): Promise<void> {
  const until = clock.now() + limitMs;
  for (let pauseMs = 250; ; pauseMs = Math.min(5_000, pauseMs * 2)) {
    const { status } = await obtainRepository(client, namespace, key, signal);
    if (status?.phase === "Ready") return;
    const said = status?.message ? `: ${status.message}` : "";
    if (clock.now() >= until) {
      throw new AppError("REPOSITORY_NOT_READY", `the repository of ${titleOf(key)} cannot be used${said}`);
    }
    onWait(`the repository of ${titleOf(key)} to be ready${said}`);
    await sleep(clock, pauseMs, signal);
  }
}

/** The repository of a copy, with what its object says about its caches. Without an object there is nothing to say. */
export async function openedRepository(
  client: Pick<Client, "get" | "list">,
  namespace: string,
  key: RepositoryKey,
  signal: AbortSignal,
): Promise<Repository> {
  const [found, object] = await Promise.all([
    readRepository(client, namespace, key, signal),
    find(client, namespace, key, signal),
  ]);
  const cacheBytes = object && cacheBytesOf(object);
  return { ...found, ...(cacheBytes !== undefined && { cacheBytes }) };
}

/** The repository that an object stands for. */
export function keyOf({ spec }: BackupRepository): RepositoryKey {
  return {
    volumeNamespace: spec?.volumeNamespace ?? "",
    location: spec?.backupStorageLocation ?? "",
    type: uploaderOf({ uploaderType: spec?.repositoryType ?? "" }),
  };
}

/** A repository, for messages. */
export function titleOf({ volumeNamespace, location, type }: RepositoryKey): string {
  return `namespace "${volumeNamespace}" in location "${location}" (${type})`;
}

async function find(
  client: Pick<Client, "list">,
  namespace: string,
  key: RepositoryKey,
  signal: AbortSignal,
): Promise<BackupRepository | undefined> {
  const labelSelector = Object.entries(labelsOf(key))
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
  const found = await client.list<BackupRepository>(
    resources.repositories,
    { namespace, labelSelector },
    signal,
  );
  if (found.length > 1) {
    const names = found.map(({ metadata }) => metadata.name).join(", ");
    const what = `more than one BackupRepository is for ${titleOf(key)}: ${names}`;
    throw new AppError("REPOSITORY_NOT_READY", what);
  }
  return found[0];
}

async function create(
  client: Pick<Client, "create" | "get">,
  namespace: string,
  key: RepositoryKey,
  signal: AbortSignal,
): Promise<BackupRepository> {
  const object = newRepository(namespace, key);
  try {
    return await client.create<BackupRepository>(resources.repositories, object, {}, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return client.get<BackupRepository>(
      resources.repositories,
      object.metadata.name ?? "",
      { namespace },
      signal,
    );
  }
}

function newRepository(namespace: string, key: RepositoryKey): NewObject<BackupRepository> {
  return {
    apiVersion: apiVersionOf(kinds.BackupRepository),
    kind: "BackupRepository",
    metadata: {
      name: `${key.volumeNamespace}-${key.location}-${key.type}`,
      namespace,
      labels: labelsOf(key),
    },
    spec: {
      volumeNamespace: key.volumeNamespace,
      backupStorageLocation: key.location,
      repositoryType: key.type,
      maintenanceFrequency: defaultFrequency(key.type),
    },
  };
}

function labelsOf({ volumeNamespace, location, type }: RepositoryKey): Record<string, string> {
  return {
    [veleroNames.volumeNamespace]: labelValue(volumeNamespace),
    [veleroNames.storageLocation]: labelValue(location),
    [veleroNames.repositoryType]: type,
  };
}
