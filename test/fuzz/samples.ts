import type { Json } from "./json.ts";

// What the product reads, as it is when nobody meddles with it. Mutations start here.

const uid = "c0ffee00-1111-4222-8333-444455556666";
const time = "2026-11-16T10:00:00Z";

/** The metadata file of a backup. */
export const storedBackup: Json = {
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: {
    name: "b",
    namespace: "velero",
    uid,
    creationTimestamp: time,
    labels: { "velero.io/storage-location": "default", "velero.io/schedule-name": "nightly" },
    annotations: { "velero.io/source-cluster-k8s-gitversion": "v1.34.1" },
    ownerReferences: [
      { apiVersion: "velero.io/v1", kind: "Schedule", name: "nightly", uid, controller: true },
    ],
  },
  spec: {
    storageLocation: "default",
    ttl: "720h0m0s",
    includedNamespaces: ["shop"],
    excludedResources: ["events"],
    labelSelector: {
      matchLabels: { app: "shop" },
      matchExpressions: [{ key: "tier", operator: "In", values: ["web"] }],
    },
    hooks: {
      resources: [
        {
          name: "freeze",
          includedNamespaces: ["shop"],
          pre: [{ exec: { container: "db", command: ["sync"], onError: "Fail", timeout: "30s" } }],
        },
      ],
    },
    csiSnapshotTimeout: "10m0s",
    itemOperationTimeout: "4h0m0s",
    snapshotMoveData: false,
  },
  status: {
    version: 1,
    formatVersion: "1.1.0",
    phase: "Completed",
    expiration: "2026-12-16T10:00:00Z",
    startTimestamp: time,
    completionTimestamp: "2026-11-16T10:05:00Z",
    progress: { totalItems: 42, itemsBackedUp: 42 },
    warnings: 1,
  },
};

/** The list of copied volumes. */
export const storedCopies: Json = [
  {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: {
      name: "b-x1",
      namespace: "velero",
      uid,
      labels: { "velero.io/backup-name": "b", "velero.io/backup-uid": uid, "velero.io/pvc-uid": uid },
      annotations: { "velero.io/pvc-name": "data" },
    },
    spec: {
      node: "node-1",
      pod: { kind: "Pod", namespace: "shop", name: "db-0", uid },
      volume: "data",
      backupStorageLocation: "default",
      repoIdentifier: "s3:http://minio:9000/velero/restic/shop",
      uploaderType: "kopia",
      tags: { backup: "b", "backup-uid": uid, ns: "shop", pod: "db-0", volume: "data", "pvc-uid": uid },
      uploaderSettings: { ParallelFilesUpload: "4" },
    },
    status: {
      phase: "Completed",
      path: "/host_pods/u/volumes/kubernetes.io~csi/pvc/mount",
      snapshotID: "0123456789abcdef0123456789abcdef",
      startTimestamp: time,
      completionTimestamp: time,
      progress: { totalBytes: 1048576, bytesDone: 1048576 },
    },
  },
];

/** The records of snapshots that plugins took. */
export const storedRecords: Json = [
  {
    apiVersion: "velero.io/v1",
    kind: "VolumePluginBackup",
    metadata: {
      name: "b-pv-1",
      namespace: "velero",
      labels: { "velero.io/backup-uid": uid },
      annotations: {
        "headway.dev/snapshot-place":
          '{"location":"disks","volumeID":"v-1","volumeType":"ssd","volumeAZ":"a","volumeIOPS":100}',
      },
    },
    spec: { volume: "pv-1", backup: "b", plugin: "example.com/disks", pluginSpecific: { zone: "a" } },
    status: {
      phase: "Completed",
      snapshotID: "snap-1",
      percent: 100,
      progress: { totalBytes: 10, bytesDone: 10 },
      startTimestamp: time,
    },
  },
];

/** The list of native snapshots. */
export const storedSnapshotList: Json = [
  {
    spec: {
      backupName: "b",
      backupUID: uid,
      location: "disks",
      persistentVolumeName: "pv-1",
      providerVolumeID: "v-1",
      volumeType: "ssd",
      volumeAZ: "a",
      volumeIOPS: 100,
    },
    status: { providerSnapshotID: "snap-1", phase: "Completed" },
  },
];

/** What is known of each volume. */
export const volumeInfos: Json = [
  {
    pvcName: "data",
    pvcNamespace: "shop",
    pvName: "pv-1",
    backupMethod: "PodVolumeBackup",
    snapshotDataMoved: false,
    skipped: false,
    result: "succeeded",
    startTimestamp: time,
    pvbInfo: {
      snapshotHandle: "0123",
      size: 1048576,
      uploaderType: "kopia",
      volumeName: "data",
      podName: "db-0",
      podNamespace: "shop",
      nodeName: "n",
    },
    pvInfo: { reclaimPolicy: "Delete", labels: { a: "b" } },
  },
];

/** Errors and warnings. */
export const results: Json = {
  errors: { velero: ["a sentence"], cluster: ["resource: /pods name: /web-0 message: /cannot error: /why"] },
  warnings: { namespaces: { shop: ["name: /db message: /slow"] } },
};

/** Which objects there are, by type. */
export const resourceList: Json = {
  "v1/Pod": ["shop/web-0(created)", "shop/db-0"],
  "apps/v1/Deployment": ["shop/web"],
};

/** Operations of plugins. */
export const itemOperations: Json = [
  {
    spec: { backupName: "b", resourceIdentifier: { Resource: "pods", name: "x" }, operationID: "1" },
    status: { phase: "Completed", created: time },
  },
];

