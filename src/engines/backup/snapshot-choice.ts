import type { Backup } from "../../api/index.ts";
import type { VolumeAction } from "./policies.ts";

/** Why a volume gets no snapshot, or undefined when it is to have one if a location can. */
export function snapshotRefusal(
  spec: Backup["spec"],
  facts: { readonly copied: boolean; readonly action: VolumeAction | undefined },
): string | undefined {
  if (facts.copied) return "its files are copied";
  switch (facts.action) {
    case "skip":
      return "a policy skips it";
    case "fs-backup":
      return "a policy has its files copied instead";
    case "custom":
      return "a policy leaves it to an action of its own";
    case "snapshot":
    case undefined:
      return spec?.snapshotVolumes === false ? "the backup takes no snapshots" : undefined;
  }
}
