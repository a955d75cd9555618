import { readdir } from "node:fs/promises";
import { type DataDownload, type DataUpload, veleroNames } from "../api/index.ts";
import {
  awaitPod,
  type DatapathDeps,
  type Holder,
  type Movement,
  readRebind,
  runningPod,
} from "../engines/datapath/index.ts";
import {
  awaitRepository,
  type OpenMover,
  openedRepository,
  type RepositoryKey,
} from "../engines/podvolume/index.ts";
import { AppError } from "../errors.ts";
import { claimSource, movedTags, type Repository, snapshotMover } from "../movers/index.ts";
import { FailedWithStatus, type Telling, type Transferred } from "./copy.ts";
import { removeLinks, sizeOf } from "./marker.ts";
import { findVolumeFolder } from "./volume-folder.ts";

/** What moving data needs. */
export interface MoveDeps extends DatapathDeps {
  readonly node: string;
  readonly hostPods: string;
  readonly mover: OpenMover;
  /** How long a pod that is made anew may take to run. */
  readonly prepareTimeoutMs: number;
  /** Fires when the pod that holds the volume goes away. */
  readonly lost: (pod: { readonly name: string; readonly uid: string }, signal: AbortSignal) => AbortSignal;
}

/** The repository of moved data is of one kind, whoever moved it. */
const uploader = snapshotMover;
const repositoryMs = 5 * 60_000;

/** Copies a snapshot's data into the repository, once. */
export async function transferUpload(
  deps: MoveDeps,
  upload: DataUpload,
  telling: Telling,
  signal: AbortSignal,
): Promise<Transferred> {
  const { spec, status, metadata } = upload;
  const path = `/${metadata.uid ?? ""}`; // as the pod sees it, which is what upstream writes
  const known = status?.snapshotID;
  const { holder, place, repository } = await opened(deps, upload, Boolean(known), telling, signal);
  if (known) {
    // An earlier life had copied all of it when it ended: only the last words are missing.
    const bytes = await deps.mover(uploader).snapshotBytes(repository, known, signal);
    return { bytes, status: { path, snapshotID: known } };
  }
  const parallel = count(spec?.dataMoverConfig?.["ParallelFilesUpload"]);
  const claim = { namespace: spec?.sourceNamespace ?? "", name: spec?.sourcePVC ?? "" };
  const result = await deps.mover(uploader).backup(
    {
      repository,
      path: place,
      ...(holder?.block && { block: true }),
      source: claimSource(uploader, claim),
      tags: movedTags(uploader, metadata.labels?.[veleroNames.asyncOperationId]),
      ...(parallel !== undefined && { parallel }),
      onProgress: telling.sample,
      onLook: telling.look,
    },
    deps.lost({ name: metadata.name, uid: holder?.uid ?? "" }, signal),
  );
  const facts = {
    path,
    ...(result.snapshotId !== undefined && { snapshotID: result.snapshotId }),
    ...(result.incrementalBytes && { incrementalBytes: result.incrementalBytes }),
  };
  // A volume that went away while it was read looks like one with fewer files.
  await stillHeld(deps, upload, holder, signal);
  if (result.unread) {
    const words = `data path backup failed: some files could not be read: ${result.unread.join("; ")}`;
    throw new FailedWithStatus(words.slice(0, 4096), facts);
  }
  telling.facts(facts);
  return { bytes: result.bytes, status: facts };
}

/** Brings a snapshot's data into the new volume, once. */
export async function transferDownload(
  deps: MoveDeps,
  download: DataDownload,
  telling: Telling,
  signal: AbortSignal,
): Promise<Transferred> {
  const { spec, status, metadata } = download;
  const size = spec?.snapshotSize || undefined;
  // An earlier life had brought all of it: only its claim has to get it.
  if (readRebind(download)) return { bytes: size ?? status?.progress?.totalBytes ?? 0, status: {} };
  if (size !== undefined) telling.sample({ unit: "bytes", done: 0, total: size });
  const { holder, place, repository } = await opened(deps, download, false, telling, signal);
  const config = spec?.dataMoverConfig ?? {};
  const parallel = count(config["ParallelFilesDownload"]);
  if (!holder?.block && (await readdir(place)).length > 0) await removeLinks(Buffer.from(place), signal);
  const { bytes } = await deps.mover(uploader).restore(
    {
      repository,
      path: place,
      ...(holder?.block && { block: true }),
      snapshotId: spec?.snapshotID ?? "",
      ...(size !== undefined && { totalBytes: size }),
      ...(config["WriteSparseFiles"] === "true" && { sparse: true }),
      ...(parallel !== undefined && { parallel }),
      onProgress: telling.sample,
      onLook: telling.look,
    },
    deps.lost({ name: metadata.name, uid: holder?.uid ?? "" }, signal),
  );
  await stillHeld(deps, download, holder, signal);
  if (!holder?.block && (await sizeOf(place, signal)) < bytes) {
    const what = `the mover ended well, but not all of the ${bytes} bytes are in "${place}"`;
    throw new AppError("VOLUME_INCOMPLETE", what, { retry: false });
  }
  return { bytes, status: {} };
}

/** The repository of a movement. */
export function movementKey({ spec }: Movement): RepositoryKey {
  return {
    volumeNamespace: spec?.sourceNamespace ?? "",
    location: spec?.backupStorageLocation ?? "",
    type: uploader,
  };
}

interface Opened {
  readonly holder: Holder | undefined;
  readonly place: string;
  readonly repository: Repository;
}

/** All that a copy needs: the pod that holds the volume on this node, its folder or device here, and the repository. */
async function opened(
  deps: MoveDeps,
  movement: Movement,
  withoutVolume: boolean,
  telling: Telling,
  signal: AbortSignal,
): Promise<Opened> {
  const key = movementKey(movement);
  const onWait = (message: string) => telling.step("repository", message);
  await awaitRepository(deps, key, repositoryMs, signal, onWait);
  const repository = await openedRepository(deps.client, deps.namespace, key, signal);
  if (withoutVolume) return { holder: undefined, place: "", repository };
  const limit = {
    atMs: deps.clock.now() + deps.prepareTimeoutMs,
    words: `the pod of ${movement.kind} "${movement.metadata.name}" does not run again`,
  };
  const holder = await awaitPod(
    deps,
    movement,
    deps.node,
    limit,
    (step, { message, cause }) => telling.step(step, message, cause),
    signal,
  );
  telling.step();
  const { uid: podUid, volume: folder, csi, block } = holder;
  const place = await findVolumeFolder(deps.hostPods, { podUid, folder, csi, block });
  return { holder, place, repository };
}

async function stillHeld(
  deps: MoveDeps,
  movement: Movement,
  holder: Holder | undefined,
  signal: AbortSignal,
): Promise<void> {
  const pod = await runningPod(deps, movement, signal);
  if (pod !== undefined && pod.metadata.uid === holder?.uid) return;
  throw podLost(movement.metadata.name);
}

/** The error of a copy whose pod went away; it is tried again with a new one. */
export function podLost(name: string): AppError {
  return new AppError("MOVER_EXIT", `the pod "${name}" that held the volume went away`);
}

function count(text: string | undefined): number | undefined {
  return /^[1-9]\d{0,3}$/.test(text ?? "") ? Number(text) : undefined;
}
