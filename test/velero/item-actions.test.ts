import { afterAll, beforeAll, expect, test } from "vitest";
import { type Backup, type BackupStorageLocation, kinds } from "../../src/api/index.ts";
import { resourceOf } from "../../src/kube/index.ts";
import { backupKey, openStore } from "../../src/store/index.ts";
import { awsPlugin, missingAwsPlugin } from "../harness/aws-plugin.ts";
import { BackupStage } from "../harness/backup-stage.ts";
import { eventually } from "../harness/eventually.ts";
import { archivedObjects, ItemPlugin, markedMap, missingItemPlugin } from "../harness/item-plugin.ts";
import { findPart } from "../harness/parts.ts";
import { missingS3, type S3Server, startS3 } from "../harness/s3.ts";
import { awsLocation, VeleroServer } from "../harness/velero-server.ts";

// The same plugin program under upstream's server and under ours, on the same items: the archives hold the same.
const found = findPart("velero", "HEADWAY_VELERO");
const skip =
  ("missing" in found ? found.missing : undefined) ?? missingItemPlugin ?? missingAwsPlugin() ?? missingS3();
const backups = resourceOf(kinds.Backup);
const locations = resourceOf(kinds.BackupStorageLocation);

let stage: BackupStage;
let s3: S3Server;
let plugin: ItemPlugin;
let server: VeleroServer | undefined;
let theirs: string;
let shop: string;
beforeAll(async () => {
  if (skip !== undefined) return;
  plugin = new ItemPlugin();
  [stage, s3] = await Promise.all([BackupStage.open(), startS3()]);
  [theirs, shop] = [await stage.app("theirs"), await stage.app("shop")];
  const map = (name: string, labels: Record<string, string>, says: Record<string, string> = {}) =>
    markedMap(stage, shop, name, { labels, says });
  await map("plain", {});
  await map("marked", { mark: "" }, { needs: `configmaps/${shop}/plain` });
  await map("unchanged", { mark: "" }, { behave: "nothing" });
  await map("old", { mark: "" }, { behave: "rename=new" });
  await map("lost", { mark: "" }, { behave: "fail" });
  await map("panics", { mark: "" }, { behave: "panic" });
  await map("works", { operation: "" }, { operation: "2s" });
  await map("breaks", { operation: "" }, { operation: "fail=1s" });
  await map("blocked", { block: "" }, { related: `configmaps/${shop}/plain` });
  await stage.location("default", theirs, awsLocation(s3, theirs));
  const programs = [awsPlugin() ?? "", plugin.program];
  const program = "program" in found ? found.program : "";
  server = new VeleroServer(stage, { program, plugins: programs, namespace: theirs, s3 });
  stage.operator(undefined, undefined, { plugins: { folders: [plugin.folder] } });
  for (const namespace of [theirs, stage.namespace])
    await eventually(
      () => stage.client.get<BackupStorageLocation>(locations, "default", { namespace }),
      ({ status }) => status?.phase === "Available",
      90_000,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\nupstream said: ${server?.said}`);
    });
}, 180_000);
afterAll(async () => {
  await server?.close();
  await stage?.close();
  await s3?.stop();
  plugin?.close();
});

async function ended(namespace: string): Promise<Backup> {
  await stage.client.create<Backup>(backups, {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name: "both", namespace },
    spec: { includedNamespaces: [shop], snapshotVolumes: false, storageLocation: "default" },
  });
  return eventually(
    () => stage.client.get<Backup>(backups, "both", { namespace }),
    ({ status }) => /^(Completed|PartiallyFailed|Failed|FailedValidation)$/.test(status?.phase ?? ""),
    60_000,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}\nupstream said: ${server?.said}`);
  });
}

test.skipIf(skip)(
  `upstream's server and ours make the same archive with a plugin ${skip ?? ""}`,
  async () => {
    const [upstream, ours] = [await ended(theirs), await ended(stage.namespace)];
    expect(upstream.status?.phase, JSON.stringify(upstream.status)).toBe("PartiallyFailed");
    const { provider: _, objectStorage, config } = awsLocation(s3, theirs);
    const credentials = `[default]\naws_access_key_id=${s3.accessKeyId}\naws_secret_access_key=${s3.secretAccessKey}\n`;
    const store = await openStore({ provider: "aws", ...objectStorage, config, credentials });
    const bytes = await Array.fromAsync(await store.get(backupKey("both", "contents")));
    const [a, b] = [
      archivedObjects(Buffer.concat(bytes)),
      archivedObjects(stage.read("both", "both.tar.gz")),
    ];
    expect([...b.keys()].toSorted()).toEqual([...a.keys()].toSorted());
    for (const [entry, object] of a) expect(b.get(entry), entry).toEqual(object);
    expect(a.size).toBeGreaterThan(10);
    const numbers = ({ status }: Backup) => ({
      phase: status?.phase,
      errors: status?.errors,
      attempted: status?.backupItemOperationsAttempted,
      completed: status?.backupItemOperationsCompleted,
      failed: status?.backupItemOperationsFailed,
    });
    expect(numbers(ours)).toEqual(numbers(upstream));
  },
);
