import fc from "fast-check";
import { expect, test } from "vitest";
import { restoreNameOf, runNameOf, scratchName, suffixOf } from "./names.ts";

const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);

test("scratchName() is a legal name that is never the source's, the same each time, and differs with the drill", () => {
  fc.assert(
    fc.property(name, fc.uuid(), fc.uuid(), (namespace, uid, other) => {
      const scratch = scratchName(namespace, uid);
      expect(scratch).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
      expect(scratch).not.toBe(namespace);
      expect(scratchName(namespace, uid)).toBe(scratch);
      if (suffixOf(uid) !== suffixOf(other)) expect(scratchName(namespace, other)).not.toBe(scratch);
    }),
  );
});

test("scratchName() keeps long names apart that begin alike", () => {
  const long = "a".repeat(60);
  expect(scratchName(`${long}-b`, "u")).not.toBe(scratchName(`${long}-c`, "u"));
  expect(scratchName("shop", "u")).toMatch(/^shop-drill-[a-z0-5]{5}$/);
});

test("restoreNameOf() and runNameOf() fit into names", () => {
  const metadata = { name: "d".repeat(100), uid: "u" };
  const restore = restoreNameOf({ apiVersion: "headway.dev/v1alpha1", kind: "Drill", metadata });
  expect(restore.length).toBe(63);
  expect(runNameOf("proof", Date.UTC(2026, 10, 15, 3))).toBe("proof-20261115030000");
});
