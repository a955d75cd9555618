import { type DataUpload, sourceContentAnnotation } from "../../api/index.ts";
import { apiVersionOf } from "../../kube/index.ts";
import { resources } from "./resources.ts";
import type { Content, Made, Snapshot } from "./shapes.ts";

const managedBy = "snapshot.storage.kubernetes.io/managed-by";

/** What a snapshot is exposed from. */
export interface SourceSnapshot {
  readonly snapshot: Snapshot;
  readonly content: Content;
}

/** The snapshot by which the data is read, in the server's namespace under the upload's name, as upstream makes it. */
export function exposedSnapshot({ metadata }: DataUpload, { snapshot, content }: SourceSnapshot): Made {
  const { name, namespace } = metadata;
  const className = snapshot.spec?.volumeSnapshotClassName;
  return {
    apiVersion: apiVersionOf(resources.snapshots),
    kind: "VolumeSnapshot",
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      annotations: {
        ...snapshot.metadata.annotations,
        [sourceContentAnnotation]: content.metadata.name,
      },
    },
    spec: {
      source: { volumeSnapshotContentName: name },
      ...(className !== undefined && { volumeSnapshotClassName: className }),
    },
  };
}

/** Its content: a second one of the same snapshot in the storage, which goes with it. */
export function exposedContent(
  { metadata }: DataUpload,
  { content }: SourceSnapshot,
  exposed: Snapshot,
): Made {
  const { name, namespace, uid, resourceVersion } = exposed.metadata;
  const manager = content.metadata.labels?.[managedBy];
  const className = content.spec?.volumeSnapshotClassName;
  const mode = content.spec?.sourceVolumeMode;
  return {
    apiVersion: apiVersionOf(resources.contents),
    kind: "VolumeSnapshotContent",
    metadata: {
      name: metadata.name,
      ...(content.metadata.annotations && { annotations: content.metadata.annotations }),
      ...(manager !== undefined && { labels: { [managedBy]: manager } }),
    },
    spec: {
      deletionPolicy: "Delete",
      driver: content.spec?.driver ?? "",
      source: { snapshotHandle: content.status?.snapshotHandle ?? "" },
      ...(className !== undefined && { volumeSnapshotClassName: className }),
      ...(mode !== undefined && { sourceVolumeMode: mode }),
      volumeSnapshotRef: {
        apiVersion: apiVersionOf(resources.snapshots),
        kind: "VolumeSnapshot",
        name,
        namespace,
        uid,
        resourceVersion,
      },
    },
  };
}

/** Whether a content is the one that was made for this upload. */
export function isExposedContent({ metadata }: DataUpload, content: Content): boolean {
  const { namespace, name } = content.spec?.volumeSnapshotRef ?? {};
  return (
    content.metadata.name === metadata.name && namespace === metadata.namespace && name === metadata.name
  );
}
