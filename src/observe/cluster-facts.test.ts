import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import type { KubeObject } from "../api/index.ts";
import type { VolumeObject } from "../kinds/index.ts";
import { ApiError, type ListQuery, type Page, type Resource, type WatchEvent } from "../kube/index.ts";
import { ClusterFacts } from "./cluster-facts.ts";

const volume = {
  apiVersion: "velero.io/v1",
  kind: "PodVolumeBackup",
  metadata: { name: "v", namespace: "velero" },
  spec: { node: "n1" },
  status: { phase: "InProgress" },
} as unknown as VolumeObject; // the fields that matter here

/** Lists what it is given and then says nothing. */
function fakeClient(objects: readonly KubeObject[], forbidden: readonly string[], signal: AbortSignal) {
  const asked: string[] = [];
  return {
    asked,
    async *pages<T extends KubeObject>(resource: Resource, query: ListQuery = {}): AsyncGenerator<Page<T>> {
      asked.push([resource.plural, query.namespace ?? "*", query.labelSelector ?? ""].join(" ").trim());
      if (forbidden.includes(resource.plural)) {
        throw new ApiError("list", {
          code: 403,
          reason: "Forbidden",
          message: "",
        });
      }
      yield { items: objects.filter(({ kind }) => kind === resource.kind) as T[], resourceVersion: "1" };
    },
    // A watch on which nothing happens.
    async *watch<T extends KubeObject>(
      _resource: Resource,
      _query?: object,
      own: AbortSignal = signal,
    ): AsyncGenerator<WatchEvent<T>> {
      await new Promise<void>((resolve) => own.addEventListener("abort", () => resolve(), { once: true }));
      yield* [];
    },
  };
}

async function open(objects: readonly KubeObject[], forbidden: readonly string[] = []) {
  const stop = new AbortController();
  const clock = new TestClock(1_000_000);
  const client = fakeClient(objects, forbidden, stop.signal);
  const around = new ClusterFacts({ client, namespace: "velero", clock });
  const running = around.run(stop.signal);
  await clock.advance(10);
  return { client, causes: around.causes(volume), end: () => (stop.abort(), running) };
}

const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } };
const ready = Object.assign({}, node, { status: { conditions: [{ type: "Ready", status: "True" }] } });
const lease = (renewTime: string) => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "headway-agent-n1", namespace: "velero" },
  spec: { renewTime },
});

test("ClusterFacts joins nodes, pods and leases, and asks for no more than it needs", async () => {
  const { client, causes, end } = await open([ready]);
  expect(causes).toEqual(["agent-missing"]);
  expect(client.asked.toSorted()).toEqual([
    "leases velero",
    "nodes *",
    "pods * velero.io/restore-name",
    "pods velero",
  ]);
  await end();
});

test("ClusterFacts believes a fresh lease", async () => {
  const { causes, end } = await open([node, lease(new Date(990_000).toISOString())]);
  expect(causes).toEqual(["node-not-ready"]);
  await end();
});

test("ClusterFacts claims nothing about what it may not read", async () => {
  const { causes, end } = await open([], ["pods", "nodes"]);
  expect(causes).toEqual([]);
  await end();
});

const restore = {
  ...volume,
  kind: "PodVolumeRestore",
  spec: { pod: { namespace: "shop", name: "web" } },
  status: {},
} as unknown as VolumeObject; // the fields that matter here
const stuckPod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "shop" },
  status: {
    phase: "Pending",
    initContainerStatuses: [{ state: { waiting: { reason: "ImagePullBackOff" } } }],
  },
} as KubeObject;

test("a lasting one watches restored pods while a volume is restored, ends that when none is, and begins again", async () => {
  const stop = new AbortController();
  const clock = new TestClock(1_000_000);
  const client = fakeClient([ready, stuckPod], [], stop.signal);
  const around = new ClusterFacts({ client, namespace: "velero", clock, isLasting: true });
  const running = around.run(stop.signal);
  const opened = () => client.asked.filter((one) => one === "pods * velero.io/restore-name").length;
  await clock.advance(10);
  around.causes(volume);
  around.causes({ ...restore, status: { phase: "Completed" } } as VolumeObject);
  await clock.advance(10);
  expect(opened()).toBe(0);
  around.causes(restore);
  await clock.advance(10);
  expect(opened()).toBe(1);
  expect(around.causes(restore)).toContain("image-pull");
  await clock.advance(100_000);
  expect(around.causes(restore)).toContain("image-pull");
  await clock.advance(100_000);
  expect(around.causes(restore)).toContain("image-pull");
  expect(opened()).toBe(1);
  await clock.advance(130_000);
  around.causes(restore);
  await clock.advance(10);
  expect(around.causes(restore)).toContain("image-pull");
  expect(opened()).toBe(2);
  stop.abort();
  await running;
});
