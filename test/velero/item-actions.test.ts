import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Backup,
  type BackupStorageLocation,
  type KubeObject,
  kinds,
  type Restore,
} from "../../src/api/index.ts";
import { builtIn, isNotFound, resourceOf } from "../../src/kube/index.ts";
import { backupKey, openStore } from "../../src/store/index.ts";
import { awsPlugin, missingAwsPlugin } from "../harness/aws-plugin.ts";
import { BackupStage, core } from "../harness/backup-stage.ts";
import { eventually } from "../harness/eventually.ts";
import { archivedObjects, ItemPlugin, markedMap, missingItemPlugin } from "../harness/item-plugin.ts";
import { findPart } from "../harness/parts.ts";
import { missingS3, type S3Server, startS3 } from "../harness/s3.ts";
import { awsLocation, VeleroServer } from "../harness/velero-server.ts";

// The same plugin program under upstream's server and under ours, on the same items: the archives hold the same, restores make
// the same objects, and deletions call the plugin for the same items.
const found = findPart("velero", "HEADWAY_VELERO");
const skip =
  ("missing" in found ? found.missing : undefined) ?? missingItemPlugin ?? missingAwsPlugin() ?? missingS3();
const backups = resourceOf(kinds.Backup);
const locations = resourceOf(kinds.BackupStorageLocation);
const restores = resourceOf(kinds.Restore);
const requests = resourceOf(kinds.DeleteBackupRequest);
const configMaps = core("configmaps", "ConfigMap");

let stage: BackupStage;
let s3: S3Server;
let plugin: ItemPlugin;
let server: VeleroServer | undefined;
let theirs: string;
let shop: string;
let log: string;
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
  await map("back", { restore: "", delete: "" }, { "restore-needs": `configmaps/${shop}/plain` });
  await map("skipped", { restore: "" }, { "behave-in-restore": "skip" });
  await map("broken", { restore: "" }, { "behave-in-restore": "fail" });
  await map("renamed", { restore: "" }, { "behave-in-restore": "rename" });
  await map("copied", { "restore-operation": "" }, { "restore-operation": "2s" });
  await ownDeployment(theirs);
  await stage.location("default", theirs, awsLocation(s3, theirs));
  const programs = [awsPlugin() ?? "", plugin.program];
  const program = "program" in found ? found.program : "";
  log = join(plugin.root, "upstream");
  const env = { FIXTURE_LOG: log };
  server = new VeleroServer(stage, { program, plugins: programs, namespace: theirs, s3, env });
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

/** Upstream's server reads the Deployment that it takes itself for the pod of, when it begins a restore. */
async function ownDeployment(namespace: string): Promise<void> {
  const labels = { deploy: "velero" };
  const containers = [{ name: "velero", image: "velero" }];
  await stage.client.create(builtIn.deployments, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "velero", namespace },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  });
}

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

/** Restores the marked items into a namespace of its own; how that ended, and what is there then. */
async function restored(namespace: string, target: string) {
  const some = (key: string) => ({
    matchExpressions: [{ key: `fixture.example/${key}`, operator: "Exists" }],
  });
  const spec = {
    backupName: "both",
    namespaceMapping: { [shop]: target },
    orLabelSelectors: [some("restore"), some("restore-operation")],
  };
  const metadata = { name: "both", namespace };
  await stage.client.create<Restore>(restores, {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata,
    spec,
  });
  const { status } = await eventually(
    () => stage.client.get<Restore>(restores, "both", { namespace }),
    (restore) => /^(Completed|PartiallyFailed|Failed|FailedValidation)$/.test(restore.status?.phase ?? ""),
    60_000,
  );
  const found = await stage.client.list<KubeObject & { data?: object }>(configMaps, { namespace: target });
  const ours = found.filter(({ metadata: { name } }) => name !== "kube-root-ca.crt");
  const numbers = {
    phase: status?.phase,
    reason: status?.failureReason ?? status?.validationErrors,
    errors: status?.errors,
    attempted: status?.restoreItemOperationsAttempted,
    completed: status?.restoreItemOperationsCompleted,
  };
  const objects = ours.map(({ metadata: { name, labels, annotations }, data }) => ({
    name,
    labels,
    annotations,
    data,
  }));
  return { numbers, objects: objects.toSorted((a, b) => a.name.localeCompare(b.name)) };
}

/** Deletes the backup and waits until it is gone. */
async function deleted(namespace: string): Promise<void> {
  const { uid } = (await stage.get("both", namespace)).metadata;
  const labels = { "velero.io/backup-name": "both", "velero.io/backup-uid": uid ?? "" };
  await stage.client.create(requests, {
    apiVersion: "velero.io/v1",
    kind: "DeleteBackupRequest",
    metadata: { name: "both", namespace, labels },
    spec: { backupName: "both" },
  });
  await eventually(
    () => stage.get("both", namespace).catch((error: unknown) => isNotFound(error)),
    (gone) => gone === true,
    60_000,
  );
}

test.skipIf(skip)(
  `upstream's server and ours restore and delete the same with a plugin ${skip ?? ""}`,
  async () => {
    const targets = [`${shop}-theirs`, `${shop}-ours`] as const;
    try {
      const [upstream, ours] = [
        await restored(theirs, targets[0]),
        await restored(stage.namespace, targets[1]),
      ];
      expect(ours, server?.said.slice(-4000)).toEqual(upstream);
      expect(upstream.objects.map(({ name }) => name)).toEqual([
        "back",
        "copied",
        "plain",
        "renamed-renamed",
      ]);
      expect(upstream.numbers).toMatchObject({ phase: "PartiallyFailed", errors: 1, completed: 1 });
    } finally {
      // What failed is told by the test, not by what it did not make.
      for (const target of targets) await stage.drop(target).catch(() => undefined);
    }
    for (const namespace of [theirs, stage.namespace]) await deleted(namespace);
    const calls = readFileSync(log, "utf8").split("\n");
    const of = (lines: readonly string[]) => lines.filter((line) => line.startsWith("delete ")).toSorted();
    expect(of(plugin.calls())).toEqual(of(calls));
    expect(of(calls)).toEqual([`delete ${shop}/back both`]);
  },
);
