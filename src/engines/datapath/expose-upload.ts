import { type DataUpload, parseGoDurationMs, sourceContentAnnotation } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { isAlreadyExists } from "../../kube/index.ts";
import { type DatapathDeps, find, gone, type Limit, type OnWait, poll, remove } from "./deps.ts";
import {
  exposedContent,
  exposedSnapshot,
  isExposedContent,
  type SourceSnapshot,
} from "./exposed-snapshot.ts";
import { type HolderFacts, holderPod } from "./holder-pod.ts";
import { isBlock, uploadClaim } from "./moved-claim.ts";
import { isOwned } from "./owner.ts";
import { snapshotWaits } from "./pending.ts";
import { resources } from "./resources.ts";
import type {
  Claim,
  Content,
  HolderPod,
  Movement,
  NodeTerm,
  Snapshot,
  StorageClass,
  Volume,
} from "./shapes.ts";

/** How long internal steps of a movement may take, as its object says. */
export function operationTimeoutMs({ spec }: Movement): number {
  return parseGoDurationMs(spec?.operationTimeout ?? "") || 10 * 60_000;
}

/**
 * Makes a snapshot readable on a node: a second snapshot of the same data in the server's namespace, a claim of it, and a
 * pod that holds the claim. What an earlier life made is taken as it is.
 */
export async function exposeUpload(
  deps: DatapathDeps,
  upload: DataUpload,
  limit: Limit,
  onWait: OnWait,
  signal: AbortSignal,
): Promise<void> {
  const { name } = upload.metadata;
  if (await find<HolderPod>(deps, resources.pods, name, deps.namespace, signal)) return;
  onWait("snapshot", {
    message: `the snapshot of ${upload.spec?.sourceNamespace}/${upload.spec?.sourcePVC} to be ready`,
  });
  const exposed = await takeOver(deps, upload, limit, onWait, signal);
  onWait("claim", { message: `the claim ${name} to be made` });
  await makeClaim(deps, upload, exposed, signal);
  await makeUploadPod(deps, upload, undefined, signal);
}

/** Makes the pod that holds the claim of an upload; on one node only where the copy has begun there. */
export async function makeUploadPod(
  deps: DatapathDeps,
  upload: DataUpload,
  node: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { name } = upload.metadata;
  const claim = await find<Claim>(deps, resources.claims, name, deps.namespace, signal);
  if (!claim || claim.metadata.deletionTimestamp !== undefined) {
    throw new AppError("VOLUME_EXPOSE", `the claim "${deps.namespace}/${name}" is gone`, { retry: false });
  }
  const setting = deps.settings.backupClaims.get(upload.spec?.csiSnapshot?.storageClass ?? "");
  const storageClass = claim.spec?.storageClassName;
  const topology = node === undefined ? await topologyOf(deps, upload, storageClass, signal) : [];
  await createPod(deps, upload, { block: isBlock(claim), storageClass, setting, node, topology }, signal);
}

/** Creates the pod of a movement, unless it is there. */
export async function createPod(
  deps: DatapathDeps,
  movement: Movement,
  facts: Pick<HolderFacts, "block" | "storageClass" | "setting" | "node" | "topology">,
  signal: AbortSignal,
): Promise<void> {
  const { settings, image, pullPolicy, client } = deps;
  if (image === "") {
    const what =
      "no image is known for the pod that holds the volume: the agent has neither --pod-image nor HEADWAY_IMAGE";
    throw new AppError("VOLUME_EXPOSE", what, { retry: false });
  }
  const pod = holderPod(movement, { ...facts, settings, image, pullPolicy });
  await client.create(resources.pods, pod, {}, signal).catch(async (error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
    const there = await find<HolderPod>(deps, resources.pods, movement.metadata.name, deps.namespace, signal);
    if (there && !isOwned(movement, there)) throw foreign("pod", movement);
  });
}

/** The error when somebody else's object has the name that we need. */
export function foreign(what: string, { metadata }: Movement): AppError {
  const words = `the ${what} "${metadata.namespace}/${metadata.name}" belongs to somebody else`;
  return new AppError("VOLUME_EXPOSE", words, { retry: false });
}

interface Exposed {
  readonly snapshot: Snapshot;
  readonly content: Content;
}

/** Takes the snapshot over from the namespace of its claim. From then on only our content knows the data in the storage. */
async function takeOver(
  deps: DatapathDeps,
  upload: DataUpload,
  limit: Limit,
  onWait: OnWait,
  signal: AbortSignal,
): Promise<Exposed> {
  const { client, namespace } = deps;
  const { name } = upload.metadata;
  let snapshot = await find<Snapshot>(deps, resources.snapshots, name, namespace, signal);
  let content = await find<Content>(deps, resources.contents, name, undefined, signal);
  if (content && !isExposedContent(upload, content)) throw foreign("VolumeSnapshotContent", upload);
  if (!snapshot || !content) {
    const source = await sourceOf(deps, upload, limit, onWait, signal);
    snapshot ??= await client.create<Snapshot>(
      resources.snapshots,
      exposedSnapshot(upload, source),
      {},
      signal,
    );
    content ??= await client.create<Content>(
      resources.contents,
      exposedContent(upload, source, snapshot),
      {},
      signal,
    );
  }
  await dropSource(deps, upload, snapshot, signal);
  return { snapshot: await ready(deps, upload, limit, onWait, signal), content };
}

