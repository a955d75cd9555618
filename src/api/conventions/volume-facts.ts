import { parseQuantity } from "./quantity.ts";

/** The facts of a volume that a backup's policies look at. */
export interface VolumeFacts {
  readonly capacityBytes?: number | undefined;
  readonly storageClass?: string | undefined;
  readonly nfs?: { readonly server: string; readonly path: string } | undefined;
  readonly csi?:
    | { readonly driver: string; readonly attributes: Readonly<Record<string, string>> }
    | undefined;
  /** The key of the volume's source, such as `emptyDir`, `hostPath`, `nfs`, `csi`. */
  readonly type?: string | undefined;
  readonly pvcLabels?: Readonly<Record<string, string>> | undefined;
  readonly pvcPhase?: string | undefined;
  readonly pvcVolumeMode?: string | undefined;
  readonly pvcAccessModes?: readonly string[] | undefined;
}

/** The part of a claim that policies look at. */
export interface ClaimForFacts {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> | null };
  readonly spec?: {
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly accessModes?: readonly string[];
  };
  readonly status?: { readonly phase?: string };
}

/** Keys beside the source, in a pod's volume and in the spec of a PersistentVolume. */
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

/** What the source of a volume tells: of a pod's volume, or of the spec of a PersistentVolume. */
export function sourceFacts(volume: Readonly<Record<string, unknown>>): VolumeFacts {
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

/** What a PersistentVolume's spec and the claim that it is bound to tell together. */
export function claimedVolumeFacts(
  spec: Readonly<Record<string, unknown>>,
  claim: ClaimForFacts | undefined,
): VolumeFacts {
  const { storage } = (spec["capacity"] ?? {}) as { storage?: string }; // the server's own shape
  return {
    ...sourceFacts(spec),
    capacityBytes: storage === undefined ? undefined : parseQuantity(storage),
    storageClass: (spec["storageClassName"] as string | undefined) ?? claim?.spec?.storageClassName,
    pvcLabels: claim?.metadata.labels ?? undefined,
    pvcPhase: claim?.status?.phase,
    ...(claim?.spec?.volumeMode !== undefined && { pvcVolumeMode: claim.spec.volumeMode }),
    ...(claim?.spec?.accessModes !== undefined && { pvcAccessModes: claim.spec.accessModes }),
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
