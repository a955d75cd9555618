import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  PutObjectLockConfigurationCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds, type Restore } from "../../../src/api/index.ts";
import { isNotFound, resourceOf } from "../../../src/kube/index.ts";
import { BackupStage, core } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";
import { type MoverSubject, moverSubject } from "../../harness/mover-subjects.ts";
import { missingLockingS3, type S3Server, startLockingS3 } from "../../harness/s3.ts";
import { fillTree, treeLines } from "../../harness/tree.ts";

const skip = missingLockingS3();
const prefix = "p";

// A bucket with Object Lock and a default retention, on a real S3 server: what was written can be neither changed nor removed.
describe.skipIf(skip !== undefined)(`write once${skip === undefined ? "" : ` (skipped: ${skip})`}`, () => {
  let server: S3Server;
  let stage: BackupStage;
  let s3: S3Client;
  let shop: string;
  beforeAll(async () => {
    server = await startLockingS3();
    const { endpoint, region, bucket: Bucket, accessKeyId, secretAccessKey } = server;
    s3 = new S3Client({
      endpoint,
      region,
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
    });
    await s3.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));
    await s3.send(
      new PutObjectLockConfigurationCommand({
        Bucket,
        ObjectLockConfiguration: {
          ObjectLockEnabled: "Enabled",
          Rule: { DefaultRetention: { Mode: "COMPLIANCE", Days: 1 } },
        },
      }),
    );
    stage = await BackupStage.open();
    shop = await stage.app("locked-shop");
    await stage.configMaps(shop, 5, 1_000);
    const text = `[default]\naws_access_key_id=${accessKeyId}\naws_secret_access_key=${secretAccessKey}\n`;
    await stage.client.create(core("secrets", "Secret"), {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "cloud", namespace: stage.namespace },
      data: { cloud: Buffer.from(text).toString("base64") },
    });
    await stage.location("locked", stage.namespace, {
      provider: "aws",
      objectStorage: { bucket: Bucket, prefix },
      config: { region, s3ForcePathStyle: "true", s3Url: endpoint },
      credential: { name: "cloud", key: "cloud" },
      backupSyncPeriod: "1s",
    });
    stage.operator();
  });
  afterAll(async () => {
    s3.destroy();
    await stage.close();
    await server.stop();
  });

  /** How often each key was written, and which keys are gone for those who do not ask for versions. */
  async function written(
    below = "",
  ): Promise<{ writes: ReadonlyMap<string, number>; marked: readonly string[] }> {
    const all = await s3.send(
      new ListObjectVersionsCommand({ Bucket: server.bucket, Prefix: `${prefix}/${below}` }),
    );
    expect(all.IsTruncated).not.toBe(true);
    const keys = (all.Versions ?? []).map(({ Key = "" }) => Key.slice(prefix.length + 1));
    const writes = new Map([...Map.groupBy(keys, (key) => key)].map(([key, each]) => [key, each.length]));
    const marked = (all.DeleteMarkers ?? []).map(({ Key = "" }) => Key.slice(prefix.length + 1));
    return { writes, marked };
  }

  test("backups, restores and deletions work; what they wrote once is never written again, and stays", {
    timeout: 300_000,
  }, async () => {
    const place = { namespace: stage.namespace };
    await stage.create("safe", { includedNamespaces: [shop], storageLocation: "locked" });
    expect((await stage.ended("safe")).status).toMatchObject({ phase: "Completed" });
    const restores = resourceOf(kinds.Restore);
    await stage.client.create(restores, {
      apiVersion: "velero.io/v1",
      kind: "Restore",
      metadata: { name: "back", ...place },
      spec: { backupName: "safe", namespaceMapping: { [shop]: `${shop}-copy` } },
    });
    const restored = await eventually(
      () => stage.client.get<Restore>(restores, "back", place),
      ({ status }) => /Completed|Failed/.test(status?.phase ?? ""),
    );
    expect(restored.status).toMatchObject({ phase: "Completed" });
    await stage.drop(`${shop}-copy`);
    const before = await eventually(written, ({ writes }) =>
      writes.has("backups/safe/safe-headway-history.json.gz"),
    );
    const twice = [...before.writes].filter(([, count]) => count > 1).map(([key]) => key);
    // Only what helps to estimate is written again, as a version beside the former one.
    expect(twice.filter((key) => !key.endsWith("-headway-history.json.gz"))).toEqual([]);
    expect([...before.writes.keys()]).toEqual(
      expect.arrayContaining(["backups/safe/velero-backup.json", "backups/safe/safe.tar.gz"]),
    );
    const { uid } = (await stage.get("safe")).metadata;
    await stage.client.create(resourceOf(kinds.DeleteBackupRequest), {
      apiVersion: "velero.io/v1",
      kind: "DeleteBackupRequest",
      metadata: { name: "safe-gone", ...place, labels: { "velero.io/backup-uid": uid } },
      spec: { backupName: "safe" },
    });
    await eventually(
      () => stage.get("safe").catch((error: unknown) => isNotFound(error)),
      (gone) => gone === true,
    );
    const after = await written();
    for (const [key, count] of before.writes)
      expect([key, (after.writes.get(key) ?? 0) >= count]).toEqual([key, true]);
    expect(after.marked).toEqual(
      expect.arrayContaining(["backups/safe/velero-backup.json", "backups/safe/safe.tar.gz"]),
    );
    // The way back: without its delete markers the backup is found again.
    const { DeleteMarkers = [] } = await s3.send(
      new ListObjectVersionsCommand({ Bucket: server.bucket, Prefix: `${prefix}/backups/safe/` }),
    );
    for (const { Key, VersionId } of DeleteMarkers)
      await s3.send(new DeleteObjectCommand({ Bucket: server.bucket, Key, VersionId }));
    const there = await eventually(
      () =>
        stage.get("safe").catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
          return undefined;
        }),
      (backup) => backup !== undefined,
      120_000,
    );
    expect(there?.status).toMatchObject({ phase: "Completed" });
  });

  for (const subject of [moverSubject("restic", "0.18"), moverSubject("kopia", "0.21")]) {
    const why = subject.skip === undefined ? "" : ` (skipped: ${subject.skip})`;
    test.skipIf(subject.skip !== undefined)(
      `volumes of ${subject.name}${why}`,
      { timeout: 240_000 },
      async () => {
        const folder = await mkdtemp(join(tmpdir(), "write-once-"));
        try {
          await expectVolumes(subject, folder);
        } finally {
          await rm(folder, { recursive: true });
        }
      },
    );
  }

  /** Two snapshots; the first is forgotten and cleaned up after, the second comes back, and nothing that was written is gone. */
  async function expectVolumes(subject: MoverSubject, folder: string): Promise<void> {
    const [data, back] = [join(folder, "data"), join(folder, "back")];
    for (const each of [data, back, join(folder, "scratch")]) await mkdir(each);
    const mover = subject.make({ scratch: join(folder, "scratch") });
    const { endpoint, region, bucket, accessKeyId, secretAccessKey } = server;
    const below = `volumes-${subject.kind}`;
    const keys = { accessKeyId, secretAccessKey };
    const place = { kind: "s3", endpoint, bucket, region, prefix: `${prefix}/${below}`, keys } as const;
    const repository = { place, password: "locked-away" };
    const copy = () => mover.backup({ repository, path: data, source: "data", tags: { volume: "data" } });
    await mover.ensureRepository(repository);
    fillTree(data, [300_000, 17]);
    const first = await copy();
    writeFileSync(join(data, "more"), "of it");
    const second = await copy();
    const before = await written(below);
    await mover.forget(repository, first.snapshotId ?? "");
    await mover.maintain({ repository });
    await mover.restore({ repository, snapshotId: second.snapshotId ?? "", path: back });
    expect(treeLines(back)).toEqual(treeLines(data));
    const after = await written(below);
    expect(before.writes.size).toBeGreaterThan(3);
    for (const [key, count] of before.writes)
      expect([key, (after.writes.get(key) ?? 0) >= count]).toEqual([key, true]);
  }
});
