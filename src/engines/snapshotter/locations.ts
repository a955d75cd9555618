import type { VolumeSnapshotLocation } from "../../api/index.ts";

/** The locations of a backup: those it names, else the only one of each provider. */
export function locationsOf(
  names: readonly string[] | null | undefined,
  all: readonly VolumeSnapshotLocation[],
): readonly VolumeSnapshotLocation[] {
  if (names && names.length > 0) {
    return names.flatMap((name) => all.find(({ metadata }) => metadata.name === name) ?? []);
  }
  const byProvider = Map.groupBy(all, ({ spec }) => spec?.provider ?? "");
  return [...byProvider.values()].flatMap((group) => (group.length === 1 ? group : []));
}
