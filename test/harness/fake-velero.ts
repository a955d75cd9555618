import {
  type Backup,
  cancelAnnotation,
  formatTime,
  type KubeObject,
  kinds,
  type PodVolumeBackup,
  type Restore,
  veleroNames,
} from "../../src/api/index.ts";
import { type Client, isAlreadyExists, isNotFound, type Resource, resourceOf } from "../../src/kube/index.ts";

const backups = resourceOf(kinds.Backup);
const restores = resourceOf(kinds.Restore);
const locations = resourceOf(kinds.BackupStorageLocation);
const requests = resourceOf(kinds.DeleteBackupRequest);
const copies = resourceOf(kinds.PodVolumeBackup);
const returns = resourceOf(kinds.PodVolumeRestore);
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

/** What lies in the store: finished backups by name, with the claims that they hold and the copies of their files. */
export type Bucket = Map<
  string,
  {
    readonly backup: Backup;
    readonly claims: readonly KubeObject[];
    readonly copies: readonly PodVolumeBackup[];
  }
>;

/** What becomes of the copy of a volume, or of what is brought back of it: not made at all, or made and failed. */
export type Loss = "none" | "failed";

interface Options {
  readonly client: Client;
  readonly namespace: string;
  readonly bucket: Bucket;
  /** Names of the namespaces whose stage pods are said to run. */
  readonly watched: ReadonlySet<string>;
  /** Backups that fail, by name. */
  readonly fails?: ((backup: string) => boolean) | undefined;
  /** Volumes that get lost, by the kind and the name of what copies them or brings them back. */
  readonly loses?: ((kind: "Backup" | "Restore", run: string) => Loss | undefined) | undefined;
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

async function work(options: Options, backup: Backup, signal: AbortSignal): Promise<void> {
  const { client, bucket, fails } = options;
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
  let made: readonly PodVolumeBackup[] = [];
  if (isStage) {
    const [pair] = Object.entries(backup.spec?.labelSelector?.matchLabels ?? {});
    for (const space of backup.spec?.includedNamespaces ?? []) {
      const query = { namespace: space, labelSelector: pair?.join("=") };
      held.push(...(await client.list(claims, query, signal)));
    }
    made = await copyVolumes(options, backup, held, signal);
  }
  const isWhole = made.length === held.length && made.every(({ status }) => status?.phase === "Completed");
  const over = {
    phase: isWhole ? "Completed" : "PartiallyFailed",
    completionTimestamp: now,
    progress: { totalItems: 6, itemsBackedUp: 6 },
  };
  const whole = { ...backup, status: { ...backup.status, ...over } } as Backup; // one phase later
  bucket.set(metadata.name, { backup: whole, claims: held, copies: made });
  await say(client, backups, metadata, over, signal);
}

async function copyVolumes(
  { client, namespace, loses }: Options,
  { metadata }: Backup,
  held: readonly KubeObject[],
  signal: AbortSignal,
): Promise<readonly PodVolumeBackup[]> {
  const made: PodVolumeBackup[] = [];
  for (const claim of held) {
    const loss = loses?.("Backup", metadata.name);
    const holder = await holderOf(client, claim, signal);
    if (loss === "none" || !holder) continue;
    const copy: PodVolumeBackup = {
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
        volume: holder.volume,
        pod: { kind: "Pod", namespace: claim.metadata.namespace ?? "", name: holder.pod },
        backupStorageLocation: "shared",
        repoIdentifier: "r",
        tags: {},
      },
      status:
        loss === "failed"
          ? { phase: "Failed", message: "the disk is broken" }
          : { phase: "Completed", snapshotID: "s", progress: { totalBytes: 100, bytesDone: 100 } },
    };
    await client.create(copies, copy, {}, signal).catch(ignoreThere);
    made.push(copy);
  }
  return made;
}

type Holder = KubeObject & {
  readonly spec?: {
    readonly volumes?: readonly {
      readonly name: string;
      readonly persistentVolumeClaim?: { readonly claimName: string };
    }[];
  };
};

/** The stage pod that holds a claim, and what the pod calls it. */
async function holderOf(client: Client, { metadata }: KubeObject, signal: AbortSignal) {
  const labelSelector = "migration.openshift.io/is-stage-pod";
  const found = await client.list<Holder>(pods, { namespace: metadata.namespace, labelSelector }, signal);
  return found
    .flatMap((pod) =>
      (pod.spec?.volumes ?? [])
        .filter((volume) => volume.persistentVolumeClaim?.claimName === metadata.name)
        .map((volume) => ({ pod: pod.metadata.name, volume: volume.name })),
    )
    .at(0);
}

/** Brings back the files of a stored backup's volumes; whether all of them came. */
async function returnVolumes(
  { client, namespace, loses }: Options,
  { metadata, spec }: Restore,
  stored: readonly PodVolumeBackup[],
  signal: AbortSignal,
): Promise<boolean> {
  let isWhole = true;
  for (const copy of stored) {
    if (copy.status?.phase !== "Completed") continue;
    const claim = copy.metadata.annotations?.[veleroNames.pvcName] ?? "";
    const loss = loses?.("Restore", metadata.name);
    isWhole &&= loss === undefined;
    if (loss === "none") continue;
    const space = copy.spec?.pod.namespace ?? "";
    const back = {
      apiVersion: "velero.io/v1",
      kind: "PodVolumeRestore",
      metadata: {
        name: `${metadata.name}-${claim}`,
        namespace,
        labels: { [veleroNames.restoreName]: metadata.name },
      },
      spec: {
        volume: copy.spec?.volume,
        pod: { ...copy.spec?.pod, namespace: spec?.namespaceMapping?.[space] ?? space },
        backupStorageLocation: "shared",
        repoIdentifier: "r",
        snapshotID: "s",
        sourceNamespace: space,
      },
      status:
        loss === "failed"
          ? { phase: "Failed", message: "the disk is full" }
          : { phase: "Completed", progress: { totalBytes: 100, bytesDone: 100 } },
    };
    await client.create(returns, back, {}, signal).catch(ignoreThere);
  }
  return isWhole;
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
  const isWhole = await returnVolumes(options, restore, stored.copies, signal);
  const over = {
    phase: isWhole ? "Completed" : "PartiallyFailed",
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
