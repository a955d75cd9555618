// CSI snapshots of claims and the movement of their data: the objects of both, in backups, restores and deletions.
// Not here: copying the data itself (agent), and which claims belong in a backup (engines/backup).
export { type CsiDeps, claimSnapshots } from "./backup-claims.ts";
export { csiRemover } from "./remove.ts";
export { claimRestores } from "./restore-claims.ts";
