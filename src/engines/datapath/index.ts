// Moving the data of volume snapshots: the objects that make a snapshot or a new volume reachable on a node, and their removal.
// Not here: copying the bytes (agent/, movers/), and making DataUploads and DataDownloads (engines/csi).
export { AbnormalPod, awaitPod, type Holder, runningPod } from "./await-pod.ts";
export { cleanUp } from "./clean-up.ts";
export type { DatapathDeps, OnWait } from "./deps.ts";
export { exposeDownload, targetOf } from "./expose-download.ts";
export { exposeUpload } from "./expose-upload.ts";
export { loadSettings } from "./load-settings.ts";
export { noteRebind, rebind } from "./rebind.ts";
export { readRebind } from "./rebind-note.ts";
export { resources as datapathResources } from "./resources.ts";
export { type MovementSettings, usualSettings } from "./settings.ts";
export { isUpload, type Movement } from "./shapes.ts";
export { faultOf, isBuiltIn } from "./words.ts";
