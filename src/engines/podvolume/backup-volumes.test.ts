import { expect, test } from "vitest";
import { settle, TestClock } from "../../../test/harness/clock.ts";
import type { Backup, KubeObject } from "../../api/index.ts";
import { Cache, type Client, type Page } from "../../kube/index.ts";
import { podVolumeBackups } from "./backup-volumes.ts";
import type { PodObject } from "./pod.ts";
import type { Repositories } from "./repositories.ts";

const backup: Backup = {
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "b", namespace: "velero", uid: "u" },
  spec: { defaultVolumesToFsBackup: true, storageLocation: "default" },
};
const earlier = {
  metadata: { name: "old-1", namespace: "velero", annotations: { "velero.io/pvc-name": "data" } },
  spec: { pod: { namespace: "shop", name: "db" }, volume: "data" },
  status: { phase: "Completed", progress: { totalBytes: 700 } },
};

function pod(namespace: string, name: string): PodObject {
  return {
    metadata: { name, namespace, uid: name },
    spec: {
      nodeName: "n1",
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
      containers: [{ name: "c", volumeMounts: [{ name: "v", mountPath: "/v" }] }],
    },
    status: { phase: "Running" },
  } as PodObject; // what is looked at
}

/** A run whose repositories are opened when the test says so. */
async function world(agents: readonly string[] = ["n1"]) {
  const clock = new TestClock();
  const made: KubeObject[] = [];
  const client = {
    async *pages() {
      yield { items: [earlier], resourceVersion: "1" } as unknown as Page<KubeObject>;
    },
    async *watch(_resource: unknown, _query: unknown, signal?: AbortSignal) {
      await new Promise<void>((resolve) =>
        signal?.addEventListener("abort", () => resolve(), { once: true }),
      );
      yield* [];
    },
    list: async (_resource: unknown, { labelSelector = "" }: { labelSelector?: string } = {}) =>
      labelSelector === "role=node-agent"
        ? agents.map((nodeName) => ({ spec: { nodeName }, status: { phase: "Running" } }))
        : [],
    get: async (_resource: unknown, name: string) => ({ metadata: { name, uid: `uid-${name}` } }),
    create: async (_resource: unknown, object: KubeObject) => {
      made.push(object);
      return { ...object, metadata: { ...object.metadata, name: `b-${made.length}` } };
    },
  } as unknown as Client; // what is used of it
  const asked: string[] = [];
  const doing: string[] = [];
  const gate = Promise.withResolvers<void>();
  const repositories = {
    ensure: ({ volumeNamespace }: { volumeNamespace: string }) => {
      asked.push(volumeNamespace);
      return gate.promise;
    },
  } as unknown as Repositories; // all that is asked of it
  const deps = {
    client,
    cache: new Cache({ client, clock }),
    clock,
    namespace: "velero",
    log: () => undefined,
    mover: () => {
      throw new Error("no mover runs here");
    },
    uploader: "restic" as const,
    noProgressMs: 1_000,
  };
  const stop = new AbortController();
  const context = {
    backup,
    policy: () => undefined,
    takesClaims: true,
    moved: () => undefined,
    doing: (what: string) => void doing.push(what),
  };
  const volumes = await podVolumeBackups(deps, repositories)(context, stop.signal);
  const found = {
    warnings: { add: () => undefined },
    errors: { add: (...words: unknown[]) => void errors.push(words) },
  };
  const errors: unknown[] = [];
  return { volumes, asked, doing, gate, made, found, errors, stop };
}

test("plan() knows how large a claim was, and prepare() opens each repository once, before the first turn", async () => {
  const { volumes, asked, doing, gate, made, found, stop } = await world();
  expect(volumes.plan(pod("shop", "db"))).toEqual([{ volume: "v", bytes: 700 }]);
  expect(volumes.plan(pod("bank", "db"))).toEqual([{ volume: "v", bytes: undefined }]);
  volumes.prepare(stop.signal);
  await settle();
  expect(asked, "one after the other: making a repository is work").toEqual(["shop"]);
  gate.resolve();
  await settle();
  expect(asked).toEqual(["shop", "bank"]);
  await volumes.start(pod("shop", "db"), found, stop.signal);
  await volumes.start(pod("shop", "web"), found, stop.signal);
  expect(asked, "a repository that was opened in this run is not asked for again").toEqual(["shop", "bank"]);
  expect(doing, "and nothing is said of what is done already").toEqual([]);
  expect(made).toHaveLength(1);
  stop.abort();
});

test("a repository that is not made ahead is said to be opened, and one that fails is tried again", async () => {
  const { volumes, asked, doing, gate, found, errors, stop } = await world();
  gate.reject(new Error("no such bucket"));
  for (const name of ["db", "web"]) await volumes.start(pod("shop", name), found, stop.signal);
  expect(asked).toEqual(["shop", "shop"]);
  expect(doing).toEqual(Array(2).fill("opening the repository of namespace shop"));
  expect(errors).toHaveLength(2);
  stop.abort();
});

test("prepare() makes no repository where nobody could copy into it", async () => {
  const { volumes, asked, stop } = await world([]);
  volumes.plan(pod("shop", "db"));
  volumes.prepare(stop.signal);
  await settle();
  expect(asked).toEqual([]);
  stop.abort();
});
