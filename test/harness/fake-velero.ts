import {
  type Backup,
  cancelAnnotation,
  formatTime,
  type KubeObject,
  kinds,
  type Restore,
  veleroNames,
} from "../../src/api/index.ts";
import { type Client, isAlreadyExists, isNotFound, type Resource, resourceOf } from "../../src/kube/index.ts";

const backups = resourceOf(kinds.Backup);
const restores = resourceOf(kinds.Restore);
const locations = resourceOf(kinds.BackupStorageLocation);
const requests = resourceOf(kinds.DeleteBackupRequest);
const copies = resourceOf(kinds.PodVolumeBackup);
const core = (plural: string, kind: string): Resource => ({
  group: "",
  version: "v1",
  plural,
  kind,
  namespaced: true,
});
const pods = core("pods", "Pod");
const claims = core("persistentvolumeclaims", "PersistentVolumeClaim");
const configMaps = core("configmaps", "ConfigMap");

/** What lies in the store: finished backups by name, with the claims that they hold. */
export type Bucket = Map<string, { readonly backup: Backup; readonly claims: readonly KubeObject[] }>;

interface Options {
  readonly client: Client;
  readonly namespace: string;
  readonly bucket: Bucket;
  /** Names of the namespaces whose stage pods are said to run. */
  readonly watched: ReadonlySet<string>;
  /** Backups that fail, by name. */
  readonly fails?: ((backup: string) => boolean) | undefined;
}

/**
 * A backup server of a few lines that keeps to the custom resources, as any server does: it lets a test walk through a
 * migration without movers, pods or nodes. A restore makes the claims of its backup, or one ConfigMap.
 */
export async function fakeVelero(options: Options, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await turn(options, signal);
      await new Promise((resolve) => setTimeout(resolve, 25));
    } catch (error) {
      if (!signal.aborted && !isNotFound(error)) throw error;
    }
  }
}

async function turn(options: Options, signal: AbortSignal): Promise<void> {
  const { client, namespace, bucket } = options;
  for (const { metadata, status } of await client.list<KubeObject & { status?: { phase?: string } }>(
    locations,
    { namespace },
    signal,
  )) {
    if (status?.phase !== "Available") await say(client, locations, metadata, { phase: "Available" }, signal);
  }
  await deletions(options, signal);
  const known = await client.list<Backup>(backups, { namespace }, signal);
  for (const backup of known) await work(options, backup, signal);
  for (const [name, { backup }] of bucket) {
    if (known.some(({ metadata }) => metadata.name === name)) continue;
    const { labels = {}, annotations = {} } = backup.metadata;
    const copy = { ...backup, metadata: { name, namespace, labels, annotations } };
    await client.create(backups, copy, {}, signal).catch(ignoreThere);
  }
  for (const restore of await client.list<Restore>(restores, { namespace }, signal)) {
    await restoreOne(options, restore, signal);
  }
  await runPods(options, signal);
}

async function work(
  { client, namespace, bucket, fails }: Options,
  backup: Backup,
  signal: AbortSignal,
): Promise<void> {
  const { phase } = backup.status ?? {};
  const { metadata } = backup;
  const now = formatTime(Date.now());
  if (phase === undefined) {
    const begun = { phase: "InProgress", startTimestamp: now, progress: { totalItems: 6, itemsBackedUp: 3 } };
    return say(client, backups, metadata, begun, signal);
  }
  if (phase !== "InProgress") return;
  if (metadata.annotations?.[cancelAnnotation]) {
    return say(client, backups, metadata, { phase: "Failed", failureReason: "canceled by request" }, signal);
  }
  if (fails?.(metadata.name)) {
    return say(client, backups, metadata, { phase: "Failed", failureReason: "as the test wants" }, signal);
  }
  const isStage = backup.spec?.labelSelector !== undefined;
  const held: KubeObject[] = [];
  if (isStage) {
    const [pair] = Object.entries(backup.spec?.labelSelector?.matchLabels ?? {});
    for (const space of backup.spec?.includedNamespaces ?? []) {
      const query = { namespace: space, labelSelector: pair?.join("=") };
      held.push(...(await client.list(claims, query, signal)));
    }
    await copyVolumes(client, namespace, backup, held, signal);
  }
  const over = {
    phase: "Completed",
    completionTimestamp: now,
    progress: { totalItems: 6, itemsBackedUp: 6 },
  };
  const whole = { ...backup, status: { ...backup.status, ...over } } as Backup; // one phase later
  bucket.set(metadata.name, { backup: whole, claims: held });
  await say(client, backups, metadata, over, signal);
}

