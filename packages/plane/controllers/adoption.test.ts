import { afterEach, beforeEach, expect, test } from "vitest";
import { Api } from "../api.ts";
import type { KubeObject } from "../object.ts";
import { Store } from "../store.ts";
import { runController } from "./controller.ts";
import { replicaSets } from "./replicasets.ts";
import { statefulSets } from "./statefulsets.ts";

let api: Api;
let stop: AbortController;

beforeEach(() => {
  api = new Api(new Store(":memory:"), () => Date.now());
  stop = new AbortController();
  api.create(api.resource("namespaces"), "", {
    kind: "Namespace",
    apiVersion: "v1",
    metadata: { name: "n" },
  });
});

afterEach(() => {
  stop.abort();
  api.store.close();
});

const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const set = (kind: string, replicas: number): KubeObject => ({
  kind,
  apiVersion: "apps/v1",
  metadata: { name: "s" },
  spec: { replicas, selector: { matchLabels: { app: "a" } }, template },
});

function addPod(name: string, labels: Record<string, string>): void {
  const spec = template.spec;
  api.create(api.resource("pods"), "n", { kind: "Pod", apiVersion: "v1", metadata: { name, labels }, spec });
}

const ownerOf = (name: string): string | undefined =>
  api.read("pods", "n", name)?.metadata.ownerReferences?.[0]?.name;
const podNames = (): string[] => api.readAll("pods", "n").map((pod) => pod.metadata.name);
const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 20));

async function eventually(check: () => boolean): Promise<void> {
  while (!check()) await settled(); // the test's own limit ends it
}

test("a ReplicaSet adopts an orphan that appears after it, and gives up the surplus", async () => {
  runController(api, replicaSets, stop.signal);
  api.create(api.resource("replicasets.apps"), "n", set("ReplicaSet", 1));
  await eventually(() => podNames().length === 1);
  const [first = ""] = podNames();
  addPod("orphan", { app: "a" });
  // One of the two is too many: the orphan was taken in, otherwise both would stay.
  await eventually(() => ownerOf("orphan") === "s" || api.read("pods", "n", "orphan") === undefined);
  await eventually(
    () => api.readAll("pods", "n").filter((pod) => pod.metadata.deletionTimestamp === undefined).length === 1,
  );
  expect(ownerOf(first) ?? "s").toBe("s");
});

test("a ReplicaSet lets go of a pod whose labels changed, and makes another", async () => {
  runController(api, replicaSets, stop.signal);
  api.create(api.resource("replicasets.apps"), "n", set("ReplicaSet", 1));
  await eventually(() => podNames().length === 1);
  const [first = ""] = podNames();
  api.modify(api.resource("pods"), "n", first, (pod) => void (pod.metadata.labels = { app: "b" }));
  await eventually(() => podNames().length === 2);
  expect(ownerOf(first)).toBeUndefined();
});

test("a StatefulSet adopts only what is named like its own", async () => {
  addPod("s-0", { app: "a" });
  addPod("other", { app: "a" });
  api.create(api.resource("statefulsets.apps"), "n", set("StatefulSet", 1));
  runController(api, statefulSets, stop.signal);
  await eventually(() => ownerOf("s-0") === "s");
  expect(ownerOf("other")).toBeUndefined();
});
