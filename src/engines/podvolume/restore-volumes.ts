import {
  type KubeObject,
  kinds,
  type PodVolumeBackup,
  type PodVolumeRestore,
  parseGoDurationMs,
  type Restore,
  veleroNames,
  veleroPhaseOf,
} from "../../api/index.ts";
import { isNotFound } from "../../kube/index.ts";
import { agentLives } from "./agent-lease.ts";
import type { PodVolumeDeps } from "./backup-volumes.ts";
import { Copies } from "./copies.ts";
import { newPodVolumeRestore, uploaderOf } from "./objects.ts";
import type { PodObject } from "./pod.ts";
import { Repositories } from "./repositories.ts";
import { resources } from "./resources.ts";
import { waitSettings, withRestoreWait } from "./restore-wait.ts";

/** What restoring volumes needs. */
export interface RestoreVolumeDeps extends PodVolumeDeps {
  /** The image of the container that holds pods back; it needs a shell. */
  readonly helperImage: string;
  readonly helperPullPolicy?: string | undefined;
}

/** A pod on its way into the cluster, and the volume backups that belong to it. */
interface PodToRestore<P> {
  readonly restore: Restore;
  readonly pod: P;
  readonly sourceNamespace: string;
  readonly backups: readonly PodVolumeBackup[];
}

/** An object as an archive holds it. */
interface StoredPod {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** How one volume ended. */
interface VolumeEnd {
  readonly namespace: string;
  readonly pod: string;
  readonly volume: string;
  readonly error?: string;
}

/** Sources that are made anew with each pod; a snapshot of them is not wanted back. */
const madeAnew = ["projected", "downwardAPI"];

/** Brings pod volumes back: holds each pod, starts a restore a volume, waits for all of a Restore's. */
export class RestoreVolumes {
  readonly #deps: RestoreVolumeDeps;
  readonly #repositories: Repositories;

  constructor(deps: RestoreVolumeDeps, repositories = new Repositories(deps)) {
    this.#deps = deps;
    this.#repositories = repositories;
  }

  /** The pod with the container that waits for its volumes. */
  prepare<P extends StoredPod>(whole: PodToRestore<P>, signal: AbortSignal): Promise<P> {
    return heldBack(this.#deps, whole, signal);
  }

  /** Starts the restores of a pod that was just created, unless an earlier run did. */
  async start<P extends StoredPod>(
    whole: PodToRestore<P>,
    podUid: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, namespace } = this.#deps;
    const { restore, sourceNamespace } = whole;
    const { name, namespace: podNamespace = "" } = whole.pod.metadata;
    const wanted = volumesOf(whole);
    if (wanted.length === 0) return;
    const labelSelector = `${veleroNames.restoreUid}=${restore.metadata.uid},${veleroNames.podUid}=${podUid}`;
    const query = { namespace, labelSelector };
    const there = await client.list<PodVolumeRestore>(resources.podVolumeRestores, query, signal);
    for (const backup of wanted) {
      if (there.some(({ spec }) => spec?.volume === backup.spec?.volume)) continue;
      const location = backup.spec?.backupStorageLocation ?? "";
      const key = { volumeNamespace: sourceNamespace, location, type: uploaderOf(backup.spec) };
      await this.#repositories.ensure(key, signal);
      const pod = { namespace: podNamespace, name, uid: podUid };
      const object = newPodVolumeRestore({ restore, pod, backup, sourceNamespace });
      await client.create(resources.podVolumeRestores, object, {}, signal);
    }
  }

  /** Tells of every started volume until the signal fires. */
  async watch(
    restore: Restore,
    told: (copies: readonly PodVolumeRestore[]) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const copies = this.#copies(restore, () => told(copies.all()));
    await copies.open(signal);
  }

  /** Waits until every started volume has ended. */
  async wait(
    restore: Restore,
    told: (copies: readonly PodVolumeRestore[]) => void,
    signal: AbortSignal,
  ): Promise<readonly VolumeEnd[]> {
    const over = new AbortController();
    const copies = this.#copies(restore, () => told(copies.all()));
    try {
      await copies.open(AbortSignal.any([signal, over.signal]));
      told(copies.all());
      const limit = this.#limitMs(restore);
      const lost = await copies.ended(
        () => true,
        limit,
        (pvr) => this.#lives(pvr, signal),
        signal,
      );
      await copies.cancel(lost, signal);
      return await Promise.all(
        copies.all().map((pvr) => this.#endOf(pvr, lost.includes(pvr), limit, signal)),
      );
    } finally {
      over.abort();
    }
  }

  /** Asks the running ones to stop. */
  async cancel(restore: Restore, signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#deps;
    const query = { namespace, labelSelector: `${veleroNames.restoreUid}=${restore.metadata.uid}` };
    const all = await client.list<PodVolumeRestore>(resources.podVolumeRestores, query, signal);
    await this.#copies(restore, () => undefined).cancel(all, signal);
  }

  #copies(restore: Restore, onChange: () => void): Copies<PodVolumeRestore> {
    const deps = this.#deps;
    return new Copies<PodVolumeRestore>({
      ...deps,
      kind: kinds.PodVolumeRestore,
      label: [veleroNames.restoreUid, restore.metadata.uid ?? ""],
      onChange,
      onError: (error) => deps.log("warning", "cannot watch pod volume restores", { error }),
    });
  }

