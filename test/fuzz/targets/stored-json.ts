import {
  type Backup,
  readStoredBackup,
  readStoredPodVolumeBackups,
  readStoredSnapshotRecords,
} from "../../../src/api/index.ts";
import { describeText } from "../../../src/cli/backup/describe-text.ts";
import { readResourceList, readResults } from "../../../src/cli/backup/stored-words.ts";
import {
  importedBackup,
  importedSnapshot,
  importedVolume,
  isAnothers,
} from "../../../src/engines/backup/sync-plan.ts";
import { uniqueIdOf } from "../../../src/engines/podvolume/unified.ts";
import { recordsOf } from "../../../src/engines/restore/json.ts";
import { volumeMethods } from "../../../src/engines/restore/stored.ts";
import { newerRecords } from "../../../src/engines/snapshotter/records.ts";
import { snapshotIds, storedSnapshots } from "../../../src/engines/snapshotter/stored-snapshots.ts";
import type { BackupFile } from "../../../src/store/index.ts";
import { JsonScan, parseScanned } from "../../../src/store/json-scan.ts";
import { mutateBytes } from "../bytes.ts";
import { type Json, mutateJson } from "../json.ts";
import * as samples from "../samples.ts";
import { target } from "../target.ts";

/** A sample of every file of a backup but its archive. */
export const samplesByFile: Readonly<Partial<Record<BackupFile, Json>>> = {
  metadata: samples.storedBackup,
  podVolumeBackups: samples.storedCopies,
  volumePluginBackups: samples.storedRecords,
  volumeSnapshots: samples.storedSnapshotList,
  volumeInfo: samples.volumeInfos,
  results: samples.results,
  resourceList: samples.resourceList,
  itemOperations: samples.itemOperations,
  log: 'time="2026-11-16T10:00:00Z" level=info msg="hello"',
};
const files = Object.keys(samplesByFile) as readonly BackupFile[]; // the keys of the table are its names

/** The same readers without a store and its compression between: many times faster. */
export const storedJsonTexts = target<Uint8Array>({
  name: "stored-json",
  covers:
    "the JSON of stored files: the scan before the parser, the readers of each file, and what is made of them",
  make(random) {
    const at = random.below(files.length);
    const text = Buffer.from(
      JSON.stringify(mutateJson(random, samplesByFile[files[at] ?? "metadata"] ?? null)),
    );
    return Buffer.concat([Buffer.from([at]), random.oneIn(3) ? mutateBytes(random, text) : text]);
  },
  run(given) {
    const bytes = given.subarray(1);
    const scan = new JsonScan();
    scan.push(bytes);
    if (scan.depth > 64) return false;
    const read = parseScanned(bytes, scan);
    if ("fault" in read) return false;
    return useStored(files[(given[0] ?? 0) % files.length] ?? "metadata", read.value);
  },
});

const backup = samples.storedBackup as unknown as Backup; // a sample of that kind
const place = { namespace: "velero", location: "default", backupLabel: "b" };
const facts = {
  namespace: "velero",
  location: "default",
  locationLabel: "default",
  schedules: new Map([["u", "nightly"]]),
  nowMs: 1_800_000_000_000,
};

/** Does with a stored file what the product does with it. */
export function useStored(file: BackupFile, value: unknown): boolean | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  switch (file) {
    case "metadata":
      importedBackup(readStoredBackup(value, "f", "b"), facts);
      return undefined;
    case "podVolumeBackups":
      for (const copy of readStoredPodVolumeBackups(list, "f")) importedVolume(copy, backup, place);
      return undefined;
    case "volumePluginBackups": {
      newerRecords(list, []);
      const records = readStoredSnapshotRecords(list, "f");
      for (const record of records) if (!isAnothers(record, backup)) importedSnapshot(record, backup, place);
      newerRecords(list, records);
      return undefined;
    }
    case "volumeSnapshots":
      snapshotIds(list, "f");
      storedSnapshots(list, "f");
      return undefined;
    case "volumeInfo":
      volumeMethods(recordsOf(list));
      return undefined;
    default:
      uniqueIdOf(value);
      describeText({
        backup,
        copies: [],
        deletions: [],
        details: true,
        results: readResults(value),
        resourceList: readResourceList(value),
      });
      return undefined;
  }
}
