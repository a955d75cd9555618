import { expect, test } from "vitest";
import type { PodVolumeBackup } from "../../api/index.ts";
import { RestoredVolumes } from "./restored-volumes.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "copy" },
  spec: {
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName: "claim" } },
      { name: "scratch", emptyDir: {} },
    ],
  },
};
const copy = (volume: string) =>
  ({
    metadata: { name: volume },
    spec: { volume, uploaderType: "kopia" },
    status: { snapshotID: `s-${volume}`, progress: { totalBytes: 7 } },
  }) as unknown as PodVolumeBackup;
const info = (name: string, pvInfo: object) => ({
  pvName: name,
  pvcName: "claim",
  pvcNamespace: "shop",
  pvInfo,
});
const target = (namespace: string) => (namespace === "shop" ? "copy" : namespace);

test("RestoredVolumes tells the copied volumes of pods, with the claim and the volume where there are any", () => {
  const volumes = new RestoredVolumes();
  volumes.pod(pod, [copy("data"), copy("scratch")]);
  expect(volumes.claims()).toEqual([{ namespace: "copy", name: "claim" }]);
  const pvr = (volumeName: string) => ({
    snapshotHandle: `s-${volumeName}`,
    size: 7,
    uploaderType: "kopia",
    volumeName,
    podName: "web",
    podNamespace: "copy",
  });
  const common = { restoreMethod: "PodVolumeRestore", snapshotDataMoved: false };
  expect(volumes.infos([], () => "pv-new")).toEqual([
    { pvcName: "claim", pvcNamespace: "copy", pvName: "pv-new", ...common, pvrInfo: pvr("data") },
    { ...common, pvrInfo: pvr("scratch") },
  ]);
});

test("RestoredVolumes tells volumes that were made out of snapshots, by their new names", () => {
  const volumes = new RestoredVolumes();
  const made = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "pv-2" },
    spec: { claimRef: { namespace: "copy", name: "claim" } },
  };
  volumes.native("pv-1", made);
  volumes.native("pv-1", made); // found again after a restart
  const snapshot = {
    spec: { persistentVolumeName: "pv-1", volumeType: "gp3", volumeIOPS: 100 },
    status: { providerSnapshotID: "snap-1", phase: "Completed" },
  };
  expect(volumes.infos([snapshot], () => undefined)).toEqual([
    {
      pvcName: "claim",
      pvcNamespace: "copy",
      pvName: "pv-2",
      restoreMethod: "NativeSnapshot",
      snapshotDataMoved: false,
      nativeSnapshotInfo: {
        snapshotHandle: "snap-1",
        volumeType: "gp3",
        volumeAZ: "",
        iops: "100",
        Phase: "Completed",
      },
    },
  ]);
});

test.each([
  ["one that was provisioned anew", ["pv-1"], { reclaimPolicy: "Retain", labels: { a: "b" } }, 1],
  ["one that came back as it was", [], { reclaimPolicy: "Retain" }, 0],
  ["one of which nothing is known", ["pv-1"], {}, 0],
])("RestoredVolumes looks after %s", (_title, provisioned, pvInfo, count) => {
  const volumes = new RestoredVolumes();
  for (const name of provisioned) volumes.provision(name);
  volumes.use(pod);
  const fresh = volumes.fresh([info("pv-1", pvInfo)], target);
  expect(fresh).toHaveLength(count);
  if (count > 0)
    expect(fresh[0]).toEqual({
      former: "pv-1",
      claim: { namespace: "copy", name: "claim" },
      reclaimPolicy: "Retain",
      labels: { a: "b" },
      used: true,
    });
});