  #limitMs(restore: Restore): number {
    const said = restore.metadata.annotations?.[veleroNames.podVolumeTimeout];
    return (said === undefined ? undefined : parseGoDurationMs(said)) || this.#deps.noProgressMs;
  }

  async #lives(pvr: PodVolumeRestore, signal: AbortSignal): Promise<boolean> {
    const { client, namespace, clock } = this.#deps;
    const node = pvr.status?.node ?? "";
    return node !== "" && (await agentLives(client, { namespace, node, nowMs: clock.now() }, signal));
  }

  async #endOf(
    pvr: PodVolumeRestore,
    lost: boolean,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<VolumeEnd> {
    const { namespace = "", name: pod = "" } = pvr.spec?.pod ?? {};
    const base = { namespace, pod, volume: pvr.spec?.volume ?? "" };
    const phase = veleroPhaseOf(pvr.status);
    if (phase === "Completed") return base;
    if (!lost) return { ...base, error: pvr.status?.message ?? phase.toLowerCase() };
    const why = await this.#whyStuck(pvr, signal);
    return { ...base, error: `given up after ${Math.round(limitMs / 1000)} s without movement: ${why}` };
  }

  /** What a person would look at first. */
  async #whyStuck(pvr: PodVolumeRestore, signal: AbortSignal): Promise<string> {
    const { namespace = "", name = "" } = pvr.spec?.pod ?? {};
    try {
      const pod = await this.#deps.client.get<KubeObject & PodObject>(
        resources.pods,
        name,
        { namespace },
        signal,
      );
      const node = pod.spec?.nodeName;
      if (node === undefined) return "the pod is not scheduled";
      const where = { namespace: this.#deps.namespace, node, nowMs: this.#deps.clock.now() };
      const lives = await agentLives(this.#deps.client, where, signal);
      return lives ? `the pod is ${pod.status?.phase ?? "unknown"}` : `no node agent runs on node "${node}"`;
    } catch (error) {
      if (isNotFound(error)) return "the pod is gone";
      throw error;
    }
  }
}

/** A pod as it goes to the cluster, with the container that waits for its volumes; nothing is written for it. */
export async function heldBack<P extends StoredPod>(
  deps: Pick<RestoreVolumeDeps, "namespace" | "helperImage" | "helperPullPolicy"> & {
    readonly client: Pick<RestoreVolumeDeps["client"], "list">;
  },
  whole: PodToRestore<P>,
  signal: AbortSignal,
): Promise<P> {
  const volumes = volumesOf(whole).map(({ spec }) => spec?.volume ?? "");
  if (volumes.length === 0) return whole.pod;
  const { helperImage, helperPullPolicy } = deps;
  const settings = {
    ...waitSettings(await configured(deps, signal), helperImage),
    ...(helperPullPolicy !== undefined && { imagePullPolicy: helperPullPolicy }),
  };
  const pod = whole.pod as P & PodObject; // only its containers are looked at, and they are the server's own shape
  return withRestoreWait(pod, volumes, whole.restore.metadata.uid ?? "", settings);
}

/** Upstream's ConfigMap for the waiting container. */
async function configured(
  { client, namespace }: Parameters<typeof heldBack>[0],
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const labelSelector = "velero.io/plugin-config,velero.io/pod-volume-restore=RestoreItemAction";
  const [map] = await client.list<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(
    resources.configMaps,
    { namespace, labelSelector },
    signal,
  );
  return map?.data ?? {};
}

function volumesOf({ pod, backups }: PodToRestore<StoredPod>): readonly PodVolumeBackup[] {
  const { volumes = [] } = (pod["spec"] ?? {}) as PodObject["spec"] & object; // the server's own shape
  return backups.filter(({ spec, status }) => {
    const volume = volumes.find(({ name }) => name === spec?.volume);
    return volume && status?.snapshotID && !madeAnew.some((source) => volume[source] !== undefined);
  });
}
