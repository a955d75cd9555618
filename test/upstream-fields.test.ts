import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { allKinds } from "../src/api/index.ts";
import { fieldLines } from "./harness/field-lines.ts";

const recorded = join(import.meta.dirname, "../src/api/velero/testdata/velero-1.18.1-fields.txt");
/** Fields of ours in upstream's kinds. */
const additions = [
  "Backup.spec.cancel boolean",
  "Restore.spec.cancel boolean",
  // Of its releases after 1.18.
  "Restore.spec.resourcePolicy object nullable requires kind,name atomic",
  "Restore.spec.resourcePolicy.apiGroup string",
  "Restore.spec.resourcePolicy.kind string",
  "Restore.spec.resourcePolicy.name string",
  "PodVolumeBackup.status.node string",
];
/** Kinds of ours in upstream's group. */
const ownKinds = ["VolumePluginBackup", "VolumePluginRestore"];

test("Velero's kinds have Velero's fields, limits and defaults, and only known additions", () => {
  const theirs = readFileSync(recorded, "utf8").trimEnd().split("\n");
  const kinds = allKinds.filter((kind) => kind.group === "velero.io" && !ownKinds.includes(kind.kind));
  const ours = kinds.flatMap((kind) =>
    Object.entries(kind.fields).flatMap(([name, field]) => fieldLines(field, `${kind.kind}.${name}`)),
  );
  expect(theirs.length).toBeGreaterThan(500);
  expect(theirs.filter((line) => !ours.includes(line))).toEqual([]);
  expect(ours.filter((line) => !theirs.includes(line))).toEqual(additions);
});
