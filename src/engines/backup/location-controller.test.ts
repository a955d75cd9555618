import { expect, test } from "vitest";
import type { BackupStorageLocation } from "../../api/index.ts";
import { surplusDefaults } from "./location-controller.ts";

function location(name: string, isDefault: boolean, day: number): BackupStorageLocation {
  return {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name, creationTimestamp: `2026-01-0${day}T00:00:00Z` },
    spec: { provider: "aws", objectStorage: { bucket: "b" }, default: isDefault },
  } as BackupStorageLocation;
}

test.each([
  ["none", [location("a", false, 1)], undefined, { keep: undefined, unset: [] }],
  ["one", [location("a", true, 1), location("b", false, 2)], undefined, { keep: "a", unset: [] }],
  [
    "two after a restart",
    [location("b", true, 2), location("a", true, 1)],
    undefined,
    { keep: "a", unset: ["b"] },
  ],
  ["a new one wins", [location("a", true, 1), location("b", true, 2)], "a", { keep: "b", unset: ["a"] }],
  [
    "an older one that was marked later wins",
    [location("a", true, 1), location("b", true, 2)],
    "b",
    { keep: "a", unset: ["b"] },
  ],
])("surplusDefaults(): %s", (_name, all, known, want) => {
  expect(surplusDefaults(all, known)).toEqual(want);
});
