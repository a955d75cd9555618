import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds, type PodVolumeRestore, type Restore } from "../../../src/api/index.ts";
import type { PodVolumeRestores } from "../../../src/engines/restore/index.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import { definitions } from "../../harness/definitions.ts";
import { archiveOf, core, RestoreStage, type Thing, until } from "../../harness/restore-stage.ts";

let stage: RestoreStage;
beforeAll(async () => {
  stage = await RestoreStage.open();
});
afterAll(async () => {
  await stage.close();
});

const configMaps = core("configmaps", "ConfigMap");
const spaces = core("namespaces", "Namespace", false);

function configMap(namespace: string, name: string, data: object): { type: string; thing: Thing } {
  return {
    type: "configmaps",
    thing: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data },
  };
}

function copyOf(progress: { bytesDone: number; totalBytes: number }): PodVolumeRestore {
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeRestore",
    metadata: { name: "wired-1", namespace: stage.namespace },
    status: { phase: "InProgress", progress },
  };
}

test("a definition in the backup is there before its objects", async () => {
  const shop = stage.named("crd");
  const group = `example-${stage.id}.com`;
  const definition: Thing = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
            },
          },
        },
      ],
    },
  };
  const widget: Thing = {
    apiVersion: `${group}/v1`,
    kind: "Widget",
    metadata: { name: "w", namespace: shop },
    spec: { size: 3 },
  };
  await stage.backup(
    "crd",
    archiveOf([
      { type: `widgets.${group}`, thing: widget },
      { type: "customresourcedefinitions.apiextensions.k8s.io", thing: definition },
    ]),
  );
  await stage.request("crd", { backupName: "crd" });
  const { status } = await stage.run("crd");
  expect(status).toMatchObject({ phase: "Completed", progress: { totalItems: 3, itemsRestored: 3 } });
  const resource = { group, version: "v1", plural: "widgets", kind: "Widget", namespaced: true };
  expect(await stage.client.get<Thing>(resource, "w", { namespace: shop })).toMatchObject({
    spec: { size: 3 },
  });
  await stage.client.delete(definitions, `widgets.${group}`);
});

test.each([
  ["none", { old: "1" }, 1],
  ["update", { fresh: "1" }, 0],
])("policy %s decides about what exists and differs", async (policy, data, warnings) => {
  const shop = stage.named(`policy-${policy}`);
  await stage.create(spaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: shop } });
  await stage.create(configMaps, configMap(shop, "a", { old: "1" }).thing);
  await stage.backup(`p-${policy}`, archiveOf([configMap(shop, "a", { fresh: "1" })]));
  await stage.request(`p-${policy}`, { backupName: `p-${policy}`, existingResourcePolicy: policy });
  const { status } = await stage.run(`p-${policy}`);
  expect(status?.phase).toBe("Completed");
  expect(status?.warnings ?? 0).toBe(warnings);
  expect((await stage.client.get<Thing>(configMaps, "a", { namespace: shop }))["data"]).toEqual(data);
});

test("resource modifiers change what is restored", async () => {
  const shop = stage.named("modified");
  const rules = `version: v1
resourceModifierRules:
- conditions: {groupResource: configmaps}
  patches: [{operation: add, path: /data/added, value: "yes"}]`;
  await stage.create(configMaps, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "rules", namespace: stage.namespace },
    data: { rules },
  });
  await stage.backup("modified", archiveOf([configMap(shop, "a", { k: "v" })]));
  await stage.request("modified", {
    backupName: "modified",
    resourceModifier: { kind: "configmap", name: "rules" },
  });
  expect((await stage.run("modified")).status?.phase).toBe("Completed");
  expect((await stage.client.get<Thing>(configMaps, "a", { namespace: shop }))["data"]).toEqual({
    k: "v",
    added: "yes",
  });
});

