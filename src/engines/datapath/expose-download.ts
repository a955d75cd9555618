import type { DataDownload } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type DatapathDeps, find, type Limit, type OnWait, poll } from "./deps.ts";
import { createPod, foreign, waitsForPod } from "./expose-upload.ts";
import { downloadClaim, isBlock, selectedNode } from "./moved-claim.ts";
import { isOwned } from "./owner.ts";
import { resources } from "./resources.ts";
import type { Claim, HolderPod } from "./shapes.ts";

/** The claim that a download is for; undefined while the restore has not made it. */
export function targetOf(
  deps: Pick<DatapathDeps, "client">,
  { spec }: DataDownload,
  signal: AbortSignal,
): Promise<Claim | undefined> {
  const { pvc = "", namespace = "" } = spec?.targetVolume ?? {};
  return find<Claim>(deps, resources.claims, pvc, namespace, signal);
}

/** Makes a volume like the target's on a node: a claim of the server's own, and a pod that holds it. */
export async function exposeDownload(
  deps: DatapathDeps,
  download: DataDownload,
  limit: Limit,
  onWait: OnWait,
  signal: AbortSignal,
): Promise<void> {
  const { name } = download.metadata;
  if (await find<HolderPod>(deps, resources.pods, name, deps.namespace, signal)) return;
  onWait("claim", { message: `the claim ${name} to be made` });
  const { target, node } = await consumed(deps, download, limit, onWait, signal);
  const there = await find<Claim>(deps, resources.claims, name, deps.namespace, signal);
  if (there && !isOwned(download, there)) throw foreign("claim", download);
  if (!there) await deps.client.create(resources.claims, downloadClaim(download, target, node), {}, signal);
  await makeDownloadPod(deps, download, node, signal);
}

/** Makes the pod that holds the claim of a download. */
export async function makeDownloadPod(
  deps: DatapathDeps,
  download: DataDownload,
  node: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { name } = download.metadata;
  const claim = await find<Claim>(deps, resources.claims, name, deps.namespace, signal);
  if (!claim || claim.metadata.deletionTimestamp !== undefined) {
    throw new AppError("VOLUME_EXPOSE", `the claim "${deps.namespace}/${name}" is gone`, { retry: false });
  }
  const facts = { block: isBlock(claim), storageClass: claim.spec?.storageClassName, node };
  await createPod(deps, download, facts, signal);
}

/** The target, when it is known where its volume must be: classes that wait for a pod get their node from the pod's. */
function consumed(
  deps: DatapathDeps,
  download: DataDownload,
  limit: Limit,
  onWait: OnWait,
  signal: AbortSignal,
): Promise<{ readonly target: Claim; readonly node: string | undefined }> {
  const { pvc = "", namespace = "" } = download.spec?.targetVolume ?? {};
  return poll(
    deps,
    async () => {
      const target = await targetOf(deps, download, signal);
      if (!target) throw refused(`the claim "${namespace}/${pvc}" is gone`);
      if (target.spec?.volumeName) throw refused(`the claim "${namespace}/${pvc}" is bound already`);
      const waits =
        !deps.settings.ignoreDelayBinding && (await waitsForPod(deps, target.spec?.storageClassName, signal));
      const node = target.metadata.annotations?.[selectedNode];
      if (!waits || node !== undefined) return { target, node: waits ? node : undefined };
      const message = `a pod that uses the claim ${namespace}/${pvc}, so that its node is known`;
      onWait("claim", { message, cause: "object-waiting" });
      return undefined;
    },
    limit,
    signal,
  );
}

function refused(words: string): AppError {
  return new AppError("VOLUME_EXPOSE", words, { retry: false });
}
