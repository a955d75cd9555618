import { AppError } from "../../errors.ts";
import {
  type DatapathDeps,
  find,
  gone,
  type Limit,
  newestWarning,
  type OnWait,
  poll,
  remove,
} from "./deps.ts";
import { makeDownloadPod } from "./expose-download.ts";
import { foreign, makeUploadPod } from "./expose-upload.ts";
import { isBlock } from "./moved-claim.ts";
import { isOwned } from "./owner.ts";
import { claimWaits, imageFault, podEnd, podWaits } from "./pending.ts";
import { resources } from "./resources.ts";
import { type Claim, type HolderPod, isUpload, type Movement, type Volume } from "./shapes.ts";

/** The pod that holds a volume, when it runs. */
export interface Holder {
  readonly uid: string;
  readonly node: string;
  /** The volume behind its claim. */
  readonly volume: string;
  readonly block: boolean;
  /** The volume is one of a CSI driver. */
  readonly csi: boolean;
}

/** A pod that cannot hold its volume, or not any more; upstream calls the end of such a movement a cancel. */
export class AbnormalPod extends AppError {}

/** How often a pod that ended is made anew, and how long trouble with its image may last. */
const attempts = 3;
const imageMs = 120_000;
/** Warnings are asked for after a while only: most pods run before. */
const wordsMs = 8_000;

/** Waits until the pod of a movement runs; one that was evicted or deleted is made anew, on the same node when one is given. */
export async function awaitPod(
  deps: DatapathDeps,
  movement: Movement,
  node: string | undefined,
  limit: Limit,
  onWait: OnWait,
  signal: AbortSignal,
): Promise<Holder> {
  const { name } = movement.metadata;
  let made = 0;
  const again = async (why: string) => {
    made += 1;
    if (made > attempts) throw abnormal(movement, why);
    await remakePod(deps, movement, node, signal);
  };
  return poll(
    deps,
    async (waitedMs) => {
      const pod = await find<HolderPod>(deps, resources.pods, name, deps.namespace, signal);
      if (pod && !isOwned(movement, pod)) throw foreign("pod", movement);
      const end = pod ? podEnd(pod) : "it is gone";
      if (!pod || end !== undefined) {
        await again(end ?? "");
        return undefined;
      }
      if (pod.status?.phase === "Running") return holderOf(deps, pod, signal);
      const fault = imageFault(pod);
      if (fault !== undefined && waitedMs >= imageMs) throw abnormal(movement, fault);
      await tell(deps, pod, waitedMs, onWait, signal);
      return undefined;
    },
    limit,
    signal,
  );
}

/** The pod of a movement as it is now, if it runs. */
export async function runningPod(
  deps: Pick<DatapathDeps, "client" | "namespace">,
  { metadata }: Movement,
  signal: AbortSignal,
): Promise<HolderPod | undefined> {
  const pod = await find<HolderPod>(deps, resources.pods, metadata.name, deps.namespace, signal);
  return pod && podEnd(pod) === undefined && pod.status?.phase === "Running" ? pod : undefined;
}

async function remakePod(
  deps: DatapathDeps,
  movement: Movement,
  node: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { name } = movement.metadata;
  await remove(deps, resources.pods, name, deps.namespace, signal);
  await gone(deps, resources.pods, name, deps.namespace, 60_000, signal);
  if (isUpload(movement)) await makeUploadPod(deps, movement, node, signal);
  else await makeDownloadPod(deps, movement, node, signal);
}

async function holderOf(
  deps: DatapathDeps,
  pod: HolderPod,
  signal: AbortSignal,
): Promise<Holder | undefined> {
  const { name, uid = "" } = pod.metadata;
  const claim = await find<Claim>(deps, resources.claims, name, deps.namespace, signal);
  if (!claim?.spec?.volumeName) return undefined;
  const { volumeName } = claim.spec;
  const volume = await find<Volume>(deps, resources.volumes, volumeName, undefined, signal);
  const [block, csi] = [isBlock(claim), volume?.spec?.csi !== undefined];
  return { uid, node: pod.spec?.nodeName ?? "", volume: volumeName, block, csi };
}

/** Says what is missing: the claim where it has no volume and needs no pod for it, else the pod. */
async function tell(
  deps: DatapathDeps,
  pod: HolderPod,
  waitedMs: number,
  onWait: OnWait,
  signal: AbortSignal,
): Promise<void> {
  const claim = await find<Claim>(deps, resources.claims, pod.metadata.name, deps.namespace, signal);
  const said = (object: Claim | HolderPod) =>
    waitedMs < wordsMs ? undefined : newestWarning(deps, resources.events, object, signal);
  if (claim && claim.status?.phase !== "Bound") {
    onWait("claim", claimWaits(pod.metadata.name, claim, await said(claim), waitedMs));
    return;
  }
  onWait("pod", podWaits(pod, await said(pod), waitedMs));
}

/** In upstream's words, by which people search. */
function abnormal({ kind, metadata }: Movement, why: string): AppError {
  const words =
    `Cancel ${kind.toLowerCase()} because the exposing pod ${metadata.namespace}/${metadata.name} ` +
    `is in abnormal status for reason ${why}`;
  return new AbnormalPod("VOLUME_EXPOSE", words, { retry: false });
}
