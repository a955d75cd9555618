// Pod volumes: which are copied, the objects of each copy, repositories, and waiting for copies to end.
// Not here: running the movers on a node (agent/) and the movers themselves.
export { agentLives, leaseEveryMs, leaseName, renewLease } from "./agent-lease.ts";
export { type PodVolumeDeps, podVolumeBackups } from "./backup-volumes.ts";
export { type ChoosingRules, type Chosen, chooseVolumes, type VolumeVerdict } from "./choose.ts";
export { snapshotForgetter } from "./forget.ts";
export { locationMask, placeOf, readLocation } from "./location.ts";
export { moverFinder, type OpenMover } from "./movers.ts";
export { type Uploader, uploaderOf } from "./objects.ts";
export { claimOf, type PodObject, type PodVolume, volumeOf } from "./pod.ts";
export { Repositories, type RepositoryDeps } from "./repositories.ts";
export { type RepositoryKey, readRepository } from "./repository.ts";
export { resources } from "./resources.ts";
export { type RestoreVolumeDeps, RestoreVolumes } from "./restore-volumes.ts";
export { isHeldBack, markerFolder, waitSettings, withRestoreWait } from "./restore-wait.ts";
