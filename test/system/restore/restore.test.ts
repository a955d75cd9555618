import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { restoreKey } from "../../../src/store/index.ts";
import { archiveOf, core, RestoreStage, type Thing } from "../../harness/restore-stage.ts";

let stage: RestoreStage;
let shop: string;
beforeAll(async () => {
  stage = await RestoreStage.open();
  shop = stage.named("shop");
});
afterAll(async () => {
  await stage.close();
});

const configMaps = core("configmaps", "ConfigMap");
const namespaces = core("namespaces", "Namespace", false);

function configMap(namespace: string, name: string, more: object = {}): { type: string; thing: Thing } {
  const metadata = {
    name,
    namespace,
    uid: "old",
    resourceVersion: "7",
    labels: { app: name },
    creationTimestamp: "2020-01-01T00:00:00Z",
  };
  return {
    type: "configmaps",
    thing: { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "1" }, ...more },
  };
}

function namespace(name: string): { type: string; thing: Thing } {
  return {
    type: "namespaces",
    thing: { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { team: "a" } } },
  };
}

async function stored(name: string, file: "results" | "resourceList" | "log"): Promise<string> {
  const chunks = await Array.fromAsync(await stage.store.get(restoreKey(name, file)));
  return gunzipSync(Buffer.concat(chunks)).toString();
}

test("a restore creates what the backup holds, labelled, with its files beside it", async () => {
  await stage.backup("b1", archiveOf([namespace(shop), configMap(shop, "one"), configMap(shop, "two")]));
  await stage.request("r1", { backupName: "b1" });
  const restore = await stage.run("r1");
  expect(restore.status).toMatchObject({ phase: "Completed", progress: { totalItems: 3, itemsRestored: 3 } });
  expect(restore.metadata.finalizers).toContain("restores.velero.io/external-resources-finalizer");
  const one = await stage.client.get<Thing>(configMaps, "one", { namespace: shop });
  expect(one["data"]).toEqual({ a: "1" });
  expect(one.metadata.labels).toEqual({
    app: "one",
    "velero.io/backup-name": "b1",
    "velero.io/restore-name": "r1",
  });
  expect(one.metadata["uid"]).not.toBe("old");
  const space = await stage.client.get<Thing>(namespaces, shop);
  expect(space.metadata.labels).toMatchObject({ team: "a" });
  expect(JSON.parse(await stored("r1", "resourceList"))).toEqual({
    "v1/ConfigMap": [`${shop}/one(created)`, `${shop}/two(created)`],
    "v1/Namespace": [`${shop}(created)`],
  });
  expect(JSON.parse(await stored("r1", "results"))).toEqual({ errors: {}, warnings: {} });
  expect(await stored("r1", "log")).toContain("3 items are to be restored");
});
