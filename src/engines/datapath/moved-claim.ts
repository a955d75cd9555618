import { type DataDownload, type DataUpload, parseQuantity } from "../../api/index.ts";
import { apiVersionOf } from "../../kube/index.ts";
import { ownerOf } from "./owner.ts";
import { resources } from "./resources.ts";
import type { BackupClaim } from "./settings.ts";
import type { Claim, Content, Made, Snapshot } from "./shapes.ts";

/** The node that the scheduler chose for the first pod of a claim. */
export const selectedNode = "volume.kubernetes.io/selected-node";

/** What the claim of a snapshot is made of; the claim that was snapshotted may be gone. */
export interface UploadClaimFacts {
  readonly snapshot: Snapshot;
  readonly content: Content;
  readonly source: Claim | undefined;
  readonly setting: BackupClaim | undefined;
}

/** The claim through which a snapshot is read; undefined when nobody knows its size. */
export function uploadClaim(
  upload: DataUpload,
  { snapshot, content, source, setting }: UploadClaimFacts,
): Made | undefined {
  const { name, namespace } = upload.metadata;
  const size = sizeOf(snapshot, source);
  if (size === undefined) return undefined;
  const storageClassName = setting?.storageClass ?? upload.spec?.csiSnapshot?.storageClass ?? "";
  const annotations = setting?.annotations ?? {};
  const spec = {
    accessModes: [setting?.readOnly ? "ReadOnlyMany" : "ReadWriteOnce"],
    storageClassName,
    volumeMode: volumeMode(content, source),
    dataSource: { apiGroup: resources.snapshots.group, kind: "VolumeSnapshot", name },
    resources: { requests: { storage: size } },
  };
  return {
    apiVersion: apiVersionOf(resources.claims),
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ownerReferences: [ownerOf(upload)],
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec,
  };
}

/** The claim that data is restored into before the target gets its volume. */
export function downloadClaim(download: DataDownload, target: Claim, node: string | undefined): Made {
  const { name, namespace } = download.metadata;
  const { accessModes, storageClassName, volumeMode: mode, resources: wanted } = target.spec ?? {};
  const { labels, annotations } = target.metadata;
  // With a node, its annotation alone: others of the target may speak of a binding that is not this one's.
  const notes = node === undefined ? withoutBinding(annotations ?? {}) : { [selectedNode]: node };
  return {
    apiVersion: apiVersionOf(resources.claims),
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(labels && { labels }),
      annotations: notes,
      ownerReferences: [ownerOf(download)],
    },
    spec: {
      ...(accessModes && { accessModes }),
      ...(storageClassName !== undefined && { storageClassName }),
      ...(mode !== undefined && { volumeMode: mode }),
      ...(wanted && { resources: wanted }),
    },
  };
}

/** Whether a claim's volume is a raw device. */
export function isBlock(claim: Pick<Claim, "spec">): boolean {
  return claim.spec?.volumeMode === "Block";
}

function volumeMode({ spec }: Content, source: Claim | undefined): string {
  return source?.spec?.volumeMode ?? spec?.sourceVolumeMode ?? "Filesystem";
}

function sizeOf({ status }: Snapshot, source: Claim | undefined): string | undefined {
  const known = [status?.restoreSize, source?.spec?.resources?.requests?.["storage"]];
  return known.find((size) => (parseQuantity(size) ?? 0) > 0);
}

function withoutBinding(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).filter(
      ([key]) => !key.startsWith("pv.kubernetes.io/") && !key.includes("storage-provisioner"),
    ),
  );
}
