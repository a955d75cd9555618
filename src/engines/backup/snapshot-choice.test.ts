import { expect, test } from "vitest";
import { snapshotRefusal } from "./snapshot-choice.ts";

test.each([
  ["by default", {}, { copied: false, action: undefined }, undefined],
  ["that a policy wants", {}, { copied: false, action: "snapshot" }, undefined],
  ["whose files are copied", {}, { copied: true, action: "snapshot" }, { reason: "its files are copied" }],
  [
    "that a policy skips",
    {},
    { copied: false, action: "skip" },
    { reason: "a policy skips it", isWish: true },
  ],
  [
    "that a policy copies",
    {},
    { copied: false, action: "fs-backup" },
    { reason: "a policy has its files copied instead" },
  ],
  [
    "of a custom action",
    {},
    { copied: false, action: "custom" },
    { reason: "a policy leaves it to an action of its own", isWish: true },
  ],
  [
    "when snapshots are off",
    { snapshotVolumes: false },
    { copied: false, action: undefined },
    { reason: "the backup takes no snapshots" },
  ],
] as const)("snapshotRefusal() of a volume %s", (_name, spec, facts, want) => {
  expect(snapshotRefusal(spec, facts)).toEqual(want);
});
