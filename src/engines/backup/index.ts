// Backups: what belongs in, how it is stored, and the controllers of the kinds around them.
// Copying volumes, snapshots and restoring do not live here.
export { runBackup } from "./run.ts";
