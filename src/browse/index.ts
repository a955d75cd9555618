// Looking into backups without restoring them: which objects and volumes, files of volumes, what differs, as whoever asks.
// Not here: how movers read their repositories (movers/), and drawing what was found (cli/, ui/).
export { addressText, parseAddress } from "./address.ts";
export { openBackup, pathIn, volumeAt } from "./backup-contents.ts";
export { type BackupDiff, diffBackups, diffLive } from "./diff/backups.ts";
export type { ObjectName } from "./diff/objects.ts";
export { type Inventory, inventoryOf, namesIn } from "./inventory.ts";
export type { BrowsePlace } from "./place.ts";
export { putFiles } from "./put-files.ts";
export { type Sighting, sightings } from "./sightings.ts";
export { targetOf } from "./target.ts";
export type { StoredVolume } from "./volumes.ts";