async function copyVolumes(
  client: Client,
  namespace: string,
  { metadata }: Backup,
  held: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  for (const claim of held) {
    const copy = {
      apiVersion: "velero.io/v1",
      kind: "PodVolumeBackup",
      metadata: {
        name: `${metadata.name}-${claim.metadata.name}`,
        namespace,
        labels: { [veleroNames.backupName]: metadata.name },
        annotations: { [veleroNames.pvcName]: claim.metadata.name },
      },
      spec: {
        node: "n",
        volume: "data",
        pod: { kind: "Pod", namespace: claim.metadata.namespace, name: "stage" },
        backupStorageLocation: "shared",
        repoIdentifier: "r",
        tags: {},
      },
      status: { phase: "Completed", progress: { totalBytes: 100, bytesDone: 100 } },
    };
    await client.create(copies, copy, {}, signal).catch(ignoreThere);
  }
}

async function restoreOne(options: Options, restore: Restore, signal: AbortSignal): Promise<void> {
  const { client, bucket } = options;
  const { metadata, status, spec } = restore;
  if (status?.phase === undefined) {
    return say(
      client,
      restores,
      metadata,
      { phase: "InProgress", startTimestamp: formatTime(Date.now()) },
      signal,
    );
  }
  if (status.phase !== "InProgress") return;
  if (metadata.annotations?.[cancelAnnotation]) {
    return say(client, restores, metadata, { phase: "Failed", failureReason: "canceled by request" }, signal);
  }
  const stored = bucket.get(spec?.backupName ?? "");
  if (!stored)
    return say(client, restores, metadata, { phase: "Failed", failureReason: "no backup" }, signal);
  const mark = { [veleroNames.restoreName]: metadata.name };
  const target = (space: string) => spec?.namespaceMapping?.[space] ?? space;
  for (const claim of stored.claims) {
    const { name, labels, namespace = "" } = claim.metadata;
    const copy = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name, namespace: target(namespace), labels: { ...labels, ...mark } },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "",
        resources: { requests: { storage: "1Mi" } },
      },
    };
    await client.create(claims, copy, {}, signal).catch(ignoreThere);
  }
  for (const space of stored.claims.length > 0 ? [] : (stored.backup.spec?.includedNamespaces ?? [])) {
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "restored", namespace: target(space), labels: mark },
    };
    await client.create(configMaps, object, {}, signal).catch(ignoreThere);
  }
  const over = {
    phase: "Completed",
    completionTimestamp: formatTime(Date.now()),
    progress: { totalItems: 2, itemsRestored: 2 },
  };
  await say(client, restores, metadata, over, signal);
}

async function deletions({ client, namespace, bucket }: Options, signal: AbortSignal): Promise<void> {
  for (const request of await client.list<
    KubeObject & { spec?: { backupName: string }; status?: { phase?: string } }
  >(requests, { namespace }, signal)) {
    if (request.status?.phase === "Processed") continue;
    const name = request.spec?.backupName ?? "";
    bucket.delete(name);
    await client.deleteAll(
      copies,
      { namespace, labelSelector: `${veleroNames.backupName}=${name}` },
      {},
      signal,
    );
    await client.delete(backups, name, { namespace }, signal).catch(ignoreGone);
    await say(client, requests, request.metadata, { phase: "Processed" }, signal);
  }
}

/** Stage pods run as soon as somebody looks. */
async function runPods({ client, watched }: Options, signal: AbortSignal): Promise<void> {
  for (const namespace of watched) {
    const labelSelector = "migration.openshift.io/is-stage-pod";
    const found = await client
      .list<KubeObject & { status?: { phase?: string } }>(pods, { namespace, labelSelector }, signal)
      .catch(ignoreGone);
    for (const { metadata, status } of found ?? []) {
      if (status?.phase === "Running") continue;
      const body = { status: { phase: "Running" } };
      await client
        .patch(pods, metadata.name, { type: "merge", body }, { namespace, subresource: "status" }, signal)
        .catch(ignoreGone);
    }
  }
}

async function say(
  client: Client,
  resource: Resource,
  { name, namespace }: { readonly name: string; readonly namespace?: string },
  status: object,
  signal: AbortSignal,
): Promise<void> {
  await client
    .patch(resource, name, { type: "merge", body: { status } }, { namespace }, signal)
    .catch(ignoreGone);
}

function ignoreThere(error: unknown): undefined {
  // A namespace that is being deleted takes nothing new, either.
  if (!isAlreadyExists(error) && !isNotFound(error) && !/terminat/.test(String(error))) throw error;
}

function ignoreGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
