import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PodVolumeBackup, PodVolumeRestore } from "../../../src/api/index.ts";
import { hasEnded, resources, type Uploader } from "../../../src/engines/podvolume/index.ts";
import type { Resource } from "../../../src/kube/index.ts";
import { moversOf } from "../../harness/agent-process.ts";
import { eventually } from "../../harness/eventually.ts";
import { findTestMover } from "../../harness/movers.ts";
import { missingS3, type S3Server, startS3 } from "../../harness/s3.ts";
import { fillTree, treeLines } from "../../harness/tree.ts";
import { openVolumeWorld, readyRepository, uploaders, type VolumeWorld } from "../../harness/volume-world.ts";

let world: VolumeWorld;
let stopAgent: (() => Promise<void>) | undefined;
beforeAll(async () => {
  world = await openVolumeWorld();
  stopAgent = world.agent();
}, 180_000);
afterAll(async () => {
  await stopAgent?.();
  await world?.close();
}, 60_000);

function backupObject(podUid: string, uploaderType: Uploader, backupStorageLocation: string): object {
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: { generateName: "b-", namespace: world.namespace },
    spec: {
      node: world.node,
      pod: { kind: "Pod", namespace: world.space("shop"), name: `web-${uploaderType}`, uid: podUid },
      volume: "data",
      backupStorageLocation,
      repoIdentifier: "",
      uploaderType,
      tags: { volume: "data" },
    },
  };
}

async function ended<T extends PodVolumeBackup | PodVolumeRestore>(
  resource: Resource,
  object: object,
): Promise<T> {
  const { client, namespace } = world;
  const made = await client.create<T>(resource, object);
  return eventually(
    () => client.get<T>(resource, made.metadata.name, { namespace }),
    ({ status }) => hasEnded(status?.phase ?? "New"),
    180_000,
  );
}

const missing = findTestMover("restic");
const noRestic = "missing" in missing ? missing.missing : undefined;

test.skipIf(noRestic)(
  `a copy is canceled, and its mover ends ${noRestic ?? ""}`,
  { timeout: 240_000 },
  async () => {
    const { client, namespace } = world;
    await readyRepository(world, "shop", "restic");
    const pod = await world.pod("shop", "web-restic", ["data"]);
    for (let i = 0; i < 12; i += 1)
      writeFileSync(join(pod.folders["data"] ?? "", `f${i}`), randomBytes(16 << 20));
    const made = await client.create<PodVolumeBackup>(
      resources.podVolumeBackups,
      backupObject(pod.uid, "restic", "default"),
    );
    const { name } = made.metadata;
    await eventually(
      () => moversOf(world.owner),
      (pids) => pids.length > 0,
    );
    await client.patch(
      resources.podVolumeBackups,
      name,
      { type: "merge", body: { spec: { cancel: true } } },
      { namespace },
    );
    const end = await eventually(
      () => client.get<PodVolumeBackup>(resources.podVolumeBackups, name, { namespace }),
      ({ status }) => hasEnded(status?.phase ?? "New"),
      120_000,
    );
    expect(end.status).toMatchObject({ phase: "Canceled", message: "canceled: by request" });
    expect(end.metadata.finalizers ?? []).toEqual([]);
    expect(moversOf(world.owner)).toEqual([]);
  },
);

describe.each(uploaders)("a repository of %s in a bucket", (uploader) => {
  const mover = findTestMover(uploader);
  const skip = missingS3() ?? ("missing" in mover ? mover.missing : undefined);
  let s3: S3Server | undefined;
  beforeAll(async () => {
    if (skip === undefined) s3 = await startS3();
  }, 60_000);
  afterAll(() => s3?.stop());

  test.skipIf(skip)(`takes a volume and gives it back ${skip ?? ""}`, { timeout: 240_000 }, async () => {
    if (!s3) throw new Error("no server");
    const { client, namespace } = world;
    const location = `bucket-${uploader}`;
    const keys = `[default]\naws_access_key_id=${s3.accessKeyId}\naws_secret_access_key=${s3.secretAccessKey}\n`;
    await client.create(resources.secrets, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: location, namespace },
      data: { cloud: Buffer.from(keys).toString("base64") },
    });
    await client.create(resources.locations, {
      apiVersion: "velero.io/v1",
      kind: "BackupStorageLocation",
      metadata: { name: location, namespace },
      spec: {
        provider: "aws",
        objectStorage: { bucket: s3.bucket, prefix: uploader },
        config: { region: s3.region, s3Url: s3.endpoint, s3ForcePathStyle: "true" },
        credential: { name: location, key: "cloud" },
      },
    });
    await readyRepository(world, location, uploader, location);
    const pod = await world.pod(location, "web", ["data"]);
    const bytes = fillTree(pod.folders["data"] ?? "", [1_500_000, 9]);
    const spec = { pod: { kind: "Pod", namespace: world.space(location), name: "web", uid: pod.uid } };
    const template = backupObject(pod.uid, uploader, location) as { spec: object };
    const pvb = await ended<PodVolumeBackup>(resources.podVolumeBackups, {
      ...template,
      spec: { ...template.spec, ...spec },
    });
    expect(pvb.status, pvb.status?.message).toMatchObject({
      phase: "Completed",
      progress: { totalBytes: bytes, bytesDone: bytes },
    });
    const target = await world.pod(location, "again", ["data"], {
      initContainers: [{ name: "restore-wait", image: "helper" }],
      status: { phase: "Pending", initContainerStatuses: [{ name: "restore-wait", state: { running: {} } }] },
    });
    const pvr = await ended<PodVolumeRestore>(resources.podVolumeRestores, {
      apiVersion: "velero.io/v1",
      kind: "PodVolumeRestore",
      metadata: { generateName: "r-", namespace, labels: { "velero.io/restore-uid": "r-uid" } },
      spec: {
        pod: { kind: "Pod", namespace: world.space(location), name: "again", uid: target.uid },
        volume: "data",
        backupStorageLocation: location,
        repoIdentifier: "",
        uploaderType: uploader,
        snapshotID: pvb.status?.snapshotID,
        snapshotSize: bytes,
        sourceNamespace: world.space(location),
      },
    });
    expect(pvr.status, pvr.status?.message).toMatchObject({ phase: "Completed" });
    expect(treeLines(target.folders["data"] ?? "")).toEqual(treeLines(pod.folders["data"] ?? ""));
  });
});
