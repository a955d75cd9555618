import { expect, test } from "vitest";
import { isOurs } from "./apply.ts";
import { definitions } from "./manifests.ts";

test("isOurs() knows the kinds that this program installed from those of others", () => {
  for (const one of definitions()) expect(isOurs(one), one.metadata.name).toBe(true);
  expect(isOurs({ metadata: { name: "backups.velero.io", labels: { component: "velero" } } })).toBe(false);
  expect(isOurs({ metadata: { name: "backups.velero.io" } })).toBe(false);
  const before = { name: "a", managedFields: [{ manager: "headway-install" }] };
  expect(isOurs({ metadata: before })).toBe(true);
});
