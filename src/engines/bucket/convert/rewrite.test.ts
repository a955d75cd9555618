import { expect, test } from "vitest";
import type { PodVolumeBackup } from "../../../api/index.ts";
import { leafOf, resticCopies, rewriteCopies, rewriteInfos } from "./rewrite.ts";

const kopiaId = "70240f4216be2f95394632fb198749d6";
const done = [{ copy: "b-1", resticId: "f3012d26", kopiaId, bytes: 77 }];

function copy(name: string, spec: object = {}, status: object = {}): PodVolumeBackup {
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: { name },
    spec: {
      node: "n",
      pod: { kind: "Pod", namespace: "shop", name: "web", uid: "u" },
      volume: "data",
      backupStorageLocation: "default",
      repoIdentifier: "s3:http://h/b/restic/shop",
      tags: { backup: "b" },
      ...spec,
    },
    status: { phase: "Completed", snapshotID: "f3012d26", ...status },
  };
}

test("resticCopies() takes what restic made and what has data", () => {
  const all = [
    copy(
      "b-1",
      {},
      { progress: { totalBytes: 5, bytesDone: 5 }, path: "/host_pods/u/volumes/csi/pv-1/mount" },
    ),
    copy("b-2", { uploaderType: "kopia" }, { snapshotID: kopiaId }),
    copy("b-3", { uploaderType: "restic" }, { snapshotID: undefined }),
  ];
  expect(resticCopies("b", all)).toEqual([
    {
      backup: "b",
      copy: "b-1",
      namespace: "shop",
      pod: "web",
      volume: "data",
      leaf: "pv-1",
      tags: { backup: "b" },
      resticId: "f3012d26",
      bytes: 5,
    },
  ]);
});

test.each([
  ["/host_pods/u/volumes/kubernetes.io~csi/pv-1/mount", "pv-1"],
  ["/host_pods/u/volumes/kubernetes.io~empty-dir/cache", "cache"],
  ["/a/..", "data"],
  ["/a/-x", "data"],
  [undefined, "data"],
])("leafOf(%j)", (path, want) => {
  expect(leafOf(path, "data")).toBe(want);
});

test("rewriteCopies() changes uploader, snapshot, address and size of what was converted, and keeps the rest", () => {
  const kopia = copy("b-2", { uploaderType: "kopia" });
  const other = copy("b-4");
  const empty = copy("b-3", { uploaderType: "restic" }, { snapshotID: undefined });
  const stored = JSON.parse(JSON.stringify([{ ...copy("b-1"), odd: 1 }, kopia, empty, other])) as unknown[];
  expect(rewriteCopies(stored, done)).toEqual([
    {
      ...copy("b-1", { uploaderType: "kopia", repoIdentifier: "" }, { snapshotID: kopiaId }),
      odd: 1,
      status: { phase: "Completed", snapshotID: kopiaId, progress: { totalBytes: 77, bytesDone: 77 } },
    },
    kopia,
    copy("b-3", { uploaderType: "kopia", repoIdentifier: "" }, { snapshotID: undefined }),
    other,
  ]);
  expect(rewriteCopies(rewriteCopies(stored, done), done)).toEqual(rewriteCopies(stored, done));
});

test("rewriteInfos() does the same to the volume info", () => {
  const info = (pvbInfo: object) => ({ pvName: "pv-1", skipped: false, pvbInfo });
  const stored = [
    info({ snapshotHandle: "f3012d26", uploaderType: "restic", podName: "web", size: 1 }),
    info({ snapshotHandle: "other", uploaderType: "restic" }),
    info({ snapshotHandle: "", uploaderType: "restic" }),
    { pvName: "pv-2", skipped: true },
    7,
  ];
  expect(rewriteInfos(stored, done)).toEqual([
    info({ snapshotHandle: kopiaId, uploaderType: "kopia", podName: "web", size: 77 }),
    stored[1],
    info({ snapshotHandle: "", uploaderType: "kopia" }),
    stored[3],
    7,
  ]);
});
