import type { KubeObject } from "../../api/index.ts";
import { parseQuantity } from "../../api/index.ts";
import { type Client, isNotFound } from "../../kube/index.ts";
import { claimOf, type PodObject, type PodVolume } from "./pod.ts";
import { resources } from "./resources.ts";

/** The facts of a volume that a backup's policies look at. */
export interface VolumeFacts {
  readonly capacityBytes?: number | undefined;
  readonly storageClass?: string | undefined;
  readonly nfs?: { readonly server: string; readonly path: string } | undefined;
  readonly csi?:
    | { readonly driver: string; readonly attributes: Readonly<Record<string, string>> }
    | undefined;
  readonly type?: string | undefined;
  readonly pvcLabels?: Readonly<Record<string, string>> | undefined;
  readonly pvcPhase?: string | undefined;
}

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
  const spec = volume?.spec ?? {};
  const { storage } = (spec["capacity"] ?? {}) as { storage?: string }; // the server's own shape
  return {
    facts: {
      ...sourceFacts(spec),
      capacityBytes: storage === undefined ? undefined : parseQuantity(storage),
      storageClass: (spec["storageClassName"] as string | undefined) ?? claim?.spec?.storageClassName,
      pvcLabels: claim?.metadata.labels,
      pvcPhase: claim?.status?.phase,
    },
    claim: claim && { name, uid: claim.metadata.uid ?? "" },
  };
}

/** Keys of a PersistentVolume's spec that are not its source. */
const noSource = [
  "name",
  "accessModes",
  "capacity",
  "claimRef",
  "mountOptions",
  "nodeAffinity",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "volumeAttributesClassName",
  "volumeMode",
];

function sourceFacts(volume: PodVolume | Readonly<Record<string, unknown>>): VolumeFacts {
  const type = Object.keys(volume).find((key) => !noSource.includes(key));
  const source = (type === undefined ? {} : volume[type]) as Record<string, unknown>; // a source is always an object
  return {
    type,
    ...(type === "nfs" && {
      nfs: { server: text(source["server"]), path: text(source["path"]) },
    }),
    ...(type === "csi" && {
      csi: {
        driver: text(source["driver"]),
        attributes: (source["volumeAttributes"] ?? {}) as Record<string, string>, // a map of texts by its schema
      },
    }),
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

async function orNothing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
