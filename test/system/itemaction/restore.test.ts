import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DeleteBackupRequest, kinds, type Restore } from "../../../src/api/index.ts";
import { isNotFound, resourceOf } from "../../../src/kube/index.ts";
import { BackupStage, core } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";
import { ItemPlugin, markedMap, missingItemPlugin } from "../../harness/item-plugin.ts";
import { restored } from "../../harness/snapshot-world.ts";

const configMaps = core("configmaps", "ConfigMap");
const requests = resourceOf(kinds.DeleteBackupRequest);
const restores = resourceOf(kinds.Restore);

function gone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

describe.skipIf(missingItemPlugin)(`restores with a real plugin program ${missingItemPlugin ?? ""}`, () => {
  let stage: BackupStage;
  let plugin: ItemPlugin;
  let shop: string;
  let target: string;
  const backup = `b-${crypto.randomUUID().slice(0, 8)}`;

  beforeAll(async () => {
    plugin = new ItemPlugin();
    stage = await BackupStage.open();
    shop = await stage.app("shop");
    target = `${shop}-back`;
    const map = (name: string, labels: Record<string, string>, says: Record<string, string> = {}) =>
      markedMap(stage, shop, name, { labels: { case: name, ...labels }, says });
    const both = (a: string, b: string) => `configmaps/${shop}/${a},configmaps/${shop}/${b}`;
    await map("changed", { restore: "", delete: "" }, { "restore-needs": both("beside", "gone") });
    await map("beside", { restore: "" }, { "restore-needs": both("changed", "beside") });
    await map("skipped", { restore: "" }, { "behave-in-restore": "skip" });
    await map("broken", { restore: "" }, { "behave-in-restore": "fail" });
    await map("old-name", { restore: "" }, { "behave-in-restore": "rename" });
    await map(
      "works",
      { "restore-operation": "" },
      { "restore-operation": "8s", "waits-for": `configmaps/${shop}/beside` },
    );
    await map("fails", { "restore-operation": "" }, { "restore-operation": "fail=1s" });
    await map("kept", { delete: "" }, { "behave-in-deletion": "fail" });
    stage.operator(undefined, undefined, { plugins: { folders: [plugin.folder] } });
    await stage.create(backup, { includedNamespaces: [shop], snapshotVolumes: false });
    const { status } = await stage.ended(backup);
    expect(status).toMatchObject({ phase: "Completed" });
  });
  afterAll(async () => {
    await stage?.drop(target).catch(() => undefined); // the restore may not have got so far
    await stage?.close();
    plugin?.close();
  });

  const restoreOf = (name: string, more: object) =>
    restored(stage, name, { backupName: backup, namespaceMapping: { [shop]: target }, ...more });
  const stored = (name: string, file: string) =>
    JSON.stringify(stage.json(`../restores/${name}`, `restore-${name}-${file}`));
  const got = (name: string) => stage.client.get(configMaps, name, { namespace: target }).catch(gone);

  test("actions change, rename, skip and refuse items, and bring others, also where two name each other", async () => {
    const name = `r-${crypto.randomUUID().slice(0, 8)}`;
    const { status } = await restoreOf(name, {
      labelSelector: { matchExpressions: [{ key: "fixture.example/restore", operator: "Exists" }] },
    });
    const results = stored(name, "results.gz");
    expect(status, results).toMatchObject({ phase: "PartiallyFailed", errors: 1, warnings: 1 });
    expect(results).toContain(`no room for ${shop}/broken`);
    expect(results).toContain('a plugin names configmaps \\"gone\\", which is not in the backup');
    expect((await got("changed"))?.metadata.annotations).toMatchObject({ "fixture.example/restored": name });
    expect((await got("beside"))?.metadata.annotations).toMatchObject({ "fixture.example/restored": name });
    expect(await got("skipped")).toBeUndefined();
    expect(await got("broken")).toBeUndefined();
    expect(await got("old-name")).toBeUndefined();
    expect(await got("old-name-renamed")).toBeDefined();
    expect(plugin.calls("restore ")).toContain(`restore ${shop}/changed out-of ${shop}/changed`);
  });

  test("operations go on after their items: phases, counters, what is stored, and what is waited for", async () => {
    const name = `r-${crypto.randomUUID().slice(0, 8)}`;
    const running = restoreOf(name, {
      labelSelector: { matchExpressions: [{ key: "fixture.example/restore-operation", operator: "Exists" }] },
    });
    const waiting = await eventually(
      () => stage.client.get<Restore>(restores, name, { namespace: stage.namespace }).catch(() => undefined),
      (one) => (one?.status?.phase ?? "").startsWith("WaitingForPluginOperations"),
    );
    expect(waiting?.status).toMatchObject({ restoreItemOperationsAttempted: 2 });
    const { status } = await running;
    const results = stored(name, "results.gz");
    expect(status, results).toMatchObject({
      phase: "PartiallyFailed",
      errors: 1,
      restoreItemOperationsAttempted: 2,
      restoreItemOperationsCompleted: 1,
      restoreItemOperationsFailed: 1,
    });
    expect(results).toContain("the copy of fails broke");
    expect(JSON.parse(stored(name, "itemoperations.json.gz"))).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          spec: expect.objectContaining({
            restoreName: name,
            restoreItemAction: "fixture.example/d-restore-operation",
            resourceIdentifier: { Group: "", Resource: "configmaps", Namespace: target, Name: "works" },
          }),
          status: expect.objectContaining({ phase: "Completed", nCompleted: 1000, operationUnits: "chunks" }),
        }),
      ]),
    );
    // Asked until the plugin said yes, at the third time.
    expect(plugin.calls("ready").length).toBe(3);
  });

  test("a deletion tells the plugin of every item, and keeps the backup when the plugin cannot let go", async () => {
    const remove = async (backupName: string) => {
      const name = `d-${crypto.randomUUID().slice(0, 8)}`;
      const metadata = { name, namespace: stage.namespace };
      await stage.client.create(requests, {
        apiVersion: "velero.io/v1",
        kind: "DeleteBackupRequest",
        metadata,
        spec: { backupName },
      });
      return eventually(
        () =>
          stage.client.get<DeleteBackupRequest>(requests, name, { namespace: stage.namespace }).catch(gone),
        (request) => request === undefined || request.status?.phase === "Processed",
      );
    };
    const refused = await remove(backup);
    expect(refused?.status?.errors).toEqual([
      `configmaps "kept": execute of plugin "fixture.example/e-delete" failed: cannot let go of ${shop}/kept`,
    ]);
    expect(plugin.calls("delete").toSorted()).toEqual([
      `delete ${shop}/changed ${backup}`,
      `delete ${shop}/kept ${backup}`,
    ]);
    expect(stage.files(backup)).toContain("velero-backup.json");

    const labelSelector = { matchLabels: { "fixture.example/case": "changed" } };
    await stage.create("let-go", { includedNamespaces: [shop], snapshotVolumes: false, labelSelector });
    expect((await stage.ended("let-go")).status).toMatchObject({ phase: "Completed" });
    expect((await remove("let-go"))?.status?.errors ?? []).toEqual([]);
    await eventually(
      () => stage.get("let-go").catch(gone),
      (found) => found === undefined,
    );
    expect(plugin.calls("delete").at(-1)).toBe(`delete ${shop}/changed let-go`);
    expect(stage.files("let-go")).toEqual([]);
  });
});
