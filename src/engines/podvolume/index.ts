// Pod volumes: which are copied, the objects of each copy, repositories, and waiting for copies to end.
// Not here: running the movers on a node (agent/) and the movers themselves.
export { type ChoosingRules, type Chosen, chooseVolumes, takesClaims, type VolumeVerdict } from "./choose.ts";
export { type Bytes, finalBytes, foldBytes } from "./numbers.ts";
export {
  type BackupVolume,
  type ClaimFacts,
  newPodVolumeBackup,
  newPodVolumeRestore,
  type RestoreVolume,
  type Uploader,
  uploaderOf,
} from "./objects.ts";
export { claimOf, type PodObject, type PodVolume, volumeOf } from "./pod.ts";
export { givenUp, hasEnded, type Waited } from "./quiet.ts";
export { resources } from "./resources.ts";
export {
  isHeldBack,
  markerFolder,
  type WaitSettings,
  waitSettings,
  withRestoreWait,
} from "./restore-wait.ts";
