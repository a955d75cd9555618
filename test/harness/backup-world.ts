import { tmpdir } from "node:os";
import { gunzipSync } from "node:zlib";
import { archiveEntryName, type Backup } from "../../src/api/index.ts";
import { type RunOptions, runBackup } from "../../src/engines/backup/index.ts";
import type { Client, DiscoveredResource } from "../../src/kube/index.ts";
import { type BackupFile, backupKey, MemoryStore } from "../../src/store/index.ts";

type Source = Pick<Client, "discover" | "rawPages" | "beginning">;
/** A number that a JavaScript number cannot hold. */
export const big = "9007199254740993";
/** The group of roles. */
export const rbac = "rbac.authorization.k8s.io";
/** The type of definitions. */
export const crd = "customresourcedefinitions.apiextensions.k8s.io";

/** `plural.group kind scope`, in the order of discovery. */
export const served: DiscoveredResource[] = `
bindings Binding n create
namespaces Namespace c
nodes Node c
configmaps ConfigMap n
events Event n
persistentvolumeclaims PersistentVolumeClaim n
persistentvolumes PersistentVolume c
pods Pod n
secrets Secret n
serviceaccounts ServiceAccount n
deployments.extensions Deployment n
deployments.apps Deployment n
events.events.k8s.io Event n
priorityclasses.scheduling.k8s.io PriorityClass c
clusterrolebindings.${rbac} ClusterRoleBinding c
clusterroles.${rbac} ClusterRole c
${crd} CustomResourceDefinition c
widgets.example.com Widget n
gadgets.example.com Gadget c
volumesnapshots.snapshot.storage.k8s.io VolumeSnapshot n
volumesnapshotcontents.snapshot.storage.k8s.io VolumeSnapshotContent c`
  .trim()
  .split("\n")
  .map((line) => {
    const [name = "", kind = "", scope, only] = line.split(" ");
    const [plural = "", ...group] = name.split(".");
    return {
      group: group.join("."),
      version: "v1",
      plural,
      kind,
      namespaced: scope === "n",
      singular: kind.toLowerCase(),
      verbs: only ? [only] : ["list", "create", "get", "delete", "watch"],
      shortNames: plural === "configmaps" ? ["cm"] : plural === "deployments" ? ["deploy"] : [],
      categories: [],
      subresources: [],
      preferred: true,
    };
  });

const web = { labels: { app: "web" } };
/** A small cluster: `type place` → the rest of the object. */
export const world: Record<string, Record<string, unknown>> = {
  "namespaces a": { metadata: { labels: { team: "x" } }, status: { phase: "Active" } },
  "namespaces b": { status: { phase: "Active" } },
  "namespaces empty": { status: { phase: "Active" } },
  "namespaces going": { status: { phase: "Terminating" } },
  "nodes n1": {},
  "configmaps a/cm": { metadata: web, data: { big: "BIG" } },
  "configmaps b/cm": {},
  "configmaps b/gone": { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } },
  "events a/e1": {},
  "events.events.k8s.io a/e1": {},
  "persistentvolumeclaims a/data": { spec: { volumeName: "pv-1" }, status: { phase: "Bound" } },
  "persistentvolumes pv-1": { spec: { claimRef: { namespace: "a", name: "data" } } },
  "persistentvolumes pv-2": {},
  "pods a/web": {
    metadata: web,
    spec: {
      priorityClassName: "high",
      volumes: [{ name: "d", persistentVolumeClaim: { claimName: "data" } }],
    },
  },
  "pods b/api": { metadata: { labels: { app: "api" } } },
  "secrets a/hidden": { metadata: { labels: { "velero.io/exclude-from-backup": "true" } } },
  "serviceaccounts a/robot": {},
  "deployments.extensions a/web": { metadata: web },
  "deployments.apps a/web": { metadata: web },
  "deployments.apps b/api": { metadata: { labels: { app: "api" } } },
  "priorityclasses.scheduling.k8s.io high": {},
  [`clusterrolebindings.${rbac} bind`]: {
    subjects: [{ kind: "ServiceAccount", namespace: "a", name: "robot" }],
    roleRef: { name: "role" },
  },
  [`clusterrolebindings.${rbac} other`]: {
    subjects: [{ kind: "User", name: "robot" }],
    roleRef: { name: "more" },
  },
  [`clusterroles.${rbac} role`]: {},
  [`clusterroles.${rbac} more`]: {},
  [`${crd} widgets.example.com`]: {},
  [`${crd} gadgets.example.com`]: {},
  "widgets.example.com a/w1": {},
  "gadgets.example.com g1": { metadata: web },
  "volumesnapshots.snapshot.storage.k8s.io a/vs": {},
  "volumesnapshotcontents.snapshot.storage.k8s.io vsc": {},
};

