import { type DataDownload, rebindAnnotation } from "../../api/index.ts";
import { type DatapathDeps, find } from "./deps.ts";
import { targetOf } from "./expose-download.ts";
import { resources } from "./resources.ts";
import type { Volume } from "./shapes.ts";

/** What must be known to give a volume to its claim, or back to the storage, in a later life too. */
export interface RebindNote {
  /** The volume that holds the data. */
  readonly volume: string;
  /** What becomes of it when its claim goes, as its class wants it. */
  readonly policy: string;
  /** The claim that it was filled through. */
  readonly claimUid: string;
}

/** The metadata that keeps the note. */
export function writeRebind(note: RebindNote) {
  return { annotations: { [rebindAnnotation]: JSON.stringify(note) } };
}

/** The note of a download whose data is complete. */
export function readRebind({ metadata }: Pick<DataDownload, "metadata">): RebindNote | undefined {
  const text = metadata.annotations?.[rebindAnnotation];
  if (text === undefined) return undefined;
  try {
    const said = JSON.parse(text) as Readonly<Record<string, unknown>> | null; // checked below
    const { volume, policy, claimUid } = said ?? {};
    if (typeof volume !== "string" || typeof policy !== "string" || typeof claimUid !== "string")
      return undefined;
    return /^[a-z0-9][a-z0-9.-]{0,252}$/.test(volume) ? { volume, policy, claimUid } : undefined;
  } catch {
    return undefined; // not written by an agent of ours
  }
}

/**
 * Gives a volume back to the storage unless the target has it: it is said to belong to the claim that it was filled
 * through, which is gone, so that whoever made the volume takes it away.
 */
export async function releaseVolume(
  deps: DatapathDeps,
  download: DataDownload,
  { volume: name, claimUid }: RebindNote,
  signal: AbortSignal,
): Promise<void> {
  const volume = await find<Volume>(deps, resources.volumes, name, undefined, signal);
  if (!volume || !isOurs(download, volume, claimUid)) return;
  const target = await targetOf(deps, download, signal);
  if (target?.spec?.volumeName === name && target.status?.phase === "Bound") return;
  const claimRef = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    namespace: deps.namespace,
    name: download.metadata.name,
    uid: claimUid,
    resourceVersion: null,
  };
  const body = { spec: { persistentVolumeReclaimPolicy: "Delete", claimRef } };
  await deps.client.patch(resources.volumes, name, { type: "merge", body }, {}, signal);
}

/** A note may be anybody's: only a volume that belongs to the download or to its target is touched. */
export function isOurs(download: DataDownload, { spec }: Volume, claimUid: string): boolean {
  const { namespace, name, uid } = spec?.claimRef ?? {};
  const { pvc, namespace: targetNamespace } = download.spec?.targetVolume ?? {};
  const isFilled =
    namespace === download.metadata.namespace && name === download.metadata.name && uid === claimUid;
  return isFilled || (namespace === targetNamespace && name === pvc);
}
