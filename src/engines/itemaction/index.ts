// Item actions of plugins: what they make of the items of backups, restores and deletions, and the operations that they begin.
// Finding plugins and speaking to them is done in src/plugins; which items there are is decided by the engines that call this one.
export { backupItemActions } from "./backup-actions.ts";
export { deleteItemActions } from "./delete-actions.ts";
export { restoreItemActions } from "./restore-actions.ts";