/** A source of that cluster, or of another one. */
export function fake(objects = world): Source {
  const read = (resource: { plural: string; group: string }, query: Record<string, unknown>) =>
    Object.entries(objects).flatMap(([key, rest]) => {
      const [type, place = ""] = key.split(" ");
      const [name = "", namespace] = place.split("/").toReversed();
      if (type !== [resource.plural, resource.group].filter(Boolean).join(".")) return [];
      if (query["namespace"] !== undefined && query["namespace"] !== namespace) return [];
      if (query["fieldSelector"] !== undefined && query["fieldSelector"] !== `metadata.name=${name}`)
        return [];
      const metadata = { name, ...(namespace && { namespace }), ...(rest["metadata"] as object | undefined) };
      const labels = (metadata as { labels?: Record<string, string> }).labels ?? {};
      const { labelSelector } = query;
      const wanted = (typeof labelSelector === "string" ? labelSelector : "").split(",").filter(Boolean);
      if (!wanted.every((pair) => labels[pair.split("=")[0] ?? ""] === pair.split("=")[1])) return [];
      return [Buffer.from(JSON.stringify({ ...rest, metadata }).replace('"BIG"', big))];
    });
  return {
    discover: async () => ({ resources: served, failed: [] }),
    async *rawPages(resource, query) {
      yield { items: read(resource, { ...query }), resourceVersion: "1" };
    },
    beginning: async (resource, query) => {
      const items = read(resource, { ...query });
      return { items: items.slice(0, 1), remaining: items.length - 1, more: items.length > 1 };
    },
  };
}

/** Runs a backup of it into a store in memory. */
export async function run(spec: object, more: Partial<RunOptions> = {}) {
  const store = new MemoryStore();
  const progress: { done: number; total?: number }[] = [];
  const backup = {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    // The folder of a run is named after its uid, and tests run side by side.
    metadata: { name: "b", namespace: "velero", uid: crypto.randomUUID() },
    spec,
  } as Backup;
  const status = await runBackup(
    {
      backup,
      source: fake(),
      store,
      policies: { volumes: [], lists: {} },
      tempDir: tmpdir(),
      now: () => Date.parse("2026-11-15T10:00:00Z"),
      runInPod: async () => ({ exitCode: 0, stdout: "", stderr: "" }),
      openPodVolumes: async () => ({
        plan: () => [],
        start: async () => ({ copied: [], left: [] }),
        settled: async () => undefined,
        finish: async () => undefined,
        list: () => [],
        progress: () => [],
        cancel: async () => undefined,
      }),
      // A cluster in which every volume can be snapshotted.
      openSnapshots: async () => ({
        take: async () => "taken",
        finish: async () => undefined,
        list: () => [],
        objects: () => [],
        cancel: async () => undefined,
      }),
      onProgress: ({ items }) => progress.push(items),
      ...more,
    },
    new AbortController().signal,
  );
  const bytes = async (file: BackupFile) =>
    Buffer.concat(await Array.fromAsync(await store.get(backupKey("b", file))));
  const tar = gunzipSync(await bytes("contents"));
  const json = async (file: BackupFile): Promise<unknown> =>
    JSON.parse(gunzipSync(await bytes(file)).toString());
  return { status, progress, entries: entriesOf(tar), tar, json, store };
}

function entriesOf(tar: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at < tar.length && tar[at] !== 0; ) {
    const text = (from: number, to: number) =>
      tar.toString("latin1", at + from, at + to).replace(/\0.*$/, "");
    names.push([text(345, 500), text(0, 100)].filter(Boolean).join("/"));
    at += 512 + Math.ceil(Number.parseInt(text(124, 135), 8) / 512) * 512;
  }
  return names;
}

/** Every tar entry of some items, given as `type place`. */
export function tarOf(items: readonly string[]): string[] {
  return [
    "metadata/version",
    ...items.flatMap((item) => {
      const [type = "", place = ""] = item.split(" ");
      const [resource = "", ...group] = type.split(".");
      const [name = "", namespace] = place.split("/").toReversed();
      const entry = {
        resource,
        group: group.join("."),
        name,
        preferred: true,
        ...(namespace && { namespace }),
      };
      return [archiveEntryName(entry), archiveEntryName({ ...entry, version: "v1" })];
    }),
  ].toSorted();
}
