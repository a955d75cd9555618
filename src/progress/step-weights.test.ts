import { expect, test } from "vitest";
import { stepWeight } from "./step-weights.ts";

test("[AG13] a tail that nobody has measured weighs little beside the work in front of it", () => {
  for (const kind of ["backup", "restore"]) {
    for (const items of [1, 10_030]) {
      const work = stepWeight(kind, "items", { items });
      expect(stepWeight(kind, "finish", { items }) / work, kind).toBeLessThan(0.21);
    }
  }
});

test("[AG13] a step weighs what there is to do in it", () => {
  const small = stepWeight("restore", "volumes", { bytes: 1e6, volumes: 1 });
  const large = stepWeight("restore", "volumes", { bytes: 1.8e9, volumes: 1 });
  expect(large / small).toBeGreaterThan(10);
  // 2,007 objects and 1.8 GB: most of such a restore is the volume.
  const share = large / (large + stepWeight("restore", "items", { items: 2007 }));
  expect(share).toBeGreaterThan(0.5);
  expect(share).toBeLessThan(0.9);
});

test("[AG13] a volume that nobody has measured is not nothing", () => {
  const unknown = stepWeight("backup", "volumes", { volumes: 2 });
  expect(unknown).toBeGreaterThan(5 * stepWeight("backup", "volumes", { volumes: 2, bytes: 0 }));
});

test("[AG13] a step that the table does not know is one second", () => {
  expect(stepWeight("migration", "EnsureLabelsDeleted")).toBe(1);
  expect(stepWeight("migration", "StageBackupCreated")).toBe(20);
  expect(stepWeight("nothing", "at all", { items: 5 })).toBe(1);
});
