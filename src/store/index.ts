// Object stores: where backups, restores and repositories keep their files, and under which keys.
// Not here: what those files say, when they are written, and the repositories' own formats. Whatever is read into memory is
// bounded here, since others may write to the store.
export { type AzureSettings, azureSettings } from "./azure/config.ts";
export { type AzureIdentity, openPem } from "./azure/identity.ts";
export { accountKey } from "./azure/keys.ts";
export { parseCredentials } from "./credentials.ts";
export { FilesystemStore } from "./filesystem.ts";
export { gcsSettings } from "./gcs/config.ts";
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
  validateLocation,
} from "./layout.ts";
export {
  type LocationSpec,
  lacksBucket,
  locationFolder,
  makeBucket,
  mountedCredentials,
  openStore,
  ownProvider,
  providerOf,
} from "./location.ts";
export {
  checkMarker,
  findMarker,
  hasMarker,
  type KnownMarker,
  knownMarker,
  markerAnnotation,
  markerNote,
  type OpenHow,
  replaced,
  writeMarker,
} from "./marker.ts";
export { MemoryStore } from "./memory.ts";
export { prefixed } from "./prefixed.ts";
export { S3Store } from "./s3.ts";
export { credentialSecrets } from "./secrets.ts";
export type { Body, Entry, ListOptions, ObjectInfo, Store } from "./store.ts";
export { storedJson, storedList, storedMetadata } from "./stored.ts";
