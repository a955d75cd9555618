import { claimedVolumeFacts, type KubeObject, sourceFacts, type VolumeFacts } from "../../api/index.ts";
import { type Client, isNotFound } from "../../kube/index.ts";
import { claimOf, type PodObject } from "./pod.ts";
import { resources } from "./resources.ts";

/** What is known of a pod's volume. */
export interface VolumeKnown {
  readonly facts: VolumeFacts;
  readonly claim?: { readonly name: string; readonly uid: string } | undefined;
}

type Claim = KubeObject & {
  readonly spec?: { readonly volumeName?: string; readonly storageClassName?: string };
  readonly status?: { readonly phase?: string };
};
type Volume = KubeObject & { readonly spec?: Readonly<Record<string, unknown>> };

/** Looks up the claims and persistent volumes behind a pod's volumes. */
export async function knowVolumes(
  client: Pick<Client, "get">,
  pod: PodObject,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, VolumeKnown>> {
  const known = new Map<string, VolumeKnown>();
  for (const volume of pod.spec?.volumes ?? []) {
    const name = claimOf(pod, volume);
    known.set(
      volume.name,
      name === undefined ? { facts: sourceFacts(volume) } : await claimed(client, pod, name, signal),
    );
  }
  return known;
}

async function claimed(
  client: Pick<Client, "get">,
  pod: PodObject,
  name: string,
  signal: AbortSignal,
): Promise<VolumeKnown> {
  const { namespace } = pod.metadata;
  const claim = await orNothing(client.get<Claim>(resources.claims, name, { namespace }, signal));
  const volumeName = claim?.spec?.volumeName;
  const volume =
    volumeName === undefined
      ? undefined
      : await orNothing(client.get<Volume>(resources.volumes, volumeName, {}, signal));
  return {
    facts: claimedVolumeFacts(volume?.spec ?? {}, claim),
    claim: claim && { name, uid: claim.metadata.uid ?? "" },
  };
}

async function orNothing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
