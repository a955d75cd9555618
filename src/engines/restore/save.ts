import { gzipSync } from "node:zlib";
import { gzipped } from "../../../packages/wire/index.ts";
import type { Restore, StoredRestoreOperation } from "../../api/index.ts";
import { restoreKey, type Store } from "../../store/index.ts";
import type { Spool } from "./archive/spool.ts";
import type { Json } from "./json.ts";
import type { Outcomes } from "./outcomes.ts";
import type { RunLog } from "./run-log.ts";

/** Stores what a restore leaves behind: its log, results, resource list, and the two files that upstream's readers look for. */
export async function saveFiles(
  context: {
    readonly store: Store;
    readonly restore: Restore;
    readonly log: RunLog;
    readonly spool: Spool;
    readonly outcomes: Outcomes;
    readonly volumeInfos: readonly Json[];
    readonly operations: readonly StoredRestoreOperation[];
    readonly target: (namespace: string) => string;
  },
  signal: AbortSignal,
): Promise<void> {
  const { store, restore, log, spool, outcomes, volumeInfos, operations, target } = context;
  const name = restore.metadata.name;
  await store.put(restoreKey(name, "resourceList"), gzipped(outcomes.json(spool, target)), signal);
  await store.put(restoreKey(name, "itemOperations"), gzipSync(JSON.stringify(operations)), signal);
  await store.put(restoreKey(name, "volumeInfo"), gzipSync(JSON.stringify(volumeInfos)), signal);
  await saveResults(store, name, log, signal);
}

/** Stores the log and the results alone, for a restore that failed before it had anything else. */
export async function saveResults(
  store: Store,
  name: string,
  log: RunLog,
  signal: AbortSignal,
): Promise<void> {
  const results = { errors: log.errors.result(), warnings: log.warnings.result() };
  await store.put(restoreKey(name, "results"), gzipSync(JSON.stringify(results)), signal);
  await store.put(restoreKey(name, "log"), log.gzip(), signal);
}