test("a resource policy chooses what is restored, and what cannot be read is refused with its reason", async () => {
  const shop = stage.named("ruled");
  const policy = (name: string, filters: string) =>
    stage.create(configMaps, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: stage.namespace },
      data: { policy: `version: v1\nnamespacedFilterPolicies: [{namespaces: [${shop}], ${filters}}]` },
    });
  await policy("items", "resourceFilters: [{kinds: [ConfigMap, Sprocket], names: ['app-*']}]");
  await policy("odd", "resourceFilter: []");
  await stage.backup(
    "ruled",
    archiveOf([configMap(shop, "app-a", { k: "v" }), configMap(shop, "other", { k: "v" })]),
  );
  const run = async (name: string) => {
    await stage.request(name, { backupName: "ruled", resourcePolicy: { kind: "ConfigMap", name } });
    return (await stage.run(name)).status;
  };
  expect(await run("odd")).toMatchObject({
    phase: "FailedValidation",
    validationErrors: ['resource policy "odd": "resourceFilter" of namespacedFilterPolicies[0] is not known'],
  });
  expect(await run("items")).toMatchObject({ phase: "Completed", warnings: 1 });
  const there = await stage.client.list(configMaps, {
    namespace: shop,
    labelSelector: "velero.io/restore-name",
  });
  expect(there.map(({ metadata }) => metadata.name)).toEqual(["app-a"]);
});

/** A pod with a volume whose content was copied, and the object that says so. */
async function podWithVolume(name: string): Promise<string> {
  const shop = stage.named(name);
  const pod: Thing = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: shop },
    spec: { containers: [{ name: "c", image: "x" }], volumes: [{ name: "data", emptyDir: {} }] },
  };
  await stage.backup(name, archiveOf([{ type: "pods", thing: pod }]));
  await stage.create(resourceOf(kinds.PodVolumeBackup), {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: { name, namespace: stage.namespace, labels: { "velero.io/backup-name": name } },
    spec: {
      node: "n",
      volume: "data",
      backupStorageLocation: "default",
      repoIdentifier: "",
      pod: { kind: "Pod", namespace: shop, name: "p" },
    },
    status: { phase: "Completed", snapshotID: "s1" },
  });
  await stage.request(name, { backupName: name });
  return shop;
}

test("a pod whose volumes nobody restores gets a warning, not silence", async () => {
  await podWithVolume("unwired");
  expect((await stage.run("unwired")).status).toMatchObject({ phase: "Completed", warnings: 1 });
});

test("volumes are part of the restore: it is not over, nor at 100 %, before they are", async () => {
  const shop = await podWithVolume("wired");
  let finish: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const calls: string[] = [];
  const podVolumes: PodVolumeRestores = {
    prepare: async ({ pod, backups }) => {
      calls.push(`prepare ${backups.length}`);
      return { ...pod, metadata: { ...pod.metadata, annotations: { prepared: "yes" } } };
    },
    start: async (_pod, uid) => void calls.push(uid === "" ? "start without uid" : "start"),
    watch: async () => void calls.push("watch"),
    wait: async (_restore, told) => {
      told([copyOf({ bytesDone: 10, totalBytes: 100 })]);
      calls.push("wait");
      await gate;
      return [{ namespace: shop, pod: "p", volume: "data", error: "disk full" }];
    },
    cancel: async () => undefined,
  };
  const stop = new AbortController();
  const { done, status } = stage.start(stop.signal, { podVolumes });
  await until(async () => calls.includes("wait"));
  await status.flush();
  const waiting: Restore = await stage.getRestore("wired");
  expect(waiting.status).toMatchObject({
    phase: "InProgress",
    progress: { totalItems: 2, itemsRestored: 2 },
  });
  finish();
  await until(async () => (await stage.getRestore("wired")).status?.phase === "PartiallyFailed");
  stop.abort();
  await done;
  expect(calls).toEqual(["watch", "prepare 1", "start", "wait"]);
  const pod = await stage.client.get<Thing>(core("pods", "Pod"), "p", { namespace: shop });
  expect(pod.metadata["annotations"]).toMatchObject({ prepared: "yes" });
  expect((await stage.getRestore("wired")).status).toMatchObject({
    errors: 1,
    progress: { totalItems: 2, itemsRestored: 2 },
  });
  expect(await stage.stored("wired", "volumeInfo")).toEqual([
    {
      restoreMethod: "PodVolumeRestore",
      snapshotDataMoved: false,
      pvrInfo: {
        snapshotHandle: "s1",
        size: 0,
        uploaderType: "",
        volumeName: "data",
        podName: "p",
        podNamespace: shop,
      },
    },
  ]);
});

