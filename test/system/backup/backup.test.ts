import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Backup,
  cancelAnnotation,
  type DeleteBackupRequest,
  type DownloadRequest,
  kinds,
  type Schedule,
} from "../../../src/api/index.ts";
import { deleteRequest } from "../../../src/engines/backup/index.ts";
import { isNotFound, resourceOf } from "../../../src/kube/index.ts";
import { BackupStage, core, tarNames } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";

let stage: BackupStage;
let shop: string;
beforeAll(async () => {
  stage = await BackupStage.open();
  shop = await stage.app("shop");
  await stage.configMaps(shop, 3);
  const { client } = stage;
  const meta = (name: string) => ({ name, namespace: shop });
  await client.create(core("secrets", "Secret"), {
    apiVersion: "v1",
    kind: "Secret",
    metadata: meta("key"),
    data: { a: "Yg==" },
  });
  const labels = { "velero.io/exclude-from-backup": "true" };
  await client.create(core("secrets", "Secret"), {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...meta("hidden"), labels },
  });
  const long = `r-${"x".repeat(200)}`;
  const roles = {
    group: "rbac.authorization.k8s.io",
    version: "v1",
    plural: "roles",
    kind: "Role",
    namespaced: true,
  };
  await client.create(roles, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: meta(long),
    rules: [],
  });
  stage.operator();
});
afterAll(() => stage.close());

const own = (names: readonly string[]) =>
  names.filter((name) => !/kube-root-ca\.crt|serviceaccounts|\/events/.test(name)).toSorted();

test("a backup goes to its end, and its files are those that Velero writes", async () => {
  await stage.create("first", { includedNamespaces: [shop] });
  const { status, spec, metadata } = await stage.ended("first");
  expect(status).toMatchObject({ phase: "Completed", version: 1, formatVersion: "1.1.0" });
  expect(status?.progress?.totalItems).toBe(status?.progress?.itemsBackedUp);
  expect(spec).toMatchObject({ storageLocation: "default", ttl: "720h0m0s" });
  expect(metadata.labels).toMatchObject({ "velero.io/storage-location": "default" });
  expect(stage.upstreamFiles("first")).toEqual([
    "first-itemoperations.json.gz",
    "first-logs.gz",
    "first-podvolumebackups.json.gz",
    "first-resource-list.json.gz",
    "first-results.gz",
    "first-volumeinfo.json.gz",
    "first-volumesnapshots.json.gz",
    "first.tar.gz",
    "velero-backup.json",
  ]);
  const names = own(tarNames(stage.read("first", "first.tar.gz")));
  const plain = names.filter((name) => !name.includes("-preferredversion"));
  expect(plain.filter((name) => !name.includes("PaxHeaders"))).toEqual(
    [
      "metadata/version",
      ...[0, 1, 2].map((i) => `resources/configmaps/namespaces/${shop}/cm-${i}.json`),
      `resources/namespaces/cluster/${shop}.json`,
      ...plain.filter((name) => name.includes("roles.rbac")),
      `resources/secrets/namespaces/${shop}/key.json`,
    ].toSorted(),
  );
  expect(stage.json("first", "first-results.gz")).toEqual({ errors: {}, warnings: {} });
  expect(stage.json("first", "velero-backup.json")).toMatchObject({
    kind: "Backup",
    metadata: { name: "first", uid: metadata.uid },
    status: { phase: "Completed", progress: status?.progress },
  });
});

test.each([
  [
    "a location that does not exist",
    { storageLocation: "nowhere" },
    'backup storage location "nowhere" does not exist',
  ],
  [
    "contradictory filters",
    { includedResources: ["pods"], includedClusterScopedResources: ["nodes"] },
    "cannot be used together",
  ],
  ["an illegal pattern", { includedNamespaces: ["a["] }, '"a[" is not a pattern'],
  [
    "two kinds of selectors",
    { labelSelector: { matchLabels: { a: "b" } }, orLabelSelectors: [{ matchLabels: { c: "d" } }] },
    "cannot be used together",
  ],
  [
    "a policy that does not exist",
    { resourcePolicy: { kind: "configmap", name: "none" } },
    'there is no ConfigMap "none"',
  ],
])("%s is a validation error", async (what, spec, message) => {
  const name = `refused-${what.replace(/\W+/g, "-")}`;
  await stage.create(name, spec);
  const { status } = await stage.ended(name);
  expect(status?.phase).toBe("FailedValidation");
  expect(status?.validationErrors?.join("\n")).toContain(message);
});

test("a namespace that does not exist makes the backup partial", async () => {
  await stage.create("partial", { includedNamespaces: [shop, "no-such-namespace"] });
  expect((await stage.ended("partial")).status).toMatchObject({ phase: "PartiallyFailed", errors: 1 });
  expect(JSON.stringify(stage.json("partial", "partial-results.gz"))).toContain("no-such-namespace");
});

test("a name that is taken in the location fails at once, and what is there stays", async () => {
  await stage.create("taken", { includedNamespaces: [shop] });
  await stage.ended("taken");
  const before = stage.json("taken", "velero-backup.json");
  await stage.client.delete(resourceOf(kinds.Backup), "taken", { namespace: stage.namespace });
  await stage.create("taken", { includedNamespaces: [shop] });
  expect((await stage.ended("taken")).status).toMatchObject({
    phase: "Failed",
    failureReason: expect.stringContaining("exists"),
  });
  expect(stage.json("taken", "velero-backup.json")).toEqual(before);
});

