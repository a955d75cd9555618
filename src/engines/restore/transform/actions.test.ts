import { expect, test } from "vitest";
import type { Item } from "../archive/item-json.ts";
import { type ActionContext, act, companionsOf, isFinished } from "./actions.ts";

const context: ActionContext = {
  namespace: "shop",
  preserveNodePorts: false,
  storageClasses: { slow: "fast" },
  images: { rule1: "old.registry/,new.registry/", broken: "nothing" },
  target: (namespace) => (namespace === "shop" ? "shop-copy" : namespace),
  restoredVolume: (volume) => (volume === "pv-gone" ? undefined : volume === "pv-moved" ? "clone" : volume),
  hasAccount: (name) => name === "web",
};

function item(kind: string, rest: object = {}, meta: object = {}, apiVersion = "v1"): Item {
  return { apiVersion, kind, metadata: { name: "a", namespace: "shop", ...meta }, ...rest };
}

const rbac = "rbac.authorization.k8s.io";
const token = {
  type: "kubernetes.io/service-account-token",
  data: { token: "t", "ca.crt": "c", extra: "e" },
};
const tokenOf = (account: string) => ({
  annotations: { "kubernetes.io/service-account.name": account, "kubernetes.io/service-account.uid": "u" },
});

const cases: [string, string, Item, object][] = [
  [
    "a pod loses its node, priority, tokens and ephemeral containers",
    "pods",
    item("Pod", {
      spec: {
        nodeName: "n1",
        priority: 5,
        serviceAccountName: "web",
        volumes: [
          { name: "data" },
          { name: "kube-api-access-x" },
          { name: "web-token-y" },
          { name: "webby-token" },
        ],
        containers: [{ name: "c", volumeMounts: [{ name: "data" }, { name: "kube-api-access-x" }] }],
        initContainers: [{ name: "i", volumeMounts: [{ name: "web-token-y" }] }, { name: "j" }],
        ephemeralContainers: [{ name: "debug" }],
      },
    }),
    {
      spec: {
        serviceAccountName: "web",
        volumes: [{ name: "data" }, { name: "webby-token" }],
        containers: [{ name: "c", volumeMounts: [{ name: "data" }] }],
        initContainers: [{ name: "i", volumeMounts: [] }, { name: "j" }],
      },
    },
  ],
  [
    "a job loses the uid of the old one",
    "jobs.batch",
    item("Job", {
      spec: {
        selector: {
          matchLabels: { "controller-uid": "u", "batch.kubernetes.io/controller-uid": "u", keep: "1" },
        },
        template: { metadata: { labels: { "controller-uid": "u", "job-name": "a" } } },
      },
    }),
    {
      spec: {
        selector: { matchLabels: { keep: "1" } },
        template: { metadata: { labels: { "job-name": "a" } } },
      },
    },
  ],
  [
    "images are renamed by the first rule that fits",
    "deployments.apps",
    item("Deployment", {
      spec: {
        template: {
          spec: {
            containers: [
              { name: "c", image: "old.registry/a:1" },
              { name: "d", image: "x" },
            ],
          },
        },
      },
    }),
    {
      spec: {
        template: {
          spec: {
            containers: [
              { name: "c", image: "new.registry/a:1" },
              { name: "d", image: "x" },
            ],
          },
        },
      },
    },
  ],
  [
    "images of a CronJob are deeper",
    "cronjobs.batch",
    item("CronJob", {
      spec: { jobTemplate: { spec: { template: { spec: { containers: [{ image: "old.registry/a" }] } } } } },
    }),
    {
      spec: { jobTemplate: { spec: { template: { spec: { containers: [{ image: "new.registry/a" }] } } } } },
    },
  ],
  [
    "a claim is freed and keeps its volume",
    "persistentvolumeclaims",
    item(
      "PersistentVolumeClaim",
      { spec: { volumeName: "pv-1", storageClassName: "slow" } },
      {
        annotations: {
          "pv.kubernetes.io/bind-completed": "yes",
          "volume.kubernetes.io/selected-node": "n",
          keep: "1",
        },
      },
    ),
    {
      metadata: { name: "a", namespace: "shop", annotations: { keep: "1" } },
      spec: { volumeName: "pv-1", storageClassName: "fast" },
    },
  ],
  [
    "a claim whose volume does not come back names none",
    "persistentvolumeclaims",
    item("PersistentVolumeClaim", { spec: { volumeName: "pv-gone", storageClassName: "other" } }),
    { spec: { storageClassName: "other" } },
  ],
  [
    "a claim follows its volume to the new name",
    "persistentvolumeclaims",
    item("PersistentVolumeClaim", { spec: { volumeName: "pv-moved" } }),
    { spec: { volumeName: "clone" } },
  ],
  [
    "the claim templates of a StatefulSet change their class",
    "statefulsets.apps",
    item("StatefulSet", {
      spec: { volumeClaimTemplates: [{ spec: { storageClassName: "slow" } }, { spec: {} }] },
    }),
    { spec: { volumeClaimTemplates: [{ spec: { storageClassName: "fast" } }, { spec: {} }] } },
  ],
  [
    "a persistent volume changes its class",
    "persistentvolumes",
    item("PersistentVolume", { spec: { storageClassName: "slow" } }),
    { spec: { storageClassName: "fast" } },
  ],
  [
    "the subjects of a binding move with their namespace",
    `rolebindings.${rbac}`,
    item("RoleBinding", {
      subjects: [
        { kind: "ServiceAccount", name: "s", namespace: "shop" },
        { kind: "User", name: "u" },
      ],
    }),
    {
      subjects: [
        { kind: "ServiceAccount", name: "s", namespace: "shop-copy" },
        { kind: "User", name: "u" },
      ],
    },
  ],
  [
    "the subjects of a cluster binding move too",
    `clusterrolebindings.${rbac}`,
    item("ClusterRoleBinding", {
      subjects: [
        { name: "s", namespace: "other" },
        { name: "t", namespace: "shop" },
      ],
    }),
    {
      subjects: [
        { name: "s", namespace: "other" },
        { name: "t", namespace: "shop-copy" },
      ],
    },
  ],
  [
    "a service account forgets the token that was made for it",
    "serviceaccounts",
    item("ServiceAccount", { secrets: [{ name: "a-token-xyz" }, { name: "mine" }] }),
    { secrets: [{ name: "mine" }] },
  ],
  [
    "a token somebody asked for is emptied",
    "secrets",
    item("Secret", token, { name: "my-token", ...tokenOf("web") }),
    {
      metadata: {
        name: "my-token",
        namespace: "shop",
        annotations: { "kubernetes.io/service-account.name": "web" },
      },
      data: { extra: "e" },
    },
  ],
  [
    "a token of an account that is not there is emptied, not skipped",
    "secrets",
    item("Secret", token, { name: "gone-token-x", ...tokenOf("gone") }),
    { data: { extra: "e" } },
  ],
  [
    "another secret stays",
    "secrets",
    item("Secret", { type: "Opaque", data: { token: "t" } }),
    { data: { token: "t" } },
  ],
  [
    "an old webhook gets its side effects",
    "validatingwebhookconfigurations.admissionregistration.k8s.io",
    item(
      "X",
      { webhooks: [{ name: "w" }, { name: "v", sideEffects: "Some" }] },
      {},
      "admissionregistration.k8s.io/v1beta1",
    ),
    {
      webhooks: [
        { name: "w", sideEffects: "None" },
        { name: "v", sideEffects: "Some" },
      ],
    },
  ],
  [
    "an old definition keeps unknown fields by its schema",
    "customresourcedefinitions.apiextensions.k8s.io",
    item(
      "X",
      { spec: { preserveUnknownFields: true, validation: { openAPIV3Schema: { description: "d" } } } },
      {},
      "apiextensions.k8s.io/v1beta1",
    ),
    {
      spec: {
        preserveUnknownFields: false,
        validation: {
          openAPIV3Schema: { type: "object", description: "d", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    },
  ],
];

test.each(cases)("act(): %s", (_title, type, given, want) => {
  const acted = act(type, given, context);
  expect(acted).toHaveProperty("item");
  const { apiVersion: _version, kind: _kind, ...rest } = (acted as { item: Item }).item;
  expect({ ...rest }).toMatchObject(want);
  for (const field of Object.keys(want))
    expect(rest[field]).toEqual((want as Record<string, unknown>)[field]);
});

test.each([
  ["a mirror pod", "pods", item("Pod", {}, { annotations: { "kubernetes.io/config.mirror": "x" } })],
  [
    "a token that the cluster makes",
    "secrets",
    item("Secret", token, { name: "web-token-abc", ...tokenOf("web") }),
  ],
  [
    "an APIService that the server keeps",
    "apiservices.apiregistration.k8s.io",
    item("APIService", {}, { labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" } }),
  ],
])("act() leaves %s out", (_title, type, given) => {
  expect(act(type, given, context)).toHaveProperty("skip");
});

test.each([
  ["pods", item("Pod", { status: { phase: "Succeeded" } }), true],
  ["pods", item("Pod", { status: { phase: "Failed" } }), true],
  ["pods", item("Pod", { status: { phase: "Running" } }), false],
  ["pods", item("Pod"), false],
  ["jobs.batch", item("Job", { status: { completionTime: "2026-01-01T00:00:00Z" } }), true],
  ["jobs.batch", item("Job", { status: { active: 1 } }), false],
  ["widgets.example.com", item("Widget", { status: { phase: "Succeeded" } }), false],
])("isFinished() of %s", (type, given, want) => {
  expect(isFinished(type, given)).toBe(want);
});

test("companionsOf() a pod are its claims and its priority class", () => {
  const spec = {
    priorityClassName: "high",
    volumes: [{ persistentVolumeClaim: { claimName: "c1" } }, { emptyDir: {} }],
  };
  expect(companionsOf("pods", item("Pod", { spec }), "shop")).toEqual([
    { groupResource: "persistentvolumeclaims", namespace: "shop", name: "c1" },
    { groupResource: "priorityclasses.scheduling.k8s.io", namespace: "", name: "high" },
  ]);
  expect(
    companionsOf("pods", item("Pod", { spec: { priorityClassName: "system-node-critical" } }), "shop"),
  ).toEqual([]);
});

test("companionsOf() a claim is its volume", () => {
  expect(companionsOf("persistentvolumeclaims", item("X", { spec: { volumeName: "pv" } }), "shop")).toEqual([
    { groupResource: "persistentvolumes", namespace: "", name: "pv" },
  ]);
  expect(companionsOf("persistentvolumeclaims", item("X", { spec: {} }), "shop")).toEqual([]);
});