/** The snapshot as the backup took it, when it is ready. */
function sourceOf(
  deps: DatapathDeps,
  upload: DataUpload,
  limit: Limit,
  onWait: OnWait,
  signal: AbortSignal,
): Promise<SourceSnapshot> {
  const { sourceNamespace = "", csiSnapshot } = upload.spec ?? {};
  const name = csiSnapshot?.volumeSnapshot ?? "";
  const title = `${sourceNamespace}/${name}`;
  return poll(
    deps,
    async (waitedMs) => {
      const snapshot = await find<Snapshot>(deps, resources.snapshots, name, sourceNamespace, signal);
      if (!snapshot) {
        throw new AppError("VOLUME_EXPOSE", `the VolumeSnapshot "${title}" is gone`, { retry: false });
      }
      const bound = snapshot.status?.boundVolumeSnapshotContentName;
      const content = bound
        ? await find<Content>(deps, resources.contents, bound, undefined, signal)
        : undefined;
      if (snapshot.status?.readyToUse === true && content?.status?.snapshotHandle)
        return { snapshot, content };
      onWait("snapshot", snapshotWaits(title, snapshot, content, waitedMs));
      return undefined;
    },
    limit,
    signal,
  );
}

/** Our own snapshot, when the cluster has bound it to our content. */
function ready(
  deps: DatapathDeps,
  upload: DataUpload,
  limit: Limit,
  onWait: OnWait,
  signal: AbortSignal,
): Promise<Snapshot> {
  const { name } = upload.metadata;
  return poll(
    deps,
    async (waitedMs) => {
      const snapshot = await find<Snapshot>(deps, resources.snapshots, name, deps.namespace, signal);
      if (!snapshot)
        throw new AppError("VOLUME_EXPOSE", `the VolumeSnapshot "${name}" is gone`, { retry: false });
      if (snapshot.status?.readyToUse === true) return snapshot;
      onWait("snapshot", snapshotWaits(`${deps.namespace}/${name}`, snapshot, undefined, waitedMs));
      return undefined;
    },
    limit,
    signal,
  );
}

/** Lets go of the snapshot in the namespace of the claim, without letting go of the data. */
async function dropSource(
  deps: DatapathDeps,
  upload: DataUpload,
  exposed: Snapshot,
  signal: AbortSignal,
): Promise<void> {
  const withinMs = operationTimeoutMs(upload);
  const { sourceNamespace = "", csiSnapshot } = upload.spec ?? {};
  const content = exposed.metadata.annotations?.[sourceContentAnnotation];
  if (content !== undefined && content !== upload.metadata.name) {
    const there = await find<Content>(deps, resources.contents, content, undefined, signal);
    // Before anything is deleted: with the usual policy the data would go, too.
    if (there && there.spec?.deletionPolicy !== "Retain") {
      const body = { spec: { deletionPolicy: "Retain" } };
      await deps.client.patch(resources.contents, content, { type: "merge", body }, {}, signal);
    }
  }
  const name = csiSnapshot?.volumeSnapshot ?? "";
  await remove(deps, resources.snapshots, name, sourceNamespace, signal);
  await gone(deps, resources.snapshots, name, sourceNamespace, withinMs, signal);
  if (content === undefined || content === upload.metadata.name) return;
  await remove(deps, resources.contents, content, undefined, signal);
  await gone(deps, resources.contents, content, undefined, withinMs, signal);
}

async function makeClaim(
  deps: DatapathDeps,
  upload: DataUpload,
  exposed: Exposed,
  signal: AbortSignal,
): Promise<void> {
  const { sourceNamespace = "", sourcePVC = "", csiSnapshot } = upload.spec ?? {};
  const there = await find<Claim>(deps, resources.claims, upload.metadata.name, deps.namespace, signal);
  if (there && !isOwned(upload, there)) throw foreign("claim", upload);
  if (there) return;
  const source = await find<Claim>(deps, resources.claims, sourcePVC, sourceNamespace, signal);
  const setting = deps.settings.backupClaims.get(csiSnapshot?.storageClass ?? "");
  const claim = uploadClaim(upload, { ...exposed, source, setting });
  if (!claim) {
    const what = `neither the snapshot nor the claim "${sourceNamespace}/${sourcePVC}" says how large the volume is`;
    throw new AppError("VOLUME_EXPOSE", what, { retry: false });
  }
  await deps.client.create(resources.claims, claim, {}, signal);
}

/** Where the storage can be reached, for classes that wait for a pod: the snapshot's copy is made where the pod is. */
async function topologyOf(
  deps: DatapathDeps,
  upload: DataUpload,
  storageClass: string | undefined,
  signal: AbortSignal,
): Promise<readonly NodeTerm[]> {
  if (!(await waitsForPod(deps, storageClass, signal))) return [];
  const { sourceNamespace = "", sourcePVC = "" } = upload.spec ?? {};
  const source = await find<Claim>(deps, resources.claims, sourcePVC, sourceNamespace, signal);
  const bound = source?.spec?.volumeName;
  const volume = bound ? await find<Volume>(deps, resources.volumes, bound, undefined, signal) : undefined;
  return volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
}

/** Whether volumes of a class are made only when a pod is there that uses them. */
export async function waitsForPod(
  deps: DatapathDeps,
  storageClass: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (!storageClass) return false;
  const found = await find<StorageClass>(deps, resources.storageClasses, storageClass, undefined, signal);
  return found?.volumeBindingMode === "WaitForFirstConsumer";
}
