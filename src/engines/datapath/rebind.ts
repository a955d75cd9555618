import type { DataDownload } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { removePod } from "./clean-up.ts";
import { type DatapathDeps, find, gone, type OnWait, poll, remove } from "./deps.ts";
import { targetOf } from "./expose-download.ts";
import { operationTimeoutMs } from "./expose-upload.ts";
import { isOurs, type RebindNote, readRebind, writeRebind } from "./rebind-note.ts";
import { resources } from "./resources.ts";
import type { Claim, Volume } from "./shapes.ts";

/** Notes that the data is complete and in which volume, before anything is taken apart; returns what was noted. */
export async function noteRebind(
  deps: DatapathDeps,
  download: DataDownload,
  signal: AbortSignal,
): Promise<RebindNote> {
  const known = readRebind(download);
  if (known) return known;
  const { name } = download.metadata;
  const claim = await find<Claim>(deps, resources.claims, name, deps.namespace, signal);
  const bound = claim?.spec?.volumeName ?? "";
  const volume = bound ? await find<Volume>(deps, resources.volumes, bound, undefined, signal) : undefined;
  if (!claim || !volume) throw failed(`the claim "${deps.namespace}/${name}" has no volume any more`);
  const note: RebindNote = {
    volume: bound,
    policy: volume.spec?.persistentVolumeReclaimPolicy ?? "Delete",
    claimUid: claim.metadata.uid ?? "",
  };
  const body = { metadata: { uid: download.metadata.uid, ...writeRebind(note) } };
  const { namespace } = deps;
  await deps.client.patch(resources.dataDownloads, name, { type: "merge", body }, { namespace }, signal);
  return note;
}

/** Gives the volume with the data to the claim that waits for it. Every step may be done twice. */
export async function rebind(
  deps: DatapathDeps,
  download: DataDownload,
  note: RebindNote,
  onWait: OnWait,
  signal: AbortSignal,
): Promise<void> {
  const { volume: name, policy } = note;
  const withinMs = operationTimeoutMs(download);
  const { pvc = "", namespace = "" } = download.spec?.targetVolume ?? {};
  onWait("rebind", { message: `the volume ${name} to be handed to the claim ${namespace}/${pvc}` });
  await policyOf(deps, name, "Retain", signal);
  await removePod(deps, download, signal);
  await remove(deps, resources.claims, download.metadata.name, deps.namespace, signal);
  await gone(deps, resources.claims, download.metadata.name, deps.namespace, withinMs, signal);
  await join(deps, download, note, signal);
  const words = `the claim "${namespace}/${pvc}" was not bound to the volume "${name}" in time`;
  await poll(
    deps,
    async () => {
      const target = await targetOf(deps, download, signal);
      if (!target) throw failed(`the claim "${namespace}/${pvc}" is gone`);
      return target.status?.phase === "Bound" && target.spec?.volumeName === name ? true : undefined;
    },
    { atMs: deps.clock.now() + withinMs, words },
    signal,
  );
  await policyOf(deps, name, policy, signal);
}

/** Both sides name each other; the claim is found by its selector, which the volume must satisfy. */
async function join(
  deps: DatapathDeps,
  download: DataDownload,
  { volume: name, claimUid }: RebindNote,
  signal: AbortSignal,
): Promise<void> {
  const { client } = deps;
  const { pvc = "", namespace = "" } = download.spec?.targetVolume ?? {};
  const target = await targetOf(deps, download, signal);
  const volume = await find<Volume>(deps, resources.volumes, name, undefined, signal);
  if (!target) throw failed(`the claim "${namespace}/${pvc}" is gone`);
  if (!volume || !isOurs(download, volume, claimUid)) throw failed(`the volume "${name}" is gone`);
  const bound = target.spec?.volumeName;
  if (bound && bound !== name) throw failed(`the claim "${namespace}/${pvc}" is bound to "${bound}" already`);
  if (!bound) {
    const annotations = {
      "pv.kubernetes.io/bind-completed": null,
      "pv.kubernetes.io/bound-by-controller": null,
    };
    const body = { metadata: { annotations }, spec: { volumeName: name } };
    await client.patch(resources.claims, pvc, { type: "merge", body }, { namespace }, signal);
  }
  if (volume.spec?.claimRef?.uid === target.metadata.uid) return;
  const claimRef = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    namespace,
    name: pvc,
    uid: null,
    resourceVersion: null,
  };
  const labels = target.spec?.selector?.matchLabels ?? {};
  const metadata = { labels, annotations: { "pv.kubernetes.io/bound-by-controller": null } };
  const body = { metadata, spec: { claimRef } };
  await client.patch(resources.volumes, name, { type: "merge", body }, {}, signal);
}

async function policyOf(
  deps: DatapathDeps,
  name: string,
  policy: string,
  signal: AbortSignal,
): Promise<void> {
  const body = { spec: { persistentVolumeReclaimPolicy: policy } };
  await deps.client.patch(resources.volumes, name, { type: "merge", body }, {}, signal);
}

function failed(words: string): AppError {
  return new AppError("VOLUME_REBIND", words, { retry: false });
}
