import type { Backup } from "../../api/index.ts";
import type { VolumeAction } from "./policies.ts";
import type { Unsnapped } from "./protection.ts";

/** Why a volume gets no snapshot, or undefined when it is to have one if a location can. */
export function snapshotRefusal(
  spec: Backup["spec"],
  facts: { readonly copied: boolean; readonly action: VolumeAction | undefined },
): Unsnapped | undefined {
  if (facts.copied) return { reason: "its files are copied" };
  switch (facts.action) {
    case "skip":
      return { reason: "a policy skips it", isWish: true };
    case "fs-backup":
      return { reason: "a policy has its files copied instead" };
    case "custom":
      return { reason: "a policy leaves it to an action of its own", isWish: true };
    case "snapshot":
    case undefined:
      return spec?.snapshotVolumes === false ? { reason: "the backup takes no snapshots" } : undefined;
  }
}
