import type { PodVolumeBackup } from "../../src/api/index.ts";
import { seededRandom } from "./random.ts";
import type { Thing } from "./restore-stage.ts";

/** What is in the cluster under an item's name when the restore comes. */
type There = "nothing" | "same" | "other" | "same, finalizing" | "other, finalizing";

/** One item of a situation's backup. */
interface SituationItem {
  readonly type: string;
  readonly thing: Thing;
  readonly there: There;
  /** The API server refuses it, wherever it goes. */
  readonly isBad?: boolean;
}

/** A backup, a cluster that it meets, and how it is restored. */
export interface Situation {
  readonly name: string;
  /** The namespace of the backup, and where it goes. */
  readonly source: string;
  readonly target: string;
  readonly isTargetThere: boolean;
  readonly items: readonly SituationItem[];
  readonly spec: Readonly<Record<string, unknown>>;
  readonly modifiers: string | undefined;
  readonly podVolumeBackups: readonly PodVolumeBackup[];
}

const finalizer = "plan.example.com/hold";

/** Situations by number; the same number is the same situation. `id` sets the names of one test apart. */
export function situationOf(number: number, id: string): Situation {
  const random = seededRandom(1_000 + number);
  const chance = (share: number): boolean => random() < share;
  const one = <T>(all: readonly [T, ...T[]]): T => all[Math.floor(random() * all.length)] ?? all[0];
  const name = `s${number}-${id}`;
  const source = `from-${name}`;
  const target = chance(0.4) ? `to-${name}` : source;
  const isTargetThere = chance(0.7);
  const there = (): There =>
    isTargetThere
      ? one(["nothing", "same", "other", "same, finalizing", "other, finalizing"] as const)
      : "nothing";
  const items = [...kindsOf(source, name)]
    .filter(() => chance(0.6))
    .map((item): SituationItem => ({ ...item, there: item.neverThere ? "nothing" : there() }));
  const hasPod = items.some(({ thing }) => thing.metadata.name === "with-volume");
  return {
    name,
    source,
    target,
    isTargetThere,
    items,
    spec: {
      ...(target !== source && { namespaceMapping: { [source]: target } }),
      ...(chance(0.5) && { existingResourcePolicy: one(["update", "none"] as const) }),
      ...(chance(0.3) && { restoreStatus: { includedResources: ["deployments", "widgets"] } }),
      ...(chance(0.3) && { preserveNodePorts: true }),
      ...(chance(0.2) && { excludedResources: ["services"] }),
      ...(chance(0.3) && { includeClusterResources: true }),
      ...(chance(0.4) && { hooks: { resources: [initHook] } }),
    },
    modifiers: chance(0.3) ? modifiers : undefined,
    podVolumeBackups: hasPod && chance(0.7) ? [copyOf(source, name)] : [],
  };
}

/** The same object with something changed that its kind allows to differ. */
export function changed(thing: Thing): Thing {
  const labels = { ...thing.metadata.labels, changed: "yes" };
  const data = thing["data"] === undefined ? {} : { data: { a: thing.kind === "Secret" ? "Mg==" : "2" } };
  return { ...thing, metadata: { ...thing.metadata, labels }, ...data };
}

/** The same object, to be held back when it is deleted. */
export function held(thing: Thing): Thing {
  return { ...thing, metadata: { ...thing.metadata, finalizers: [finalizer] } };
}

const initHook = {
  name: "warm",
  postHooks: [
    { init: { initContainers: [{ name: "warm", image: "busybox", command: ["true"] }], timeout: "1m" } },
  ],
};

/** One rule that fits, one whose patch does not: that item is refused. */
const modifiers = JSON.stringify({
  version: "v1",
  resourceModifierRules: [
    {
      conditions: { groupResource: "configmaps", resourceNameRegex: "^plain$" },
      mergePatches: [{ patchData: JSON.stringify({ data: { modified: "yes" } }) }],
    },
    {
      conditions: { groupResource: "configmaps", resourceNameRegex: "^generated-" },
      patches: [{ operation: "replace", path: "/data/absent/deep", value: "1" }],
    },
  ],
});

function copyOf(namespace: string, situation: string): PodVolumeBackup {
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: { name: `copy-${namespace}`, labels: { "velero.io/backup-name": situation } },
    spec: {
      pod: { kind: "Pod", namespace, name: "with-volume" },
      volume: "scratch",
      uploaderType: "kopia",
      node: "n1",
      backupStorageLocation: "default",
      repoIdentifier: "",
    },
    status: {
      phase: "Completed",
      snapshotID: "0123456789abcdef0123456789abcdef",
      progress: { totalBytes: 1_000, bytesDone: 1_000 },
    },
  };
}

type Kind = Omit<SituationItem, "there"> & { readonly neverThere?: boolean };

