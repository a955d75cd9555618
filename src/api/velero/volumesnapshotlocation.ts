import { secretKey } from "../core.ts";
import { ageColumn, column, defineKind, type ObjectOf } from "../kind.ts";
import { choice, obj, str, stringMap } from "../schema.ts";
import { v1 } from "./group.ts";

/** The kind VolumeSnapshotLocation. */
export const volumeSnapshotLocation = defineKind({
  ...v1,
  kind: "VolumeSnapshotLocation",
  plural: "volumesnapshotlocations",
  shortNames: ["vsl"],
  description: "Where native volume snapshots are kept",
  fields: {
    spec: obj(
      "Which provider, and how to reach it",
      {
        provider: str("The volume snapshotter plugin, such as aws"),
        config: stringMap("Settings of the provider"),
        credential: secretKey("Credentials for this location"),
      },
      ["provider"],
    ),
    status: obj("How the location is", {
      phase: choice("Whether the location can be used", ["Available", "Unavailable"]),
    }),
  },
  columns: [column("Provider", ".spec.provider"), column("Phase", ".status.phase"), ageColumn],
});

/** Where native volume snapshots are kept. */
export type VolumeSnapshotLocation = ObjectOf<typeof volumeSnapshotLocation>;
