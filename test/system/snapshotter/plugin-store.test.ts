import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BackupStorageLocation, type DownloadRequest, kinds } from "../../../src/api/index.ts";
import { builtIn, isNotFound, resourceOf } from "../../../src/kube/index.ts";
import { prefixed, S3Store, type Store } from "../../../src/store/index.ts";
import { awsPlugin, missingAwsPlugin, pluginProcesses } from "../../harness/aws-plugin.ts";
import { BackupStage } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";
import { missingS3, type S3Server, startS3 } from "../../harness/s3.ts";
import { restored } from "../../harness/snapshot-world.ts";

const missing = missingAwsPlugin() ?? missingS3();
const patient = { timeout: 180_000 };
const locations = resourceOf(kinds.BackupStorageLocation);

// A storage location whose object store is a program of the Velero ecosystem; the bucket is looked at without it.
describe.skipIf(missing)(`a location served by a plugin program ${missing ?? ""}`, patient, () => {
  let server: S3Server;
  let stage: BackupStage;
  let shop: string;
  let prefix: string;
  let bucket: Store;

  beforeAll(async () => {
    server = await startS3();
    stage = await BackupStage.open();
    prefix = `program-${stage.namespace}`;
    shop = await stage.app("program-shop");
    await stage.configMaps(shop, 20, 50_000);
    const credentials = keysOf(server.secretAccessKey);
    bucket = prefixed(new S3Store({ bucket: server.bucket, credentials, config: settings() }), prefix);
    await secret("cloud", server.secretAccessKey);
    await secret("wrong", "not-the-secret");
    await location("program", "cloud");
    stage.operator(undefined, undefined, { plugins: { folders: [dirname(awsPlugin() ?? "")] } });
  }, 180_000);
  afterAll(async () => {
    await bucket.deletePrefix("backups/");
    await bucket.deletePrefix("restores/");
    await stage.close();
    await server.stop();
  }, 60_000);

  const keysOf = (key: string) =>
    `[default]\naws_access_key_id=${server.accessKeyId}\naws_secret_access_key=${key}\n`;
  const settings = () => ({ region: server.region, s3ForcePathStyle: "true", s3Url: server.endpoint });

  async function secret(name: string, key: string): Promise<void> {
    await stage.client.create(builtIn.secrets, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: stage.namespace },
      data: { cloud: Buffer.from(keysOf(key)).toString("base64") },
    });
  }

  async function location(name: string, credential: string): Promise<void> {
    await stage.client.create(locations, {
      apiVersion: "velero.io/v1",
      kind: "BackupStorageLocation",
      metadata: { name, namespace: stage.namespace, annotations: { "headway.dev/store": "plugin" } },
      spec: {
        provider: "aws",
        objectStorage: { bucket: server.bucket, prefix },
        config: settings(),
        credential: { name: credential, key: "cloud" },
      },
    });
  }

  const phase = (name: string, want: string) =>
    eventually(
      () => stage.client.get<BackupStorageLocation>(locations, name, { namespace: stage.namespace }),
      ({ status }) => status?.phase === want,
    );
  const stored = async (under: string) =>
    (await Array.fromAsync(bucket.list(under))).flatMap((entry) =>
      "object" in entry ? entry.object.key : [],
    );

  test("a backup goes there and comes back", async () => {
    const { client, namespace } = stage;
    await phase("program", "Available");
    await stage.create("first", { includedNamespaces: [shop], storageLocation: "program" });
    expect((await stage.ended("first", 120_000)).status).toMatchObject({ phase: "Completed" });
    expect(await stored("backups/first/")).toContain("backups/first/velero-backup.json");
    expect(await stored("backups/first/")).toContain("backups/first/first.tar.gz");
    expect(pluginProcesses(process.pid).length).toBeGreaterThan(0);
    await client.delete(builtIn.configMaps, "cm-3", { namespace: shop });
    const end = await restored(stage, "back", { backupName: "first" });
    expect(end.status).toMatchObject({ phase: "Completed" });
    const again = await client.get(builtIn.configMaps, "cm-3", { namespace: shop });
    expect((again as { data?: { text?: string } }).data?.text).toHaveLength(50_000);
    expect(await stored("restores/back/")).toContain("restores/back/restore-back-results.gz");
    await client.create(resourceOf(kinds.DownloadRequest), {
      apiVersion: "velero.io/v1",
      kind: "DownloadRequest",
      metadata: { name: "log", namespace },
      spec: { target: { kind: "BackupLog", name: "first" } },
    });
    const { status } = await eventually(
      () => client.get<DownloadRequest>(resourceOf(kinds.DownloadRequest), "log", { namespace }),
      (request) => request.status?.phase === "Processed",
    );
    expect((await fetch(status?.downloadURL ?? "")).status).toBe(200);
  });

  test("a program that is killed is started again, and a deleted backup leaves nothing", async () => {
    const { client, namespace } = stage;
    for (const pid of pluginProcesses(process.pid)) process.kill(pid, "SIGKILL");
    await stage.create("second", { includedNamespaces: [shop], storageLocation: "program" });
    expect((await stage.ended("second", 120_000)).status).toMatchObject({ phase: "Completed" });
    await client.create(resourceOf(kinds.DeleteBackupRequest), {
      apiVersion: "velero.io/v1",
      kind: "DeleteBackupRequest",
      metadata: { name: "away", namespace },
      spec: { backupName: "second" },
    });
    await eventually(
      () => stage.get("second").then(() => false, isNotFound),
      (gone) => gone,
    );
    expect(await stored("backups/second/")).toEqual([]);
    expect(await stored("backups/first/")).not.toEqual([]);
  });

  test("credentials that are wrong make the location unavailable, in the program's own words", async () => {
    await location("locked", "wrong");
    const { status } = await phase("locked", "Unavailable");
    expect(status?.message).toMatch(/SignatureDoesNotMatch|Forbidden|AccessDenied|403/);
  });
});
