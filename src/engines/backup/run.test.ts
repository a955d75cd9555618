import { expect, test } from "vitest";
import { big, fake, run, served, tarOf, world } from "../../../test/harness/backup-world.ts";
import { AppError } from "../../errors.ts";
import { MemoryStore, type Store } from "../../store/index.ts";
import { readPolicies } from "./policies.ts";
import type { OpenSnapshots, StoredSnapshot } from "./snapshots.ts";
import type { Source } from "./source.ts";

test("ordered items come first, in their order", async () => {
  const { entries } = await run({ includedResources: ["pods"], orderedResources: { pods: "b/api,a/web" } });
  expect(entries[1]).toBe("resources/pods/namespaces/b/api.json");
});

test("numbers beyond 2^53 are stored as the server wrote them", async () => {
  const { tar } = await run({ includedResources: ["configmaps"] });
  expect(tar.toString()).toContain('"apiVersion":"v1","kind":"ConfigMap"');
  expect(tar.toString()).toContain(`"big":${big}`);
});

test("a namespace that does not exist is an error, an idle pattern a warning", async () => {
  const { status, json } = await run({ includedNamespaces: ["b", "nowhere", "z*"] });
  expect(status).toMatchObject({ phase: "PartiallyFailed", errors: 1, warnings: 1 });
  expect(await json("results")).toEqual({
    errors: { cluster: ["resource: /namespaces name: /nowhere message: /the namespace does not exist"] },
    warnings: { cluster: ["resource: /namespaces name: /z* message: /the pattern matches no namespace"] },
  });
});

test("a claim that is missing is a warning; the pod is stored", async () => {
  const { "persistentvolumeclaims a/data": _claim, ...rest } = world;
  const { status, entries } = await run({ includedNamespaces: ["a"] }, { source: fake(rest) });
  expect(status).toMatchObject({ phase: "Completed", warnings: 1 });
  expect(entries).toContain("resources/pods/namespaces/a/web.json");
});

test("a list that the server refuses makes the backup partial, never complete", async () => {
  const source = fake();
  const broken: Source = {
    ...source,
    async *rawPages(resource, query) {
      if (resource.plural === "configmaps") throw new Error("no");
      yield* source.rawPages(resource, query);
    },
  };
  const { status, entries } = await run({ includedNamespaces: ["b"] }, { source: broken });
  expect(status).toMatchObject({ phase: "PartiallyFailed", errors: 1 });
  expect(entries).toContain("resources/pods/namespaces/b/api.json");
});

test.each([
  ["everything is asked for", "broken.example.com", {}, { phase: "PartiallyFailed", errors: 1 }],
  ["a type of it may be meant", "broken.example.com", { includedResources: ["sprockets"] }, { errors: 1 }],
  ["a pattern may mean it", "broken.example.com", { includedResources: ["*.example.com"] }, { errors: 1 }],
  ["only known types are asked for", "broken.example.com", { includedResources: ["cm"] }, undefined],
  ["it is left out", "broken.example.com", { excludedResources: ["*.broken.example.com"] }, undefined],
  [
    "known types by scope",
    "broken.example.com",
    { includedNamespaceScopedResources: ["pods"], includedClusterScopedResources: ["nodes"] },
    undefined,
  ],
  ["it only measures", "metrics.k8s.io", {}, { phase: "Completed", warnings: 1 }],
])("an API that cannot be discovered, when %s", async (_name, group, spec, want) => {
  const failed = [{ groupVersion: `${group}/v1`, message: "down" }];
  const source = { ...fake(), discover: async () => ({ resources: served, failed }) };
  const { status } = await run({ includedNamespaces: ["b"], ...spec }, { source });
  expect(status).toMatchObject(want ?? { phase: "Completed" });
  if (!want) expect(status).not.toHaveProperty("errors");
});

test("a namespace that is deleted while the backup runs is a warning, and so is an ordered item that is gone", async () => {
  const source = fake();
  const later: Source = {
    ...source,
    beginning: async (resource, query, signal) =>
      query?.fieldSelector !== undefined && resource.plural === "namespaces"
        ? { items: [], more: false }
        : source.beginning(resource, query, signal),
  };
  const spec = { includedNamespaces: ["b"], orderedResources: { configmaps: "b/vanished" } };
  const { status, json } = await run(spec, { source: later });
  expect(status).toMatchObject({ phase: "Completed", warnings: 2 });
  expect(JSON.stringify(await json("results"))).toMatch(/deleted while the backup ran.*vanished/s);
});

test("a cluster that goes away in the middle ends the run: it is tried again as a whole, never called complete", async () => {
  const source = fake();
  const away: Source = {
    ...source,
    async *rawPages(resource, query) {
      if (resource.plural === "configmaps") throw new AppError("KUBE_UNREACHABLE", "gone");
      yield* source.rawPages(resource, query);
    },
  };
  await expect(run({ includedNamespaces: ["b"] }, { source: away })).rejects.toMatchObject({
    code: "KUBE_UNREACHABLE",
  });
});

test("a store that is full fails the run, and nothing of it stays there", async () => {
  const store = new MemoryStore();
  const full: Store = {
    ...bound(store),
    put: async (key, body, signal) => {
      if (key.endsWith("-results.gz")) throw new AppError("STORE_FULL", "no space left");
      await store.put(key, body, signal);
    },
  };
  await expect(run({}, { store: full })).rejects.toMatchObject({ code: "STORE_FULL" });
  expect(await Array.fromAsync(store.list("backups/"))).toEqual([]);
});

