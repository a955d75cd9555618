import { type DataDownload, type DataUpload, sourceContentAnnotation } from "../../api/index.ts";
import { type DatapathDeps, find, gone, remove } from "./deps.ts";
import { isExposedContent } from "./exposed-snapshot.ts";
import { isOwned } from "./owner.ts";
import { readRebind, releaseVolume } from "./rebind-note.ts";
import { resources } from "./resources.ts";
import {
  type Claim,
  type Content,
  type HolderPod,
  isUpload,
  type Movement,
  type Snapshot,
  type Volume,
} from "./shapes.ts";

/** How long what is deleted may take to go. */
const goneMs = 60_000;

/** Removes all that a movement made; what is not there is no matter. Throws when something stays: then it is to be done again. */
export async function cleanUp(deps: DatapathDeps, movement: Movement, signal: AbortSignal): Promise<void> {
  await removePod(deps, movement, signal);
  await removeClaim(deps, movement, signal);
  if (isUpload(movement)) await removeSnapshots(deps, movement, signal);
  else await releaseUnbound(deps, movement, signal);
}

/** Removes the pod of a movement and waits until it is gone: then the node has let the volume go. */
export async function removePod(deps: DatapathDeps, movement: Movement, signal: AbortSignal): Promise<void> {
  const { name } = movement.metadata;
  const pod = await find<HolderPod>(deps, resources.pods, name, deps.namespace, signal);
  if (!pod || !isOwned(movement, pod)) return;
  await remove(deps, resources.pods, name, deps.namespace, signal);
  await gone(deps, resources.pods, name, deps.namespace, goneMs, signal);
}

async function removeClaim(deps: DatapathDeps, movement: Movement, signal: AbortSignal): Promise<void> {
  const { name } = movement.metadata;
  const claim = await find<Claim>(deps, resources.claims, name, deps.namespace, signal);
  if (!claim || !isOwned(movement, claim)) return;
  const bound = claim.spec?.volumeName;
  const volume = bound ? await find<Volume>(deps, resources.volumes, bound, undefined, signal) : undefined;
  const isOurs = volume?.spec?.claimRef?.uid === claim.metadata.uid;
  if (bound && isOurs && volume?.spec?.persistentVolumeReclaimPolicy !== "Delete") {
    const body = { spec: { persistentVolumeReclaimPolicy: "Delete" } };
    await deps.client.patch(resources.volumes, bound, { type: "merge", body }, {}, signal);
  }
  await remove(deps, resources.claims, name, deps.namespace, signal);
  await gone(deps, resources.claims, name, deps.namespace, goneMs, signal);
}

/** With our content the snapshot in the storage goes; the one of the backup has no other use. */
async function removeSnapshots(deps: DatapathDeps, upload: DataUpload, signal: AbortSignal): Promise<void> {
  const { name } = upload.metadata;
  const { sourceNamespace = "", csiSnapshot } = upload.spec ?? {};
  const exposed = await find<Snapshot>(deps, resources.snapshots, name, deps.namespace, signal);
  const source = exposed?.metadata.annotations?.[sourceContentAnnotation];
  if (csiSnapshot?.volumeSnapshot) {
    await remove(deps, resources.snapshots, csiSnapshot.volumeSnapshot, sourceNamespace, signal);
  }
  if (source !== undefined && source !== name)
    await remove(deps, resources.contents, source, undefined, signal);
  await remove(deps, resources.snapshots, name, deps.namespace, signal);
  await gone(deps, resources.snapshots, name, deps.namespace, goneMs, signal);
  // The snapshot's controller deletes the content with it. One whose snapshot was never made or bound stays for us.
  const content = await find<Content>(deps, resources.contents, name, undefined, signal);
  if (!content || !isExposedContent(upload, content)) return;
  if (content.metadata.deletionTimestamp === undefined) {
    await remove(deps, resources.contents, name, undefined, signal);
  }
  await gone(deps, resources.contents, name, undefined, goneMs, signal);
}

/** The volume of a download that did not reach its claim goes back to the storage. */
async function releaseUnbound(
  deps: DatapathDeps,
  download: DataDownload,
  signal: AbortSignal,
): Promise<void> {
  const note = readRebind(download);
  if (note) await releaseVolume(deps, download, note, signal);
}
