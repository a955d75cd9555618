import { type KubeObject, veleroNames } from "../../api/index.ts";
import { builtIn, type Client, labelValue } from "../../kube/index.ts";
import type { Desk } from "./desk.ts";
import { drillNames } from "./names.ts";
import { ignoreNotFound, resources } from "./resources.ts";

interface Volume extends KubeObject {
  readonly spec?: {
    readonly claimRef?: { readonly namespace?: string };
    readonly persistentVolumeReclaimPolicy?: string;
  };
}

const provisioned = "pv.kubernetes.io/provisioned-by";

/**
 * Takes away everything that a drill made, as far as it is there; returns what is still going, nothing when all is gone. It
 * looks for what bears the drill's uid, so that it finds what a process made that died before it could write that down.
 */
export async function cleanUp(desk: Desk, signal: AbortSignal): Promise<string | undefined> {
  const { client, namespace } = desk.deps;
  const mine = { namespace, labelSelector: `${drillNames.uid}=${desk.uid}` };
  const actor = desk.deps.actorOf(desk.drill);
  // Without rights nothing was made there either.
  const act = "fault" in actor ? client : actor;
  // First whoever fills the namespaces.
  const restores = await client.list<KubeObject>(resources.restores, mine, signal);
  for (const { metadata } of restores) await remove(client, resources.restores, metadata, signal);
  if (restores.length > 0) return `restore "${restores[0]?.metadata.name ?? ""}" is being deleted`;
  for (const { metadata } of await client.list<KubeObject>(builtIn.configMaps, mine, signal)) {
    await remove(client, builtIn.configMaps, metadata, signal);
  }
  if ((desk.status.namespaces ?? []).length === 0) return undefined;
  const scratch = await act.list<KubeObject>(
    builtIn.namespaces,
    { labelSelector: mine.labelSelector },
    signal,
  );
  const volumes = await volumesOf(desk, act, signal);
  await letGo(act, volumes, signal);
  for (const { metadata } of scratch) await remove(act, builtIn.namespaces, metadata, signal);
  if (scratch.length > 0) return `namespace "${scratch[0]?.metadata.name ?? ""}" is being deleted`;
  for (const { metadata } of volumes) await remove(act, builtIn.volumes, metadata, signal);
  return volumes.length > 0 ? `volume "${volumes[0]?.metadata.name ?? ""}" is being deleted` : undefined;
}

/** Volumes that came into being for the copy; one that somebody made by hand and lent to it is not ours to delete. */
async function volumesOf({ status }: Desk, act: Client, signal: AbortSignal): Promise<readonly Volume[]> {
  const targets = new Set((status.namespaces ?? []).map(({ target }) => target));
  const restored = labelValue(status.restoreName ?? "");
  const all = await act.list<Volume>(builtIn.volumes, {}, signal);
  return all.filter(({ metadata, spec }) => {
    const isMade =
      metadata.labels?.[veleroNames.restoreName] === restored ||
      metadata.annotations?.[provisioned] !== undefined;
    return isMade && targets.has(spec?.claimRef?.namespace ?? "");
  });
}

/** A volume that would be kept would keep its disk. */
async function letGo(act: Client, volumes: readonly Volume[], signal: AbortSignal): Promise<void> {
  for (const { metadata, spec } of volumes) {
    if (spec?.persistentVolumeReclaimPolicy === "Delete") continue;
    const body = { metadata: { uid: metadata.uid }, spec: { persistentVolumeReclaimPolicy: "Delete" } };
    await act
      .patch(builtIn.volumes, metadata.name, { type: "merge", body }, {}, signal)
      .catch(ignoreNotFound);
  }
}

async function remove(
  client: Client,
  resource: Parameters<Client["delete"]>[0],
  { name, namespace, uid, deletionTimestamp }: KubeObject["metadata"],
  signal: AbortSignal,
): Promise<void> {
  if (deletionTimestamp) return; // on its way
  await client.delete(resource, name, { namespace, uid }, signal).catch(ignoreNotFound);
}
