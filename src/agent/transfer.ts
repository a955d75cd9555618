import type { KubeObject, PodVolumeBackup, PodVolumeRestore } from "../api/index.ts";
import { veleroNames } from "../api/index.ts";
import {
  claimOf,
  type OpenMover,
  openedRepository,
  type PodObject,
  type RepositoryKey,
  resources,
  uploaderOf,
  volumeOf,
} from "../engines/podvolume/index.ts";
import { AppError } from "../errors.ts";
import { type Client, type Clock, isNotFound } from "../kube/index.ts";
import { definitionOf, volumeSource } from "../movers/index.ts";
import type { Telling, Transferred } from "./copy.ts";
import { beginRestore, isComplete, markComplete, sizeOf } from "./marker.ts";
import { measureFolder } from "./measure.ts";
import { findVolumeFolder } from "./volume-folder.ts";

/** What moving a volume needs. */
export interface TransferDeps {
  readonly client: Client;
  readonly namespace: string;
  readonly hostPods: string;
  readonly mover: OpenMover;
}

/** Backs a volume up, once. */
export async function transferBackup(
  deps: TransferDeps,
  pvb: PodVolumeBackup,
  parent: string | undefined,
  telling: Telling,
  signal: AbortSignal,
): Promise<Transferred> {
  const { spec } = pvb;
  const { path, leaf } = await locate(deps, spec?.pod, spec?.volume, signal);
  telling.facts({ path });
  const repository = await openedRepository(deps.client, deps.namespace, backupKey(pvb), signal);
  const parallel = count(spec?.uploaderSettings?.["ParallelFilesUpload"]);
  const uploader = uploaderOf(spec);
  const { namespace = "", name: pod = "" } = spec?.pod ?? {};
  const result = await deps.mover(uploader).backup(
    {
      repository,
      path,
      source: volumeSource(uploader, { namespace, pod, volume: leaf }),
      tags: { ...spec?.tags, ...definitionOf(uploader).upstream.tags },
      ...(parent !== undefined && { parent }),
      ...(parallel !== undefined && { parallel }),
      onProgress: telling.sample,
      onLook: telling.look,
    },
    signal,
  );
  return {
    bytes: result.bytes,
    status: {
      path,
      ...(result.snapshotId !== undefined && { snapshotID: result.snapshotId }),
      ...(result.incrementalBytes && { incrementalBytes: result.incrementalBytes }),
      ...(result.unread && {
        message: `some files could not be read: ${result.unread.join("; ")}`.slice(0, 4096),
      }),
    },
  };
}

/** So far is a volume walked before its mover reads it: a second of looking at names, or as many as that takes. */
const walked = { entries: 20_000, ms: 1_000 };

/** How much there is to back up of a volume, as far as a short look tells. */
export async function measureBackup(
  deps: TransferDeps & { readonly clock: Clock },
  { spec }: PodVolumeBackup,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { path } = await locate(deps, spec?.pod, spec?.volume, signal);
  return measureFolder(path, { ...walked, now: () => deps.clock.monotonic() }, signal);
}

/** Brings a volume back, once, and lets its pod go on. */
export async function transferRestore(
  deps: TransferDeps,
  pvr: PodVolumeRestore,
  telling: Telling,
  signal: AbortSignal,
): Promise<Transferred> {
  const { spec } = pvr;
  const uid = pvr.metadata.labels?.[veleroNames.restoreUid] ?? pvr.metadata.ownerReferences?.[0]?.uid ?? "";
  const { path } = await locate(deps, spec?.pod, spec?.volume, signal);
  const size = spec?.snapshotSize || undefined;
  // An earlier life brought all of it and died before it could say so. The pod may be on its way already.
  if (await isComplete(path, uid)) return { bytes: size ?? (await sizeOf(path, signal)), status: {} };
  if (size !== undefined) telling.sample({ unit: "bytes", done: 0, total: size });
  const repository = await openedRepository(deps.client, deps.namespace, restoreKey(pvr), signal);
  await beginRestore(path, uid, signal);
  const parallel = count(spec?.uploaderSettings?.["ParallelFilesDownload"]);
  const { bytes } = await deps.mover(uploaderOf(spec)).restore(
    {
      repository,
      path,
      snapshotId: spec?.snapshotID ?? "",
      ...(size !== undefined && { totalBytes: size }),
      ...(spec?.uploaderSettings?.["WriteSparseFiles"] === "true" && { sparse: true }),
      ...(parallel !== undefined && { parallel }),
      onProgress: telling.sample,
      onLook: telling.look,
    },
    signal,
  );
  if (size !== undefined) {
    const arrived = await sizeOf(path, signal);
    if (arrived < size) {
      const what = `the mover ended well, but only ${arrived} of ${size} bytes are in "${path}"`;
      throw new AppError("VOLUME_INCOMPLETE", what, { retry: false });
    }
  }
  await markComplete(path, uid);
  return { bytes: size ?? bytes, status: {} };
}

/** The repository that a backup goes to. */
export function backupKey({ spec }: PodVolumeBackup): RepositoryKey {
  return {
    volumeNamespace: spec?.pod.namespace ?? "",
    location: spec?.backupStorageLocation ?? "",
    type: uploaderOf(spec),
  };
}

/** The repository that a restore comes from. */
export function restoreKey({ spec }: PodVolumeRestore): RepositoryKey {
  return {
    volumeNamespace: spec?.sourceNamespace ?? "",
    location: spec?.backupStorageLocation ?? "",
    type: uploaderOf(spec),
  };
}

type Claim = KubeObject & { readonly spec?: { readonly volumeName?: string } };
type Volume = KubeObject & { readonly spec?: { readonly csi?: object } };

/** The folder of a pod's volume on this node, and the name that stays when the pod is made anew. */
async function locate(
  { client, hostPods }: TransferDeps,
  ref: { readonly namespace?: string; readonly name?: string; readonly uid?: string } | undefined,
  volumeName: string | undefined,
  signal: AbortSignal,
): Promise<{ path: string; leaf: string }> {
  const { namespace = "", name = "", uid: podUid = "" } = ref ?? {};
  const pod = await client
    .get<KubeObject & PodObject>(resources.pods, name, { namespace }, signal)
    .catch((error: unknown) => {
      if (isNotFound(error)) throw gone(`the pod "${namespace}/${name}" is gone`, error);
      throw error;
    });
  if (pod.metadata.uid !== podUid) throw gone(`the pod "${namespace}/${name}" was replaced by another one`);
  const volume = volumeOf(pod, volumeName ?? "");
  if (!volume) throw gone(`the pod "${namespace}/${name}" has no volume "${volumeName}"`);
  const claim = claimOf(pod, volume);
  if (claim === undefined) {
    return {
      path: await findVolumeFolder(hostPods, { podUid, folder: volume.name, csi: false }),
      leaf: volume.name,
    };
  }
  const { spec } = await client.get<Claim>(resources.claims, claim, { namespace }, signal);
  if (!spec?.volumeName) throw gone(`the claim "${namespace}/${claim}" is not bound`);
  const bound = await client.get<Volume>(resources.volumes, spec.volumeName, {}, signal);
  const csi = bound.spec?.csi !== undefined;
  return { path: await findVolumeFolder(hostPods, { podUid, folder: spec.volumeName, csi }), leaf: claim };
}

function gone(message: string, cause?: unknown): AppError {
  return new AppError("VOLUME_FOLDER", message, { cause, retry: false });
}

function count(text: string | undefined): number | undefined {
  return /^[1-9]\d{0,3}$/.test(text ?? "") ? Number(text) : undefined;
}
