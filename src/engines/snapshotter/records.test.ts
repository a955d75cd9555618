import { expect, test } from "vitest";
import type { VolumePluginBackup } from "../../api/index.ts";
import { newerRecords } from "./records.ts";

const object = (name: string, status: object): VolumePluginBackup => ({
  apiVersion: "velero.io/v1",
  kind: "VolumePluginBackup",
  metadata: { name, managedFields: [] },
  spec: { volume: "pv", backup: "b", plugin: "p" },
  status: { phase: "Completed", snapshotID: name, ...status },
});

test("newerRecords() says nothing when nothing differs but what the server writes", () => {
  const { managedFields: _fields, ...metadata } = object("a", {}).metadata;
  const stored = [{ ...object("a", {}), metadata: { ...metadata, resourceVersion: "1" } }];
  expect(newerRecords(stored, [object("a", {})])).toBeUndefined();
  expect(newerRecords(stored, [])).toBeUndefined();
  expect(newerRecords([], [])).toBeUndefined();
});

test("newerRecords() takes what the cluster knows better, and keeps what it has forgotten", () => {
  const stored = [object("a", {}), object("b", {})];
  const records = newerRecords(stored, [object("b", { message: "late" }), object("c", {})]);
  expect(records).toMatchObject([
    { metadata: { name: "a" } },
    { metadata: { name: "b" }, status: { message: "late" } },
    { metadata: { name: "c" } },
  ]);
  expect(JSON.stringify(records?.slice(1))).not.toContain("managedFields");
});

test("newerRecords() keeps the stored id when a plugin's object has none", () => {
  expect(newerRecords([object("a", {})], [object("a", { snapshotID: "", message: "x" })])).toBeUndefined();
});