/** Everything that a situation may have, each once. */
function* kindsOf(namespace: string, situation: string): Generator<Kind> {
  const make = (
    type: string,
    apiVersion: string,
    kind: string,
    name: string,
    rest: object,
    meta: object = {},
  ): Kind => ({
    type,
    thing: {
      apiVersion,
      kind,
      metadata: { name, namespace, uid: "old", creationTimestamp: "2020-01-01T00:00:00Z", ...meta },
      ...rest,
    },
  });
  const map = (name: string, rest: object = {}, meta: object = {}) =>
    make("configmaps", "v1", "ConfigMap", name, { data: { a: "1" }, ...rest }, meta);
  yield map("plain");
  yield map("generated-x7k2p", {}, { generateName: "generated-" });
  yield map("fixed", { immutable: true });
  yield { ...map("bad", { data: { "not a key": "1" } }), isBad: true, neverThere: true };
  yield make("secrets", "v1", "Secret", "password", { type: "Opaque", data: { a: "MQ==" } });
  yield {
    ...make(
      "secrets",
      "v1",
      "Secret",
      "app-token-x7k2p",
      { type: "kubernetes.io/service-account-token", data: {} },
      { annotations: { "kubernetes.io/service-account.name": "app" } },
    ),
    neverThere: true,
  };
  yield make("serviceaccounts", "v1", "ServiceAccount", "app", {});
  yield make("services", "v1", "Service", "web", {
    spec: {
      type: "ClusterIP",
      selector: { app: "web" },
      ports: [{ name: "http", port: 80, targetPort: 80 }],
    },
  });
  yield* workloads(make);
  yield* rights(make);
  yield* claims(make, situation);
  yield* unusual(make, situation);
}

type Make = (
  type: string,
  apiVersion: string,
  kind: string,
  name: string,
  rest: object,
  meta?: object,
) => Kind;

const containers = [{ name: "main", image: "busybox" }];

function* workloads(make: Make): Generator<Kind> {
  const pod = (name: string, spec: object, rest: object = {}, meta: object = {}) =>
    make("pods", "v1", "Pod", name, { spec: { containers, ...spec }, ...rest }, meta);
  yield make("deployments.apps", "apps/v1", "Deployment", "web", {
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers } },
    },
    status: { observedGeneration: 3 },
  });
  yield pod("alone", {});
  yield pod("with-account", { serviceAccountName: "app" });
  yield { ...pod("with-nobody", { serviceAccountName: "nobody" }), isBad: true, neverThere: true };
  yield pod("with-volume", { volumes: [{ name: "scratch", emptyDir: {} }] });
  yield { ...pod("over", {}, { status: { phase: "Succeeded" } }), neverThere: true };
  yield {
    ...pod("mirror", {}, {}, { annotations: { "kubernetes.io/config.mirror": "x" } }),
    neverThere: true,
  };
  yield {
    ...make("jobs.batch", "batch/v1", "Job", "done", {
      spec: { template: { spec: { containers, restartPolicy: "Never" } } },
      status: { conditions: [{ type: "Complete", status: "True" }] },
    }),
    neverThere: true,
  };
}

function* rights(make: Make): Generator<Kind> {
  const group = "rbac.authorization.k8s.io";
  yield make(`roles.${group}`, `${group}/v1`, "Role", "reads", {
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }],
  });
  yield make(`rolebindings.${group}`, `${group}/v1`, "RoleBinding", "app-reads", {
    roleRef: { apiGroup: group, kind: "Role", name: "reads" },
    subjects: [{ kind: "ServiceAccount", name: "app", namespace: "default" }],
  });
}

function* claims(make: Make, situation: string): Generator<Kind> {
  const volume = (name: string, persistentVolumeReclaimPolicy: string) => ({
    ...make("persistentvolumes", "v1", "PersistentVolume", name, {
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        persistentVolumeReclaimPolicy,
        storageClassName: "none",
        hostPath: { path: "/nowhere" },
      },
    }),
    neverThere: true,
  });
  const claim = (name: string, volumeName: string) =>
    make("persistentvolumeclaims", "v1", "PersistentVolumeClaim", name, {
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName: "none",
        volumeName,
      },
    });
  yield withoutNamespace(volume(`kept-${situation}`, "Retain"));
  yield withoutNamespace(volume(`gone-${situation}`, "Delete"));
  yield claim("keeps", `kept-${situation}`);
  yield claim("renews", `gone-${situation}`);
}

function* unusual(make: Make, situation: string): Generator<Kind> {
  const group = `${situation}.plan.example.com`;
  const schema = {
    openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  };
  const definition = make(
    "customresourcedefinitions.apiextensions.k8s.io",
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    `widgets.${group}`,
    {
      spec: {
        group,
        scope: "Namespaced",
        names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
        versions: [{ name: "v1", served: true, storage: true, schema, subresources: { status: {} } }],
      },
    },
  );
  yield { ...withoutNamespace(definition), neverThere: true };
  yield {
    ...make(`widgets.${group}`, `${group}/v1`, "Widget", "one", { spec: { size: 1 }, status: { is: "up" } }),
    neverThere: true,
  };
  yield { ...make(`gizmos.nowhere.${group}`, `nowhere.${group}/v1`, "Gizmo", "lost", {}), neverThere: true };
}

function withoutNamespace({ thing, ...rest }: Kind): Kind {
  const { namespace: _, ...metadata } = thing.metadata;
  return { ...rest, thing: { ...thing, metadata } };
}
