import { expect, test } from "vitest";
import { snapshotRefusal } from "./snapshot-choice.ts";

test.each([
  ["by default", {}, { copied: false, action: undefined }, undefined],
  ["that a policy wants", {}, { copied: false, action: "snapshot" }, undefined],
  ["whose files are copied", {}, { copied: true, action: "snapshot" }, "its files are copied"],
  ["that a policy skips", {}, { copied: false, action: "skip" }, "a policy skips it"],
  [
    "that a policy copies",
    {},
    { copied: false, action: "fs-backup" },
    "a policy has its files copied instead",
  ],
  [
    "of a custom action",
    {},
    { copied: false, action: "custom" },
    "a policy leaves it to an action of its own",
  ],
  [
    "when snapshots are off",
    { snapshotVolumes: false },
    { copied: false, action: undefined },
    "the backup takes no snapshots",
  ],
] as const)("snapshotRefusal() of a volume %s", (_name, spec, facts, want) => {
  expect(snapshotRefusal(spec, facts)).toBe(want);
});
