import { expect, test } from "vitest";
import { isEndedCopy, readStoredPodVolumeBackups } from "./pod-volume-backup.ts";

const pod = { kind: "Pod", namespace: "shop", name: "web-0", uid: "6f0c1a9e-0000-4000-8000-000000000000" };
const good = {
  metadata: { name: "b-x" },
  spec: { pod, volume: "data", uploaderType: "kopia", repoIdentifier: "", node: "n1", tags: { ns: "shop" } },
  status: { phase: "Completed", snapshotID: "0123456789abcdef0123456789abcdef", progress: { totalBytes: 7 } },
};
const read = (spec: object, status: object = {}, metadata: object = {}) =>
  readStoredPodVolumeBackups(
    [
      good,
      {
        metadata: { ...good.metadata, ...metadata },
        spec: { ...good.spec, ...spec },
        status: { ...good.status, ...status },
      },
    ],
    "f",
  );

test("readStoredPodVolumeBackups() takes what upstream stores", () => {
  const [copy] = read({});
  expect(copy).toMatchObject({ metadata: { name: "b-x" }, spec: { pod, node: "" }, status: good.status });
  expect(copy).not.toHaveProperty("status.node");
  const [, restic] = read(
    { uploaderType: "", repoIdentifier: "s3:http://m:9000/b/restic/shop" },
    { snapshotID: "0123abcd" },
  );
  expect(restic?.status?.snapshotID).toBe("0123abcd");
});

test.each<[string, object, object, object]>([
  ["spec.pod.namespace", { pod: { ...pod, namespace: "../../x" } }, {}, {}],
  ["spec.pod.name", { pod: { ...pod, name: "-x" } }, {}, {}],
  ["spec.pod.uid", { pod: { ...pod, uid: "../x" } }, {}, {}],
  ["spec.volume", { volume: "../data" }, {}, {}],
  ["spec.uploaderType", { uploaderType: "rclone" }, {}, {}],
  ["spec.repoIdentifier", { repoIdentifier: "--x" }, {}, {}],
  ["spec.tags", { tags: { "--x": "y" } }, {}, {}],
  ["status.phase", {}, { phase: "Ran" }, {}],
  ["status.snapshotID", {}, { snapshotID: '--password-command=/bin/sh -c "id"' }, {}],
  ["status.snapshotID", {}, { snapshotID: "0123abcd" }, {}],
  ["status.snapshotID", { uploaderType: "restic" }, { snapshotID: "latest" }, {}],
  ["status.progress.totalBytes", {}, { progress: { totalBytes: -1 } }, {}],
  ["status.completionTimestamp", {}, { completionTimestamp: "now" }, {}],
  ["metadata.name", {}, {}, { name: "../x" }],
  ["metadata.labels.velero.io/pvc-uid", {}, {}, { labels: { "velero.io/pvc-uid": "-x" } }],
])("readStoredPodVolumeBackups() refuses a bad %s", (field, spec, status, metadata) => {
  expect(() => read(spec, status, metadata)).toThrow(
    expect.objectContaining({
      code: "STORED_INVALID",
      message: expect.stringContaining(` [1].${field} is `),
    }),
  );
});

test.each([
  ["Completed", true],
  ["Failed", true],
  ["Canceled", true],
  ["InProgress", false],
  ["Canceling", false],
  [undefined, false],
] as const)("isEndedCopy() of %s", (phase, want) => {
  expect(isEndedCopy({ status: phase === undefined ? {} : { phase } })).toBe(want);
});
