import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Backup,
  type DataUpload,
  type DeleteBackupRequest,
  type KubeObject,
  kinds,
  type Restore,
} from "../../../src/api/index.ts";
import { deleteRequest } from "../../../src/engines/backup/index.ts";
import { builtIn, type Resource, resourceOf } from "../../../src/kube/index.ts";
import { eventually } from "../../harness/eventually.ts";
import { agentShows, type NodeWorld, openNodeWorld } from "../../harness/node-world.ts";
import { treeLines } from "../../harness/tree.ts";
import { ensureNamespace } from "../../harness/volume-world.ts";

// A Backup with snapshotMoveData, a Restore and a deletion through the operator and the agent, on a real CSI driver.

const storageClass = process.env["HEADWAY_CSI_CLASS"] ?? "";
const skip = storageClass === "" ? "no CSI driver: test/parts/csi up" : undefined;
const over = /^(Completed|PartiallyFailed|Failed|FailedValidation)$/;
const resources = {
  backups: resourceOf(kinds.Backup),
  restores: resourceOf(kinds.Restore),
  uploads: resourceOf(kinds.DataUpload),
  downloads: resourceOf(kinds.DataDownload),
  requests: resourceOf(kinds.DeleteBackupRequest),
};
const { namespaces, pods, claims, snapshots, snapshotContents } = builtIn;
type Ready = KubeObject & {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
};
type Claim = KubeObject & { readonly spec?: { readonly volumeName?: string } };
type Run = KubeObject & { readonly status?: { readonly phase?: string } | undefined };

describe.skipIf(skip)(`moved backups through a real CSI driver ${skip ?? ""}`, { timeout: 400_000 }, () => {
  let world: NodeWorld;
  const app = `csi-moved-${crypto.randomUUID().slice(0, 8)}`;

  beforeAll(async () => {
    world = await openNodeWorld("kopia", true, {
      controllers: ["location", "backup", "restore", "backup-repo", "backup-deletion"],
    });
    await agentShows(world);
  });
  afterAll(async () => {
    await world?.client.delete(namespaces, app).catch(() => undefined); // a test that failed may have left it
    await world?.close();
  });

  async function run<T extends Run>(
    resource: Resource,
    kind: string,
    name: string,
    spec: object,
  ): Promise<T> {
    const { client, namespace } = world;
    await client.create(resource, { apiVersion: "velero.io/v1", kind, metadata: { name, namespace }, spec });
    return eventually(
      () => client.get<T>(resource, name, { namespace }),
      ({ status }) => over.test(status?.phase ?? ""),
      240_000,
    );
  }

  /** What the pod's volume holds, when it is ready. */
  async function contents(): Promise<readonly string[]> {
    const { client, hostPods } = world;
    const pod = await eventually(
      () => client.get<Ready>(pods, "web", { namespace: app }),
      ({ status }) =>
        status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true,
      120_000,
    );
    const { spec } = await client.get<Claim>(claims, "data", { namespace: app });
    const mount = join("volumes/kubernetes.io~csi", spec?.volumeName ?? "", "mount");
    return treeLines(join(hostPods, pod.metadata.uid ?? "", mount));
  }

  /** Snapshots, pods and claims that movement made and should have taken away. */
  async function left(): Promise<readonly string[]> {
    const { client, namespace } = world;
    type Content = KubeObject & {
      readonly spec?: { readonly volumeSnapshotRef?: { readonly namespace?: string } };
    };
    const found = [
      ...(await client.list(snapshots, { namespace: app })),
      ...(await client.list(snapshots, { namespace })),
      ...(await client.list(pods, { namespace })),
      ...(await client.list(claims, { namespace })),
      ...(await client.list<Content>(snapshotContents)).filter(({ spec }) =>
        [app, namespace].includes(spec?.volumeSnapshotRef?.namespace ?? ""),
      ),
    ];
    return found.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  }

  async function gone(): Promise<void> {
    await world.client.delete(namespaces, app);
    await eventually(
      () => world.client.list<KubeObject>(namespaces),
      (all) => all.every(({ metadata }) => metadata.name !== app),
      120_000,
    );
  }

  async function makeApp(): Promise<void> {
    const { client, image } = world;
    await ensureNamespace(client, app);
    await client.create(claims, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data", namespace: app },
      spec: {
        storageClassName: storageClass,
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "128Mi" } },
      },
    });
    const fill =
      "[ -e /v/big ] || { head -c 40000000 /dev/urandom >/v/big; mkdir /v/d; echo hi >/v/d/small; sync; }";
    await client.create(pods, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: app },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: "c",
            image,
            imagePullPolicy: "Never",
            command: ["sh", "-c", `${fill}; touch /tmp/done; sleep 3600`],
            volumeMounts: [{ name: "v", mountPath: "/v" }],
            readinessProbe: { exec: { command: ["cat", "/tmp/done"] }, periodSeconds: 1 },
          },
        ],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
      },
    });
  }

  test("a backup moves its data, the namespace goes, the restore brings every byte back, and a deletion leaves nothing", async () => {
    const { client, namespace } = world;
    await makeApp();
    const before = await contents();
    expect(before.length).toBeGreaterThan(2);
    const moved = { includedNamespaces: [app], snapshotMoveData: true };
    const backup = await run<Backup>(resources.backups, "Backup", "moved", moved);
    expect(backup.status, world.log.join("\n")).toMatchObject({
      phase: "Completed",
      backupItemOperationsAttempted: 1,
      backupItemOperationsCompleted: 1,
    });
    const [upload] = await client.list<DataUpload>(resources.uploads, { namespace });
    expect(upload?.status).toMatchObject({ phase: "Completed", snapshotID: expect.any(String) });
    expect(await eventually(left, (all) => all.length === 0, 60_000)).toEqual([]);
    await gone();
    const restore = await run<Restore>(resources.restores, "Restore", "back", { backupName: "moved" });
    expect(restore.status, world.log.join("\n")).toMatchObject({ phase: "Completed" });
    expect(await contents()).toEqual(before);
    expect(await eventually(left, (all) => all.length === 0, 60_000)).toEqual([]);
    const request = await client.create<DeleteBackupRequest>(
      resources.requests,
      deleteRequest(await client.get<Backup>(resources.backups, "moved", { namespace })),
    );
    const done = await eventually(
      () => client.get<DeleteBackupRequest>(resources.requests, request.metadata.name, { namespace }),
      ({ status }) => status?.phase === "Processed",
      120_000,
    );
    expect(done.status?.errors ?? []).toEqual([]);
    expect(await client.list(resources.uploads, { namespace })).toEqual([]);
  });
});
