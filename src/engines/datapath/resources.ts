import { kinds } from "../../api/index.ts";
import { builtIn, type Resource, resourceOf } from "../../kube/index.ts";

/** The endpoints that this room talks to. */
export const resources = {
  dataUploads: resourceOf(kinds.DataUpload),
  dataDownloads: resourceOf(kinds.DataDownload),
  pods: builtIn.pods,
  claims: builtIn.claims,
  volumes: builtIn.volumes,
  snapshots: builtIn.snapshots,
  contents: builtIn.snapshotContents,
  storageClasses: builtIn.storageClasses,
  configMaps: builtIn.configMaps,
  nodes: builtIn.nodes,
  events: builtIn.events,
  priorityClasses: builtIn.priorityClasses,
} as const satisfies Record<string, Resource>;
