// Pod volumes: which are copied, the objects of each copy, repositories, and waiting for copies to end.
// Not here: running the movers on a node (agent/) and the movers themselves.
export { agentLives, leaseEveryMs, leaseName, renewLease } from "./agent-lease.ts";
export { podVolumeBackups } from "./backup-volumes.ts";
export { movedForgetter, snapshotForgetter } from "./forget.ts";
export { locationMask, placeOf, readLocation } from "./location.ts";
export { moverFinder, type OpenMover } from "./movers.ts";
export { type Uploader, uploaderOf } from "./objects.ts";
export { claimOf, type PodObject, volumeOf } from "./pod.ts";
export { Repositories } from "./repositories.ts";
export { type RepositoryKey, readRepository, repositoryPassword } from "./repository.ts";
export { awaitRepository, openedRepository } from "./repository-object.ts";
export { resources } from "./resources.ts";
export { heldBack, RestoreVolumes } from "./restore-volumes.ts";
export { isHeldBack, markerFolder } from "./restore-wait.ts";
export { markUnified } from "./unified.ts";
