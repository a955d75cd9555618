import { expect, test } from "vitest";
import type { VolumeSnapshotLocation } from "../../api/index.ts";
import { locationsOf } from "./locations.ts";

const location = (name: string, provider: string): VolumeSnapshotLocation => ({
  apiVersion: "velero.io/v1",
  kind: "VolumeSnapshotLocation",
  metadata: { name },
  spec: { provider },
});
const all = [location("a", "aws"), location("f1", "folder"), location("f2", "folder")];

test.each([
  ["those that are named", ["f2", "gone"], ["f2"]],
  ["the only one of each provider", [], ["a"]],
  ["the only one of each provider, when nothing is said", undefined, ["a"]],
])("locationsOf() %s", (_name, names, want) => {
  expect(locationsOf(names, all).map(({ metadata }) => metadata.name)).toEqual(want);
});
