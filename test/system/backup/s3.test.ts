import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type BackupStorageLocation,
  type DownloadRequest,
  kinds,
  type Restore,
} from "../../../src/api/index.ts";
import { isNotFound, resourceOf } from "../../../src/kube/index.ts";
import { S3Store } from "../../../src/store/index.ts";
import { BackupStage, core, tarNames } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";
import { startExpiringS3 } from "../../harness/expiring-s3.ts";
import { missingS3, type S3Server, startS3 } from "../../harness/s3.ts";

const skip = missingS3();

// A backup and a restore whose only way is a real S3 server, as users of provider `aws` have it.
describe.skipIf(skip !== undefined)(`through S3${skip === undefined ? "" : ` (skipped: ${skip})`}`, () => {
  let server: S3Server;
  let stage: BackupStage;
  let shop: string;
  let prefix: string;
  beforeAll(async () => {
    server = await startS3();
    stage = await BackupStage.open();
    prefix = `e2e-${stage.namespace}`;
    shop = await stage.app("s3-shop");
    await stage.configMaps(shop, 40, 50_000);
    await secret("cloud", server.secretAccessKey);
    await secret("wrong", "not-the-secret");
    await location("s3", "cloud");
    stage.operator();
  });
  afterAll(async () => {
    await whole().deletePrefix(`${prefix}/`);
    await stage.close();
    await server.stop();
  });

  function secret(name: string, key: string): Promise<unknown> {
    const text = `[default]\naws_access_key_id=${server.accessKeyId}\naws_secret_access_key=${key}\n`;
    return stage.client.create(core("secrets", "Secret"), {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: stage.namespace },
      data: { cloud: Buffer.from(text).toString("base64") },
    });
  }

  function location(
    name: string,
    credential: string,
    { bucket = server.bucket, s3Url = server.endpoint } = {},
  ): Promise<void> {
    return stage.location(name, stage.namespace, {
      provider: "aws",
      objectStorage: { bucket, prefix },
      config: { region: server.region, s3ForcePathStyle: "true", s3Url },
      credential: { name: credential, key: "cloud" },
    });
  }

  function whole(): S3Store {
    const { bucket, region, endpoint, accessKeyId, secretAccessKey } = server;
    const credentials = `[default]\naws_access_key_id=${accessKeyId}\naws_secret_access_key=${secretAccessKey}\n`;
    return new S3Store({
      bucket,
      credentials,
      config: { region, s3ForcePathStyle: "true", s3Url: endpoint },
    });
  }

  async function keys(under: string): Promise<string[]> {
    const found = await Array.fromAsync(whole().list(`${prefix}/${under}`));
    return found.flatMap((entry) => ("object" in entry ? entry.object.key.slice(prefix.length + 1) : []));
  }

  function found(name: string): Promise<BackupStorageLocation> {
    return eventually(
      () =>
        stage.client.get<BackupStorageLocation>(resourceOf(kinds.BackupStorageLocation), name, {
          namespace: stage.namespace,
        }),
      ({ status }) => status?.phase !== undefined,
    );
  }

  test("a backup is stored, downloaded by a signed link, restored, and deleted", async () => {
    expect((await found("s3")).status).toMatchObject({ phase: "Available" });
    await stage.create("far", { includedNamespaces: [shop], storageLocation: "s3" });
    expect((await stage.ended("far")).status).toMatchObject({ phase: "Completed" });
    // What the run taught comes a moment after its end.
    const stored = await eventually(
      () => keys("backups/far/"),
      (all) => all.includes("backups/far/far-headway-history.json.gz"),
    );
    expect(stored.toSorted()).toEqual(
      [
        "far-headway-history.json.gz",
        "far-itemoperations.json.gz",
        "far-logs.gz",
        "far-podvolumebackups.json.gz",
        "far-resource-list.json.gz",
        "far-results.gz",
        "far-volumeinfo.json.gz",
        "far-volumesnapshots.json.gz",
        "far.tar.gz",
        "velero-backup.json",
      ].map((name) => `backups/far/${name}`),
    );
    const archive = await download("BackupContents", "far");
    expect(tarNames(archive)).toContain(`resources/configmaps/namespaces/${shop}/cm-39.json`);

    const restores = resourceOf(kinds.Restore);
    const place = { namespace: stage.namespace };
    const target = `${shop}-copy`;
    await stage.client.create(restores, {
      apiVersion: "velero.io/v1",
      kind: "Restore",
      metadata: { name: "back", ...place },
      spec: { backupName: "far", namespaceMapping: { [shop]: target } },
    });
    const restored = await eventually(
      () => stage.client.get<Restore>(restores, "back", place),
      ({ status }) => /Completed|Failed/.test(status?.phase ?? ""),
    );
    expect(restored.status).toMatchObject({ phase: "Completed" });
    const maps = core("configmaps", "ConfigMap");
    for (const name of ["cm-0", "cm-39"]) {
      const [was, is] = await Promise.all(
        [shop, target].map((namespace) => stage.client.get(maps, name, { namespace })),
      );
      expect((is as unknown as { data: unknown }).data).toEqual((was as unknown as { data: unknown }).data);
    }
    expect(gunzipSync(await download("RestoreLog", "back")).toString()).toContain("items are to be restored");
    await stage.drop(target);

    const { uid } = (await stage.get("far")).metadata;
    await stage.client.create(resourceOf(kinds.DeleteBackupRequest), {
      apiVersion: "velero.io/v1",
      kind: "DeleteBackupRequest",
      metadata: { name: "far-gone", ...place, labels: { "velero.io/backup-uid": uid } },
      spec: { backupName: "far" },
    });
    await eventually(
      () => stage.get("far").catch((error: unknown) => isNotFound(error)),
      (gone) => gone === true,
    );
    expect(await keys("backups/far/")).toEqual([]);
    expect(await keys("restores/back/")).toEqual([]);
  });

  test("wrong credentials and a bucket that is not there make a location unavailable, without telling secrets", async () => {
    await location("denied", "wrong");
    await location("missing", "cloud", { bucket: "no-such-bucket" });
    const [denied, missing] = [await found("denied"), await found("missing")];
    expect(denied.status).toMatchObject({
      phase: "Unavailable",
      message: expect.stringContaining("HTTP 403"),
    });
    expect(missing.status).toMatchObject({
      phase: "Unavailable",
      message: expect.stringContaining("no-such-bucket"),
    });
    expect(JSON.stringify([denied.status, missing.status])).not.toContain("not-the-secret");
    await stage.create("to-denied", { includedNamespaces: [shop], storageLocation: "denied" });
    expect((await stage.ended("to-denied")).status).toMatchObject({
      phase: "FailedValidation",
      validationErrors: [expect.stringContaining('"denied" is unavailable')],
    });
  });

  async function download(kind: string, name: string): Promise<Buffer> {
    const requests = resourceOf(kinds.DownloadRequest);
    const place = { namespace: stage.namespace };
    const request = `${name}-${kind.toLowerCase()}`;
    await stage.client.create(requests, {
      apiVersion: "velero.io/v1",
      kind: "DownloadRequest",
      metadata: { name: request, ...place },
      spec: { target: { kind, name } },
    });
    const answered = await eventually(
      () => stage.client.get<DownloadRequest>(requests, request, place),
      ({ status }) => Boolean(status?.downloadURL),
    );
    const url = answered.status?.downloadURL ?? "";
    expect(url).toContain("X-Amz-Signature");
    return Buffer.from(await (await fetch(url)).arrayBuffer());
  }

  test("keys that run out in the middle fail the backup in one sentence, leave no backup, and may be replaced", async () => {
    const door = await startExpiringS3(server.endpoint);
    try {
      await location("expiring", "cloud", { s3Url: door.url });
      expect((await found("expiring")).status).toMatchObject({ phase: "Available" });
      door.expireAt((method, path) => method === "PUT" && path.includes("/backups/cut/cut.tar.gz"));
      await stage.create("cut", { includedNamespaces: [shop], storageLocation: "expiring" });
      const { status } = await stage.ended("cut");
      expect(status).toMatchObject({
        phase: "Failed",
        failureReason: expect.stringMatching(
          /^cannot write ".*\/backups\/cut\/cut\.tar\.gz" in bucket .*: the credentials have expired; put new ones into the Secret of the location \(.*\)$/,
        ),
      });
      expect(status?.failureReason).not.toContain("\n");
      expect(await keys("backups/cut/")).not.toContain("backups/cut/velero-backup.json");
      door.expireAt(undefined);
      await stage.create("again", { includedNamespaces: [shop], storageLocation: "expiring" });
      expect((await stage.ended("again")).status).toMatchObject({ phase: "Completed" });
    } finally {
      await stage.client.delete(resourceOf(kinds.BackupStorageLocation), "expiring", {
        namespace: stage.namespace,
      });
      await door.stop();
    }
  });
});