test("a location that cannot be opened is unavailable, with the reason, and backups to it are refused", async () => {
  await stage.location("broken", stage.namespace, { config: { path: "/no/such/folder" } });
  const found = await eventually(
    () =>
      stage.client.get<Backup & { status?: { phase?: string; message?: string } }>(
        resourceOf(kinds.BackupStorageLocation),
        "broken",
        { namespace: stage.namespace },
      ),
    ({ status }) => status?.phase !== undefined,
  );
  expect(found.status).toMatchObject({ phase: "Unavailable", message: expect.stringContaining("/no/such") });
  await stage.create("to-broken", { storageLocation: "broken" });
  expect((await stage.ended("to-broken")).status?.validationErrors?.[0]).toContain("is unavailable");
});

test("files are downloaded through a link, a backup is deleted with its files", async () => {
  await stage.create("doomed", { includedNamespaces: [shop] });
  const backup = await stage.ended("doomed");
  const { client, namespace } = stage;
  const requests = resourceOf(kinds.DownloadRequest);
  const target = { kind: "BackupResourceList", name: "doomed" };
  await client.create(requests, {
    apiVersion: "velero.io/v1",
    kind: "DownloadRequest",
    metadata: { name: "d1", namespace },
    spec: { target },
  });
  const answered = await eventually(
    () => client.get<DownloadRequest>(requests, "d1", { namespace }),
    ({ status }) => Boolean(status?.downloadURL),
  );
  const response = await fetch(answered.status?.downloadURL ?? "");
  expect(Buffer.from(await response.arrayBuffer())).toEqual(
    stage.read("doomed", "doomed-resource-list.json.gz"),
  );
  const deletions = resourceOf(kinds.DeleteBackupRequest);
  const metadata = {
    name: "x1",
    namespace,
    labels: { "velero.io/backup-name": "doomed", "velero.io/backup-uid": backup.metadata.uid },
  };
  await client.create(deletions, {
    apiVersion: "velero.io/v1",
    kind: "DeleteBackupRequest",
    metadata,
    spec: { backupName: "doomed" },
  });
  await eventually(
    () =>
      stage.get("doomed").then(
        () => "there",
        (error: unknown) => (isNotFound(error) ? "gone" : "?"),
      ),
    (found) => found === "gone",
  );
  expect(stage.files("doomed")).toEqual([]);
  const done = await eventually(
    () => client.get<DeleteBackupRequest>(deletions, "x1", { namespace }),
    ({ status }) => status?.phase === "Processed",
  );
  expect(done.status?.errors ?? []).toEqual([]);
});

test("a backup that was refused for want of a location is deleted, and nobody waits for its files", async () => {
  const { client, namespace } = stage;
  const { metadata } = await stage.create("refused", { storageLocation: "nowhere" });
  await stage.ended("refused");
  const deletions = resourceOf(kinds.DeleteBackupRequest);
  await client.create(deletions, deleteRequest({ metadata: { ...metadata, namespace } } as Backup));
  await eventually(
    () =>
      stage.get("refused").then(
        () => "there",
        (error: unknown) => (isNotFound(error) ? "gone" : "?"),
      ),
    (found) => found === "gone",
  );
});

test("backups of a bucket appear in another server, and go when they are gone", async () => {
  await stage.create("shared", { includedNamespaces: [shop] });
  await stage.ended("shared");
  const other = await stage.app("other");
  await stage.location("elsewhere", other, { backupSyncPeriod: "1s" });
  const stop = stage.operator(other, ["location", "backup-sync"]);
  const imported = await eventually(
    () => stage.get("shared", other).catch(() => undefined),
    (found) => found !== undefined,
  );
  expect(imported?.spec?.storageLocation).toBe("elsewhere");
  expect(imported?.status?.phase).toBe("Completed");
  rmSync(join(stage.folder, "b/backups/shared"), { recursive: true });
  await eventually(
    () => stage.get("shared", other).catch((error: unknown) => isNotFound(error)),
    (found) => found === true,
  );
  await stop();
});

test("a schedule makes backups with its labels", async () => {
  const { client, namespace } = stage;
  const schedules = resourceOf(kinds.Schedule);
  const spec = {
    schedule: "@every 1s",
    template: { includedNamespaces: [shop], metadata: { labels: { team: "x" } } },
  };
  await client.create(schedules, {
    apiVersion: "velero.io/v1",
    kind: "Schedule",
    metadata: { name: "often", namespace },
    spec,
  });
  const labelSelector = "velero.io/schedule-name=often,team=x";
  const made = await eventually(
    () => client.list<Backup>(resourceOf(kinds.Backup), { namespace, labelSelector }),
    (found) => found.some(({ status }) => status?.phase === "Completed"),
  );
  expect(made[0]?.metadata.name).toMatch(/^often-\d{14}$/);
  const schedule = await client.get<Schedule>(schedules, "often", { namespace });
  expect(schedule.status?.phase).toBe("Enabled");
  await client.delete(schedules, "often", { namespace });
});

test("a canceled backup ends as Failed, and nothing of it stays in the bucket", async () => {
  await stage.create("canceled", { includedNamespaces: [shop] }, { [cancelAnnotation]: "true" });
  expect((await stage.ended("canceled")).status).toMatchObject({
    phase: "Failed",
    failureReason: "canceled by request",
  });
  expect(stage.files("canceled")).toEqual([]);
});
