import type { ItemOperations } from "./item-operations.ts";
import type { Item } from "./source.ts";
import type { VolumeInfo, VolumeSeen } from "./volume-info.ts";
import type { VolumeFindings } from "./volumes.ts";

/** What became of the wish for a snapshot of a claim: it is being taken, or why it is not. */
type ClaimTaken = "begun" | { readonly skipped: string; readonly isTold?: boolean };

/**
 * Snapshots that are taken of claims, by the storage's own driver; implemented by the engine that knows VolumeSnapshots.
 * Taking one returns at once, so that no other item waits for it.
 */
export interface ClaimSnapshots extends ItemOperations {
  /** Whether a volume is of a kind whose claim could get a snapshot here: then no other snapshotter takes it. */
  covers(volume: Item): boolean;
  /** Begins the snapshot of a bound claim, of the class that a resource policy may ask for. */
  take(
    claim: Item,
    volume: Item,
    wish: VolumeFindings & { readonly snapshotClass?: string | undefined },
    signal: AbortSignal,
  ): Promise<ClaimTaken>;
  /** Resolves when the moment of these snapshots (`namespace/name` of their claims) has passed: what a hook froze may thaw. */
  taken(claims: readonly string[], signal: AbortSignal): Promise<void>;
  /** A claim as it is stored, with the name of its snapshot; asked when `finish` has returned. */
  storedClaim(claim: Item): Item;
  /** What the backup's volume infos say about the claims that were begun. */
  volumeInfos(volumes: readonly VolumeSeen[]): readonly VolumeInfo[];
  /** `csiVolumeSnapshotsAttempted`, `csiVolumeSnapshotsCompleted`; zeros are left out. */
  counts(): Readonly<Record<string, number>>;
}
