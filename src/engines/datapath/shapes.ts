import type {
  DataDownload,
  DataUpload,
  KubeObject,
  LabelExpression,
  LabelSelector,
} from "../../api/index.ts";

/** An object as it is sent to the API server: of its schema only the outline is known here. */
export interface Made {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Partial<KubeObject["metadata"]>;
  readonly spec: object;
}

/** A volume's data on its way to or from the repository. */
export type Movement = DataUpload | DataDownload;

/** A VolumeSnapshot, as far as it is looked at. */
export type Snapshot = KubeObject & {
  readonly spec?: { readonly volumeSnapshotClassName?: string };
  readonly status?: {
    readonly readyToUse?: boolean;
    readonly boundVolumeSnapshotContentName?: string;
    readonly restoreSize?: string;
    readonly error?: { readonly message?: string } | null;
  } | null;
};

/** A VolumeSnapshotContent, likewise. */
export type Content = KubeObject & {
  readonly spec?: {
    readonly driver?: string;
    readonly deletionPolicy?: string;
    readonly volumeSnapshotClassName?: string;
    readonly sourceVolumeMode?: string;
    readonly volumeSnapshotRef?: { readonly namespace?: string; readonly name?: string };
  };
  readonly status?: {
    readonly snapshotHandle?: string;
    readonly error?: { readonly message?: string } | null;
  } | null;
};

/** A PersistentVolumeClaim, likewise. */
export type Claim = KubeObject & {
  readonly spec?: {
    readonly volumeName?: string;
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly accessModes?: readonly string[];
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
    readonly selector?: LabelSelector | null;
  };
  readonly status?: { readonly phase?: string } | null;
};

/** A PersistentVolume, likewise. */
export type Volume = KubeObject & {
  readonly spec?: {
    readonly persistentVolumeReclaimPolicy?: string;
    readonly csi?: object;
    readonly claimRef?: { readonly namespace?: string; readonly name?: string; readonly uid?: string } | null;
    readonly nodeAffinity?: { readonly required?: { readonly nodeSelectorTerms?: readonly NodeTerm[] } };
  };
  readonly status?: { readonly phase?: string } | null;
};

/** One of the alternatives of a choice of nodes. */
export interface NodeTerm {
  readonly matchExpressions?: readonly LabelExpression[];
  readonly matchFields?: readonly LabelExpression[];
}

/** A StorageClass, as far as it is looked at. */
export type StorageClass = KubeObject & { readonly volumeBindingMode?: string };

/** The pod that holds a volume, likewise. */
export type HolderPod = KubeObject & {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
    readonly containerStatuses?: readonly {
      readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } | null };
    }[];
  } | null;
};

/** Whether a movement brings data out of the cluster. */
export function isUpload(movement: Movement): movement is DataUpload {
  return movement.kind === "DataUpload";
}
