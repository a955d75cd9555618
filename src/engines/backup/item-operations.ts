import type { Backup, StoredBackupOperation } from "../../api/index.ts";
import { countOperations, type ItemOperation } from "../../kinds/index.ts";
import type { Related } from "./related.ts";
import type { VolumeFindings } from "./volumes.ts";

/** An operation on an item of a backup, as it is now. */
export type BackupItemOperation = ItemOperation<StoredBackupOperation>;

/**
 * One source of operations that go on beside the items, for the length of one run: CSI snapshots, data movement, plugins.
 *
 * After a restart of the operator the same backup is run again: an implementation finds what it had begun and begins
 * none of it twice.
 */
export interface ItemOperations {
  /** All that were begun, in the order of their beginning. */
  list(): readonly BackupItemOperation[];
  /**
   * Waits until all have ended, well or not; failures go to `found.errors`. One that takes longer than the backup's
   * itemOperationTimeout is canceled and has failed.
   */
  finish(found: VolumeFindings, signal: AbortSignal): Promise<void>;
  /** Items that are stored as they are after the end, whatever the filters say. Asked when `finish` has returned. */
  lateItems(): readonly Related[];
  /**
   * The backup is stored: what was there only to make it goes. May be called without anything before it, by the process
   * after the one that stored the backup.
   */
  settle(signal: AbortSignal): Promise<void>;
  /** The backup comes to nothing: what was made for it alone is removed, that of earlier processes too. */
  cancel(): Promise<void>;
}

/** What a source is told about the run. */
export interface ItemOperationsContext {
  readonly backup: Backup;
  /** Called when something moved, so that the backup's own progress is written. */
  readonly moved: () => void;
}

/** Opens a source for one run. */
export type OpenItemOperations<T extends ItemOperations = ItemOperations> = (
  context: ItemOperationsContext,
  signal: AbortSignal,
) => Promise<T>;

/** Several sources as one. */
export class AllOperations implements ItemOperations {
  readonly #sources: readonly ItemOperations[];

  constructor(sources: readonly ItemOperations[]) {
    this.#sources = sources;
  }

  list(): readonly BackupItemOperation[] {
    return this.#sources.flatMap((source) => source.list());
  }

  /** The counters of the backup's status. */
  counts(): Readonly<Record<string, number>> {
    return countOperations("backup", this.list());
  }

  async finish(found: VolumeFindings, signal: AbortSignal): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.finish(found, signal)));
  }

  lateItems(): readonly Related[] {
    return this.#sources.flatMap((source) => source.lateItems());
  }

  async settle(signal: AbortSignal): Promise<void> {
    for (const source of this.#sources) await source.settle(signal);
  }

  /** What one source cannot remove does not keep the others from it. */
  async cancel(): Promise<void> {
    await Promise.allSettled(this.#sources.map((source) => source.cancel()));
  }
}
