// Object stores: where backups, restores and repositories keep their files, and under which keys.
// Not here: what those files say, when they are written, and the repositories' own formats. Whatever is read into memory is
// bounded here, since others may write to the store.
export { type Credentials, parseCredentials } from "./credentials.ts";
export { FilesystemStore } from "./filesystem.ts";
export { JsonScan, parseScanned } from "./json-scan.ts";
export { checkKey } from "./key.ts";
export {
  type BackupFile,
  backupFolder,
  backupKey,
  backupNames,
  downloadKey,
  type RestoreFile,
  repositoryFolder,
  restoreFolder,
  restoreKey,
  restoreNames,
  validateLocation,
} from "./layout.ts";
export { type LocationSpec, lacksBucket, locationFolder, makeBucket, openStore } from "./location.ts";
export {
  checkMarker,
  findMarker,
  hasMarker,
  type KnownMarker,
  knownMarker,
  type MarkedLocation,
  markerAnnotation,
  markerNote,
  type OpenHow,
  replaced,
  writeMarker,
} from "./marker.ts";
export { MemoryStore } from "./memory.ts";
export { prefixed } from "./prefixed.ts";
export { S3Store } from "./s3.ts";
export type { S3Spec } from "./s3-config.ts";
export type { Body, Entry, ListOptions, ObjectInfo, Store } from "./store.ts";
export { storedJson, storedList, storedMetadata } from "./stored.ts";