/** A store whose methods can be replaced one by one. */
function bound(store: Store): Store {
  return {
    place: store.place,
    put: (...all) => store.put(...all),
    get: (...all) => store.get(...all),
    head: (...all) => store.head(...all),
    list: (...all) => store.list(...all),
    delete: (...all) => store.delete(...all),
    deletePrefix: (...all) => store.deletePrefix(...all),
    signedUrl: (...all) => store.signedUrl(...all),
  };
}

test("hooks run around the pod, and a fatal one keeps it out", async () => {
  const ran: string[] = [];
  const hook = (name: string, onError?: string) => ({
    exec: { command: [name], ...(onError && { onError }) },
  });
  const hooks = {
    resources: [
      { name: "h", includedNamespaces: ["a"], pre: [hook("freeze", "Fail")], post: [hook("thaw")] },
    ],
  };
  const spec = { includedResources: ["pods"], hooks };
  const runInPod = (exitCode: number) => async (_where: object, command: readonly string[]) => {
    ran.push(command.join(" "));
    return { exitCode, stdout: "", stderr: "" };
  };
  const well = await run(spec, { runInPod: runInPod(0) });
  expect(ran).toEqual(["freeze", "thaw"]);
  expect(well.status).toMatchObject({ phase: "Completed", hookStatus: { hooksAttempted: 2 } });
  const badly = await run(spec, { runInPod: runInPod(1) });
  expect(badly.status).toMatchObject({
    phase: "PartiallyFailed",
    hookStatus: { hooksAttempted: 1, hooksFailed: 1 },
    progress: { totalItems: 2, itemsBackedUp: 1 },
  });
  expect(badly.entries).not.toContain("resources/pods/namespaces/a/web.json");
});

test("a policy's lists add to the filters by scope", async () => {
  const policies = readPolicies({
    p: "version: v1\nincludeExcludePolicy: {excludedNamespaceScopedResources: [configmaps]}",
  });
  if (typeof policies === "string") throw new Error(policies);
  const { entries } = await run({ includedNamespaces: ["b"] }, { policies });
  expect(entries.toSorted()).toEqual(tarOf(["pods b/api", "deployments.apps b/api", "namespaces b"]));
});

/** Snapshots of every volume but one that fails; what was asked is written down. */
function snapshotter(asked: string[]): OpenSnapshots {
  const list: StoredSnapshot[] = [];
  return async ({ backup }) => ({
    async take(volume) {
      const { name } = volume["metadata"] as { name: string };
      asked.push(`take ${name}`);
      const spec = {
        backupName: backup.metadata.name,
        backupUID: backup.metadata.uid ?? "",
        location: "l",
        persistentVolumeName: name,
        providerVolumeID: `id-${name}`,
        volumeType: "t",
      };
      const ok = name === "pv-1";
      list.push({ spec, status: ok ? { providerSnapshotID: "s", phase: "Completed" } : { phase: "Failed" } });
      return ok ? "taken" : "failed";
    },
    finish: async () => void asked.push("finish"),
    list: () => list,
    objects: () => [
      {
        apiVersion: "velero.io/v1",
        kind: "VolumePluginBackup",
        metadata: { name: "s" },
        spec: { volume: "pv-1", backup: "b", plugin: "p" },
        status: { phase: "Completed", snapshotID: "s", startTimestamp: "2026-11-15T10:00:00Z" },
      },
    ],
    cancel: async () => void asked.push("cancel"),
  });
}

test("volumes get their snapshots, the backup waits for them, counts them and keeps what plugins said", async () => {
  const asked: string[] = [];
  const shown: unknown[] = [];
  const { status, entries, json } = await run(
    { includeClusterResources: true },
    { openSnapshots: snapshotter(asked), onProgress: ({ volumes }) => shown.push(volumes) },
  );
  expect(asked).toEqual(["take pv-1", "take pv-2", "finish"]);
  expect(status).toMatchObject({ volumeSnapshotsAttempted: 2, volumeSnapshotsCompleted: 1 });
  expect(entries).toContain("resources/persistentvolumes/cluster/pv-1.json");
  expect(entries).not.toContain("resources/persistentvolumes/cluster/pv-2.json");
  expect(await json("volumeSnapshots")).toHaveLength(2);
  expect(await json("volumePluginBackups")).toMatchObject([{ metadata: { name: "s" } }]);
  expect(await json("volumeInfo")).toMatchObject([
    { pvName: "pv-1", backupMethod: "NativeSnapshot", startTimestamp: "2026-11-15T10:00:00Z" },
    { pvName: "pv-2", backupMethod: "NativeSnapshot", result: "failed" },
  ]);
  expect(shown.at(-1)).toMatchObject([{ kind: "VolumePluginBackup", metadata: { name: "s" } }]);
});

test("a policy that skips a volume keeps it from the snapshotter, and the volume info says why", async () => {
  const asked: string[] = [];
  const policies = readPolicies({
    p: "version: v1\nvolumePolicies: [{conditions: {pvcPhase: [Bound]}, action: {type: skip}}]",
  });
  if (typeof policies === "string") throw new Error(policies);
  const { json } = await run({ includedNamespaces: ["a"] }, { openSnapshots: snapshotter(asked), policies });
  expect(asked).toEqual(["finish"]);
  expect(await json("volumeInfo")).toMatchObject([{ pvName: "pv-1", skippedReason: "a policy skips it" }]);
});
