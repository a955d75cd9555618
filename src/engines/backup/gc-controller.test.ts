import { expect, test } from "vitest";
import type { Backup } from "../../api/index.ts";
import { untilExpiryMs } from "./gc-controller.ts";

const now = Date.parse("2026-11-15T10:00:00Z");

test.each([
  ["later", { phase: "Completed", expiration: "2026-11-15T11:00:00Z" }, 3600_000],
  ["now", { phase: "Failed", expiration: "2026-11-15T09:00:00Z" }, 0],
  ["never", { phase: "Completed" }, undefined],
  ["not while it runs", { phase: "InProgress", expiration: "2026-11-15T09:00:00Z" }, undefined],
  ["not twice", { phase: "Deleting", expiration: "2026-11-15T09:00:00Z" }, undefined],
  ["what cannot be read is not over", { phase: "Completed", expiration: "soon" }, undefined],
])("untilExpiryMs(): %s", (_name, status, want) => {
  expect(untilExpiryMs({ metadata: { name: "b" }, status } as Backup, now)).toBe(want);
});
