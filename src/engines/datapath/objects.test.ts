import { expect, test } from "vitest";
import type { DataDownload, DataUpload } from "../../api/index.ts";
import { exposedContent, exposedSnapshot, isExposedContent } from "./exposed-snapshot.ts";
import { type HolderFacts, holderPod } from "./holder-pod.ts";
import { downloadClaim, uploadClaim } from "./moved-claim.ts";
import { usualSettings } from "./settings.ts";
import type { Claim, Content, Snapshot } from "./shapes.ts";

const upload: DataUpload = {
  apiVersion: "velero.io/v2alpha1",
  kind: "DataUpload",
  metadata: { name: "du", namespace: "velero", uid: "uid-1" },
  spec: {
    snapshotType: "CSI",
    csiSnapshot: { volumeSnapshot: "s", storageClass: "gold" },
    sourceNamespace: "shop",
    sourcePVC: "data",
    backupStorageLocation: "default",
    operationTimeout: "10m0s",
  },
};
const download = {
  ...upload,
  kind: "DataDownload",
  metadata: { ...upload.metadata, name: "dd" },
} as unknown as DataDownload;
const group = "snapshot.storage.k8s.io/v1";
const snapshot: Snapshot = {
  apiVersion: group,
  kind: "VolumeSnapshot",
  metadata: { name: "s", namespace: "shop", annotations: { a: "b" } },
  spec: { volumeSnapshotClassName: "snap" },
  status: { restoreSize: "2Gi" },
};
const content: Content = {
  apiVersion: group,
  kind: "VolumeSnapshotContent",
  metadata: { name: "content-1", labels: { "snapshot.storage.kubernetes.io/managed-by": "n1", other: "x" } },
  spec: { driver: "d", deletionPolicy: "Delete", volumeSnapshotClassName: "snap", sourceVolumeMode: "Block" },
  status: { snapshotHandle: "h" },
};
const source: Claim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: {
    name: "data",
    namespace: "shop",
    labels: { app: "db" },
    annotations: { note: "x", "pv.kubernetes.io/bind-completed": "yes" },
  },
  spec: {
    accessModes: ["ReadWriteMany"],
    storageClassName: "gold",
    volumeMode: "Filesystem",
    resources: { requests: { storage: "1Gi" } },
    selector: { matchLabels: { a: "b" } },
  },
};

test("the exposed snapshot and its content are upstream's, and know what they took the place of", () => {
  const made = exposedSnapshot(upload, { snapshot, content });
  expect(made).toMatchObject({
    metadata: {
      name: "du",
      namespace: "velero",
      annotations: { a: "b", "headway.dev/source-content": "content-1" },
    },
    spec: { source: { volumeSnapshotContentName: "du" }, volumeSnapshotClassName: "snap" },
  });
  const exposed = {
    ...snapshot,
    metadata: { name: "du", namespace: "velero", uid: "vs", resourceVersion: "7" },
  };
  const second = exposedContent(upload, { snapshot, content }, exposed);
  expect(second.metadata).toEqual({
    name: "du",
    labels: { "snapshot.storage.kubernetes.io/managed-by": "n1" },
  });
  expect(second.spec).toEqual({
    deletionPolicy: "Delete",
    driver: "d",
    source: { snapshotHandle: "h" },
    volumeSnapshotClassName: "snap",
    sourceVolumeMode: "Block",
    volumeSnapshotRef: {
      apiVersion: group,
      kind: "VolumeSnapshot",
      name: "du",
      namespace: "velero",
      uid: "vs",
      resourceVersion: "7",
    },
  });
  expect(isExposedContent(upload, { ...content, ...(second as unknown as Content) })).toBe(true);
  expect(isExposedContent(upload, content)).toBe(false);
});

test("the claim of a snapshot has its size, and the mode of the claim that was snapshotted", () => {
  const made = uploadClaim(upload, { snapshot, content, source, setting: undefined });
  expect(made?.spec).toEqual({
    accessModes: ["ReadWriteOnce"],
    storageClassName: "gold",
    volumeMode: "Filesystem",
    dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "du" },
    resources: { requests: { storage: "2Gi" } },
  });
  expect(made?.metadata.ownerReferences?.[0]).toMatchObject({
    kind: "DataUpload",
    uid: "uid-1",
    controller: true,
  });
  const setting = { storageClass: "thin", readOnly: true, spcNoRelabeling: false, annotations: { x: "y" } };
  const gone = uploadClaim(upload, { snapshot, content, source: undefined, setting });
  expect(gone?.spec).toMatchObject({
    accessModes: ["ReadOnlyMany"],
    storageClassName: "thin",
    volumeMode: "Block",
  });
  expect(gone?.metadata.annotations).toEqual({ x: "y" });
  const sizeless = { ...snapshot, status: { restoreSize: "0" } };
  expect(uploadClaim(upload, { snapshot: sizeless, content, source, setting })?.spec).toMatchObject({
    resources: { requests: { storage: "1Gi" } },
  });
  expect(uploadClaim(upload, { snapshot: sizeless, content, source: undefined, setting })).toBeUndefined();
});

