import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type KubeObject, kinds } from "../../api/index.ts";
import { ApiError, Cache, type Client, systemClock } from "../../kube/index.ts";
import type { Mover, Repository } from "../../movers/index.ts";
import { Repositories } from "./repositories.ts";

const root = mkdtempSync(join(tmpdir(), "repositories-"));
for (const name of ["srv", "moved"]) mkdirSync(join(root, name, "b"), { recursive: true });
afterAll(() => rmSync(root, { recursive: true }));
const signal = new AbortController().signal;
const key = { volumeNamespace: "shop", location: "default", type: "kopia" } as const;

/** As much of a cluster as repositories need, in a map. */
function cluster() {
  const objects = new Map<string, Record<string, unknown>>([
    [
      "backupstoragelocations/default",
      {
        metadata: { name: "default", namespace: "velero" },
        spec: { provider: "filesystem", objectStorage: { bucket: "b" }, config: { path: join(root, "srv") } },
      },
    ],
  ]);
  const client = {
    get: async (resource: { plural: string }, name: string) => {
      const found = objects.get(`${resource.plural}/${name}`);
      if (found) return found;
      throw new ApiError(`get ${name}`, { code: 404, reason: "NotFound", message: "not found" } as never);
    },
    list: async (resource: { plural: string }) =>
      [...objects].filter(([id]) => id.startsWith(`${resource.plural}/`)).map(([, object]) => object),
    create: async (resource: { plural: string }, object: KubeObject) => {
      objects.set(`${resource.plural}/${object.metadata.name}`, { ...object });
      return object;
    },
    patch: async (
      resource: { plural: string },
      name: string,
      { body }: { body: { status?: object; metadata?: object; spec?: object } },
    ) => {
      const old = objects.get(`${resource.plural}/${name}`) ?? {};
      objects.set(`${resource.plural}/${name}`, {
        ...old,
        spec: { ...(old["spec"] as object), ...body.spec },
        metadata: { ...(old["metadata"] as object), ...body.metadata },
        status: { ...(old["status"] as object), ...body.status },
      });
    },
  };
  return { objects, client: client as unknown as Client };
}

function repositories(
  client: Client,
  ensureRepository: (repository: Repository) => Promise<void>,
  repositoryConfigMap?: string,
): Repositories {
  const mover = { kind: "kopia", ensureRepository } as unknown as Mover;
  return new Repositories({
    client,
    cache: new Cache({ client }),
    namespace: "velero",
    clock: systemClock,
    log: () => undefined,
    mover: () => mover,
    repositoryConfigMap,
  });
}

const id = `${kinds.BackupRepository.plural}/shop-default-kopia`;

test("ensure() makes object, password and repository once, for callers at the same time too", async () => {
  const { objects, client } = cluster();
  const made: Repository[] = [];
  const all = repositories(client, async (repository) => void made.push(repository));
  await all.ensure(key, signal);
  await Promise.all([all.ensure(key, signal), all.ensure(key, signal)]);
  expect(made).toEqual([
    { place: { kind: "filesystem", path: join(root, "srv/b/kopia/shop") }, password: "static-passw0rd" },
  ]);
  expect(objects.get(id)).toMatchObject({
    metadata: {
      labels: {
        "velero.io/volume-namespace": "shop",
        "velero.io/storage-location": "default",
        "velero.io/repository-type": "kopia",
      },
    },
    spec: { repositoryType: "kopia", maintenanceFrequency: "1h0m0s" },
    status: { phase: "Ready" },
  });
});

test("ensure() says why a repository cannot be used, in its status too", async () => {
  const { objects, client } = cluster();
  const all = repositories(client, () => Promise.reject(new Error("wrong password")));
  await expect(all.ensure(key, signal)).rejects.toMatchObject({
    code: "REPOSITORY_NOT_READY",
    message: expect.stringContaining("wrong password"),
  });
  expect(objects.get(id)).toMatchObject({ status: { phase: "NotReady", message: "wrong password" } });
});

test("ensure() opens a repository again where its location points now", async () => {
  const { objects, client } = cluster();
  const made: string[] = [];
  const all = repositories(client, async ({ place }) => {
    made.push(place.kind === "filesystem" ? place.path : "");
  });
  await all.ensure(key, signal);
  const old = objects.get("backupstoragelocations/default") ?? {};
  const spec = {
    provider: "filesystem",
    objectStorage: { bucket: "b" },
    config: { path: join(root, "moved") },
  };
  objects.set("backupstoragelocations/default", { ...old, spec });
  await all.ensure(key, signal);
  await all.ensure(key, signal);
  expect(made).toEqual(["srv", "moved"].map((name) => join(root, name, "b/kopia/shop")));
});

test("ensure() makes no repository in a folder that is not there", async () => {
  const { objects, client } = cluster();
  const all = repositories(client, () => Promise.reject(new Error("asked for one")));
  const old = objects.get("backupstoragelocations/default") ?? {};
  const spec = {
    provider: "filesystem",
    objectStorage: { bucket: "b" },
    config: { path: join(root, "unmounted") },
  };
  objects.set("backupstoragelocations/default", { ...old, spec });
  await expect(all.ensure(key, signal)).rejects.toMatchObject({
    code: "REPOSITORY_NOT_READY",
    message: expect.stringContaining("it is not there"),
  });
});

test("ensure() gives a new repository the config of the ConfigMap, and an old one none", async () => {
  const { objects, client } = cluster();
  const made: (number | undefined)[] = [];
  const all = repositories(client, async ({ cacheBytes }) => void made.push(cacheBytes), "repos");
  const config = (text: string) =>
    objects.set("configmaps/repos", { metadata: { name: "repos" }, data: { kopia: text } });
  config('{"cacheLimitMB": 2000, "fullMaintenanceInterval": "fastGC"}');
  await all.ensure(key, signal);
  expect(objects.get(id)).toMatchObject({
    spec: { repositoryConfig: { cacheLimitMB: "2000", fullMaintenanceInterval: "fastGC" } },
    status: { phase: "Ready" },
  });
  expect(made).toEqual([2_000_000_000]);
  config('{"cacheLimitMB": 9}');
  objects.set(id, { ...objects.get(id), status: { phase: "NotReady" } });
  await all.ensure(key, signal);
  expect(made).toEqual([2_000_000_000, 2_000_000_000]);
});

test("ensure() keeps a repository with an unknown interval from being used, and takes a missing ConfigMap for none", async () => {
  const { objects, client } = cluster();
  await repositories(client, () => Promise.resolve(), "not-there").ensure(key, signal);
  expect(objects.get(id)).toMatchObject({ status: { phase: "Ready" } });
  objects.delete(id);
  objects.set("configmaps/repos", { data: { kopia: '{"fullMaintenanceInterval": "weekly"}' } });
  const all = repositories(client, () => Promise.resolve(), "repos");
  await expect(all.ensure(key, signal)).rejects.toThrow('fullMaintenanceInterval "weekly" is none of');
  expect(objects.get(id)).toMatchObject({ status: { phase: "NotReady" } });
});
