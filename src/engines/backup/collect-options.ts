import type { Backup, VolumeFacts } from "../../api/index.ts";
import type { ArchiveWriter } from "./archive.ts";
import type { ClaimSnapshots } from "./claim-snapshots.ts";
import type { Filters } from "./filters.ts";
import type { ItemActions } from "./item-actions.ts";
import type { NamespaceFacts } from "./namespaces.ts";
import type { PodBlocks } from "./pod-blocks.ts";
import type { PodItems } from "./pod-items.ts";
import type { VolumeAction } from "./policies.ts";
import type { Findings } from "./results.ts";
import type { Snapshots } from "./snapshots.ts";
import type { ListJob, ResourceType, Source } from "./source.ts";

/** What collecting is given. */
export interface CollectOptions {
  readonly backup: Backup;
  readonly source: Source;
  readonly filters: Filters;
  /** Every type of the cluster. */
  readonly served: readonly ResourceType[];
  readonly namespaces: readonly NamespaceFacts[];
  readonly archive: Pick<ArchiveWriter, "add" | "replace">;
  readonly warnings: Pick<Findings, "add">;
  readonly errors: Pick<Findings, "add">;
  readonly info: (message: string) => void;
  /** What plugins do to items; absent when there are none. */
  readonly actions?: ItemActions | undefined;
  readonly pods: PodItems;
  readonly blocks: Pick<PodBlocks, "mates">;
  readonly snapshots?: Snapshots | undefined;
  readonly claimSnapshots?: ClaimSnapshots | undefined;
  /** What the backup's policies say about a volume; absent when there are none. */
  readonly volumeAction?: ((facts: VolumeFacts) => VolumeAction | undefined) | undefined;
  /** The VolumeSnapshotClass that they ask for. */
  readonly wantedClass?: ((facts: VolumeFacts) => string | undefined) | undefined;
  /** Called for each page and each slow item, with what is being stored. */
  readonly onMove: (present: string) => void;
  /** Called with the lists to come, while they are counted. */
  readonly onListed: (jobs: readonly ListJob[]) => Promise<void>;
  /** Called when the lists have been counted. */
  readonly onCounted: () => void;
}
