import type { Backup, VolumeFacts } from "../../api/index.ts";
import type { ArchivedItem } from "./archive.ts";
import type { Filters } from "./filters.ts";
import type { NamespaceFacts } from "./namespaces.ts";
import type { PodBlocks } from "./pod-blocks.ts";
import type { PodItems } from "./pod-items.ts";
import type { VolumeAction } from "./policies.ts";
import type { Findings } from "./results.ts";
import type { Snapshots } from "./snapshots.ts";
import type { ResourceType, Source } from "./source.ts";

/** What collecting is given. */
export interface CollectOptions {
  readonly backup: Backup;
  readonly source: Source;
  readonly filters: Filters;
  /** Every type of the cluster. */
  readonly served: readonly ResourceType[];
  readonly namespaces: readonly NamespaceFacts[];
  readonly archive: { add(item: ArchivedItem, json: Uint8Array): Promise<void> | undefined };
  readonly warnings: Pick<Findings, "add">;
  readonly errors: Pick<Findings, "add">;
  readonly pods: PodItems;
  readonly blocks: Pick<PodBlocks, "mates">;
  readonly snapshots?: Snapshots | undefined;
  /** What the backup's policies say about a volume; absent when there are none. */
  readonly volumeAction?: ((facts: VolumeFacts) => VolumeAction | undefined) | undefined;
  /** Called for each page and each slow item, with what is being stored. */
  readonly onMove: (present: string) => void;
  /** Called when the lists have been counted. */
  readonly onCounted: () => void;
}
