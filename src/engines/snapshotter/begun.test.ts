import { expect, test } from "vitest";
import { begunKey, readBegun } from "./begun.ts";

const one = { volume: "pv-1", location: "l", volumeID: "v", volumeAZ: "", at: "2026-11-16T00:00:00Z" };

test("readBegun() reads what was written, and passes over everything else", () => {
  const annotations = {
    [begunKey("pv-1")]: JSON.stringify(one),
    [begunKey("pv-2")]: JSON.stringify(one), // of another volume than it says
    [begunKey("pv-3")]: "{",
    [begunKey("pv-4")]: JSON.stringify({ volume: "pv-4" }),
    "other.dev/x": JSON.stringify(one),
  };
  expect(readBegun(annotations)).toEqual([one]);
  expect(readBegun(undefined)).toEqual([]);
});

test("begunKey() is short enough for an annotation, however long the volume's name is", () => {
  expect((begunKey("v".repeat(253)).split("/")[1] ?? "").length).toBeLessThanOrEqual(63);
});