/** Items as an archive holds them, by the name of their entry. */
export const items: Readonly<Record<string, Json>> = {
  "resources/pods/namespaces/shop/db-0.json": {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "db-0",
      namespace: "shop",
      uid,
      labels: { app: "shop" },
      annotations: {
        "pre.hook.backup.velero.io/command": '["/bin/sh","-c","sync"]',
        "pre.hook.backup.velero.io/timeout": "30s",
        "post.hook.restore.velero.io/command": '["psql"]',
        "post.hook.restore.velero.io/wait-timeout": "5m",
        "init.hook.restore.velero.io/container-image": "busybox",
        "init.hook.restore.velero.io/command": '["echo"]',
        "backup.velero.io/backup-volumes": "data,logs",
        "headway.dev/restore-hooks": `${uid}/1/1/0`,
      },
    },
    spec: {
      serviceAccountName: "shop",
      priorityClassName: "high",
      nodeName: "n1",
      containers: [
        {
          name: "db",
          image: "postgres:17",
          volumeMounts: [
            { name: "data", mountPath: "/data" },
            { name: "kube-api-access-x", mountPath: "/t" },
          ],
        },
      ],
      initContainers: [{ name: "init", image: "busybox" }],
      volumes: [
        { name: "data", persistentVolumeClaim: { claimName: "data" } },
        { name: "kube-api-access-x", projected: {} },
        { name: "logs", nfs: { server: "s", path: "/p" } },
      ],
    },
    status: { phase: "Running", containerStatuses: [{ name: "db", ready: true, state: { running: {} } }] },
  },
  "resources/services/namespaces/shop/web.json": {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "web",
      namespace: "shop",
      annotations: {
        "kubectl.kubernetes.io/last-applied-configuration":
          '{"spec":{"ports":[{"port":80,"nodePort":30080}]}}',
      },
    },
    spec: {
      type: "NodePort",
      clusterIP: "10.0.0.1",
      clusterIPs: ["10.0.0.1"],
      healthCheckNodePort: 3,
      ports: [{ name: "http", port: 80, nodePort: 30080 }],
    },
  },
  "resources/persistentvolumes/cluster/pv-1.json": {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "pv-1", labels: { "topology.kubernetes.io/zone": "a" } },
    spec: {
      capacity: { storage: "10Gi" },
      csi: { driver: "ebs.csi.aws.com", volumeHandle: "v-1", volumeAttributes: { a: "b" } },
      claimRef: { namespace: "shop", name: "data", uid },
      storageClassName: "ssd",
      persistentVolumeReclaimPolicy: "Delete",
    },
  },
  "resources/persistentvolumeclaims/namespaces/shop/data.json": {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: "data",
      namespace: "shop",
      annotations: { "volume.kubernetes.io/selected-node": "n1" },
    },
    spec: { volumeName: "pv-1", storageClassName: "ssd", resources: { requests: { storage: "10Gi" } } },
    status: { phase: "Bound" },
  },
  "resources/jobs.batch/namespaces/shop/import.json": {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "import", namespace: "shop" },
    spec: {
      selector: { matchLabels: { "controller-uid": uid } },
      template: {
        metadata: { labels: { "controller-uid": uid } },
        spec: { containers: [{ name: "a", image: "b:1" }] },
      },
    },
    status: { completionTime: time },
  },
  "resources/statefulsets.apps/namespaces/shop/db.json": {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db", namespace: "shop" },
    spec: {
      template: { spec: { containers: [{ name: "db", image: "postgres:17" }] } },
      volumeClaimTemplates: [{ spec: { storageClassName: "ssd" } }],
    },
  },
  "resources/rolebindings.rbac.authorization.k8s.io/namespaces/shop/rb.json": {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "rb", namespace: "shop" },
    subjects: [{ kind: "ServiceAccount", name: "shop", namespace: "shop" }],
    roleRef: { kind: "ClusterRole", name: "view" },
  },
  "resources/serviceaccounts/namespaces/shop/shop.json": {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "shop", namespace: "shop" },
    secrets: [{ name: "shop-token-abcde" }],
    imagePullSecrets: [{ name: "r" }],
  },
  "resources/secrets/namespaces/shop/shop-token-abcde.json": {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/service-account-token",
    metadata: {
      name: "shop-token-abcde",
      namespace: "shop",
      annotations: { "kubernetes.io/service-account.name": "shop", "kubernetes.io/service-account.uid": uid },
    },
    data: { token: "eA==", "ca.crt": "eA==" },
  },
  "resources/customresourcedefinitions.apiextensions.k8s.io/cluster/x.example.com.json": {
    apiVersion: "apiextensions.k8s.io/v1beta1",
    kind: "CustomResourceDefinition",
    metadata: { name: "x.example.com" },
    spec: {
      preserveUnknownFields: true,
      validation: { openAPIV3Schema: {} },
      versions: [{ name: "v1", schema: { openAPIV3Schema: {} } }],
    },
    status: { conditions: [{ type: "Established", status: "True" }] },
  },
  "resources/validatingwebhookconfigurations.admissionregistration.k8s.io/cluster/w.json": {
    apiVersion: "admissionregistration.k8s.io/v1beta1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "w" },
    webhooks: [{ name: "a" }],
  },
  "resources/namespaces/cluster/shop.json": {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "shop", labels: { "kubernetes.io/metadata.name": "shop" } },
  },
};