test("a volume that is provisioned anew gets the reclaim policy and the labels of the one whose place it takes", async () => {
  const shop = stage.named("anew");
  const volumes = core("persistentvolumes", "PersistentVolume", false);
  const claims = core("persistentvolumeclaims", "PersistentVolumeClaim");
  const [old, fresh] = [stage.named("pv-old"), stage.named("pv-new")];
  const volume = (name: string, policy: string): Thing => ({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: policy,
      storageClassName: "by-hand",
      hostPath: { path: "/nowhere" },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: shop, name: "data" },
    },
  });
  const claim: Thing = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace: shop },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "by-hand",
      volumeName: old,
      resources: { requests: { storage: "1Gi" } },
    },
  };
  const pod: Thing = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: shop },
    spec: {
      containers: [{ name: "c", image: "x" }],
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
    },
  };
  const pvInfo = { reclaimPolicy: "Retain", labels: { team: "a" } };
  await stage.side("anew", "volumeInfo", [
    { pvName: old, pvcName: "data", pvcNamespace: shop, backupMethod: "PodVolumeBackup", pvInfo },
  ]);
  await stage.backup(
    "anew",
    archiveOf([
      { type: "persistentvolumes", thing: volume(old, "Retain") },
      { type: "persistentvolumeclaims", thing: claim },
      { type: "pods", thing: pod },
    ]),
  );
  await stage.request("anew", { backupName: "anew" });
  const stop = new AbortController();
  const waits: string[] = [];
  const { done } = stage.start(
    stop.signal,
    {},
    (one) => void waits.push(one.children?.find(({ id }) => id === "finish")?.waitingFor?.message ?? ""),
  );
  await until(async () => waits.some((text) => text.includes("to be bound")));
  // What a provisioner would do now.
  await stage.create(volumes, volume(fresh, "Delete"));
  const bind = { type: "merge" as const, body: { spec: { volumeName: fresh } } };
  await stage.client.patch(claims, "data", bind, { namespace: shop });
  await until(async () => /Completed|Failed/.test((await stage.getRestore("anew")).status?.phase ?? ""));
  stop.abort();
  await done;
  expect((await stage.getRestore("anew")).status).toMatchObject({ phase: "Completed" });
  const now = await stage.client.get<Thing>(volumes, fresh);
  expect(now.metadata.labels).toMatchObject({ team: "a" });
  expect(now["spec"]).toMatchObject({ persistentVolumeReclaimPolicy: "Retain" });
  await stage.client.delete(volumes, fresh);
});

test("a status comes back where it is asked for", async () => {
  const shop = stage.named("status");
  const space = (name: string): { type: string; thing: Thing } => ({
    type: "persistentvolumeclaims",
    thing: {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name, namespace: shop },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "none",
        resources: { requests: { storage: "1Gi" } },
      },
      status: {
        phase: "Pending",
        conditions: [
          {
            type: "Resizing",
            status: "True",
            lastProbeTime: null,
            lastTransitionTime: "2026-01-01T00:00:00Z",
          },
        ],
      },
    },
  });
  await stage.backup("status", archiveOf([space("a")]));
  await stage.request("status", { backupName: "status", restoreStatus: { includedResources: ["pvc"] } });
  expect((await stage.run("status")).status).toMatchObject({ phase: "Completed" });
  const claim = await stage.client.get<Thing>(core("persistentvolumeclaims", "PersistentVolumeClaim"), "a", {
    namespace: shop,
  });
  expect(claim["status"]).toMatchObject({ conditions: [{ type: "Resizing", status: "True" }] });
});
