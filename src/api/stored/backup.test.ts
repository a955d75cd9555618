import { expect, test } from "vitest";
import { readStoredBackup } from "./backup.ts";

const good = {
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "b", uid: "u", labels: { "velero.io/storage-location": "l" } },
  spec: { ttl: "720h" },
  status: { phase: "Completed", expiration: "2026-12-01T00:00:00Z" },
};
const read = (change: object) => readStoredBackup({ ...good, ...change }, "f", "b");

test("readStoredBackup() takes a Backup", () => {
  expect(read({})).toMatchObject({ name: "b", uid: "u", phase: "Completed", spec: good.spec, schedules: [] });
  const annotations = { "Example.COM/Note": "x\ny" };
  expect(read({ metadata: { name: "b", annotations } }).annotations).toEqual(annotations);
  expect(read({ status: {} }).phase).toBe("New");
});

test.each<[string, object]>([
  ["kind", { kind: "Restore" }],
  ["kind", { kind: undefined }],
  ["apiVersion", { apiVersion: "v1" }],
  ["metadata", { metadata: [] }],
  ["metadata.name", { metadata: { name: "c" } }],
  ["metadata.name", { metadata: { name: "../../b" } }],
  ["metadata.uid", { metadata: { name: "b", uid: "--x" } }],
  ["metadata.labels", { metadata: { name: "b", labels: { __evil__: "x" } } }],
  [
    "metadata.ownerReferences[0].uid",
    { metadata: { name: "b", ownerReferences: [{ kind: "Schedule", name: "s", uid: 3 }] } },
  ],
  ["spec", { spec: "none" }],
  ["status.phase", { status: { phase: "Ran" } }],
  ["status.expiration", { status: { phase: "Completed", expiration: "tomorrow" } }],
])("readStoredBackup() refuses a bad %s", (field, change) => {
  expect(() => read(change)).toThrow(
    expect.objectContaining({ code: "STORED_INVALID", message: expect.stringContaining(` ${field} is `) }),
  );
});