test("the claim of a download is the target's, without its selector and its binding", () => {
  const made = downloadClaim(download, source, undefined);
  expect(made.metadata).toMatchObject({
    name: "dd",
    namespace: "velero",
    labels: { app: "db" },
    annotations: { note: "x" },
  });
  expect(made.metadata.annotations).toEqual({ note: "x" });
  const { selector: _, ...spec } = source.spec ?? {};
  expect(made.spec).toEqual(spec);
  expect(downloadClaim(download, source, "n1").metadata.annotations).toEqual({
    "volume.kubernetes.io/selected-node": "n1",
  });
});

const facts: HolderFacts = {
  settings: { ...usualSettings, podLabels: { team: "x" }, priorityClass: "low" },
  image: "i",
  pullPolicy: "Never",
  block: false,
  storageClass: "gold",
};
type Spec = {
  containers: [Record<string, unknown>];
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: object[] } };
  };
};
const termsOf = (spec: object) =>
  (spec as Spec).affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
const os = { key: "kubernetes.io/os", operator: "NotIn", values: ["windows"] };

test("the pod that holds a volume may do nothing, and is marked as upstream's", () => {
  const { metadata, spec } = holderPod(upload, facts);
  expect(metadata.labels).toEqual({
    team: "x",
    "velero.io/data-upload": "du",
    "velero.io/exposer-pod-group": "snapshot-exposer",
  });
  expect(spec).toMatchObject({
    automountServiceAccountToken: false,
    restartPolicy: "Never",
    priorityClassName: "low",
    securityContext: { runAsNonRoot: true },
    volumes: [{ name: "uid-1", persistentVolumeClaim: { claimName: "du" } }],
  });
  const [container] = (spec as Spec).containers;
  expect(container).toMatchObject({ name: "uid-1", volumeMounts: [{ name: "uid-1", mountPath: "/uid-1" }] });
  expect(JSON.stringify(spec)).not.toContain("fsGroup"); // it would change the owners of what is restored
  expect(termsOf(spec)).toEqual([{ matchExpressions: [os] }]);
});

test("the pod that holds a volume asks for what the settings say", () => {
  const podResources = { requests: { memory: "64Mi" }, limits: { cpu: "1" } };
  const { spec } = holderPod(upload, { ...facts, settings: { ...facts.settings, podResources } });
  expect((spec as Spec).containers[0]).toMatchObject({ resources: podResources });
});

test("a device is handed in as one, and a download is marked as such", () => {
  const { metadata, spec } = holderPod(download, { ...facts, block: true });
  expect((spec as Spec).containers[0]).toMatchObject({
    volumeDevices: [{ name: "uid-1", devicePath: "/uid-1" }],
  });
  expect(metadata.labels).toMatchObject({ "velero.io/data-download": "dd" });
});

test("the pod goes where the settings, the storage or a copy that has begun want it", () => {
  const affinity = [
    { nodeSelector: { matchLabels: { pool: "any" } } },
    { nodeSelector: { matchLabels: { pool: "gold" } }, storageClass: "gold" },
  ];
  const settings = { ...usualSettings, affinity };
  const zone = { key: "zone", operator: "In", values: ["a"] };
  const topology = [{ matchExpressions: [zone] }];
  const pool = (value: string) => ({ key: "pool", operator: "In", values: [value] });
  expect(termsOf(holderPod(upload, { ...facts, settings, topology }).spec)).toEqual([
    { matchExpressions: [zone, os, pool("gold")] },
  ]);
  expect(termsOf(holderPod(upload, { ...facts, settings, storageClass: "iron" }).spec)).toEqual([
    { matchExpressions: [os, pool("any")] },
  ]);
  expect(termsOf(holderPod(upload, { ...facts, settings, node: "n1" }).spec)).toEqual([
    { matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] },
  ]);
});
