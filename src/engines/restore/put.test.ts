import { expect, test } from "vitest";
import { TestClock } from "../../../test/harness/clock.ts";
import { ApiError, type DiscoveredResource } from "../../kube/index.ts";
import type { Item } from "./archive/item-json.ts";
import { type PutContext, put, putStatus } from "./put.ts";
import type { Cluster } from "./served.ts";

const resource: DiscoveredResource = {
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
  singular: "configmap",
  verbs: [],
  shortNames: [],
  categories: [],
  subresources: ["status"],
  preferred: true,
};
const signal = new AbortController().signal;
const ours = { "velero.io/backup-name": "b", "velero.io/restore-name": "r" };
const wanted: Item = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "shop", labels: ours },
  data: { k: "new" },
};
const there = (metadata: object, rest: object): Item => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "a",
    namespace: "shop",
    uid: "u",
    resourceVersion: "1",
    creationTimestamp: "2020-01-01T00:00:00Z",
    ...metadata,
  },
  ...rest,
});

/** A cluster that holds at most one object and writes down what is asked of it. */
function clusterWith(
  existing: Item | undefined,
  refuse: Partial<Record<"create" | "patch" | "replace", Error[]>> = {},
) {
  const calls: { verb: string; body?: unknown }[] = [];
  const answer = (verb: "create" | "patch" | "replace", body: unknown): unknown => {
    calls.push({ verb, body });
    const error = refuse[verb]?.shift();
    if (error !== undefined) throw error;
    return body;
  };
  const cluster = {
    create: async (_resource: unknown, object: unknown) => {
      if (existing !== undefined && refuse.create === undefined) throw apiError(409, "AlreadyExists");
      return answer("create", object);
    },
    get: async () => {
      calls.push({ verb: "get" });
      if (existing === undefined) throw apiError(404, "NotFound");
      return existing;
    },
    patch: async (_resource: unknown, _name: string, { body }: { body: unknown }) => answer("patch", body),
    replace: async (_resource: unknown, object: unknown) => answer("replace", object),
  };
  return { cluster: cluster as unknown as Cluster, calls };
}

function apiError(code: number, reason: string, causes?: { message: string }[]): ApiError {
  return new ApiError("try", { code, reason, message: "m", ...(causes && { causes }) });
}

function contextOf(
  cluster: Cluster,
  policy: "none" | "update" = "none",
  clock = new TestClock(),
): PutContext {
  return {
    cluster,
    clock,
    labels: { backup: "b", restore: "r" },
    restoreCreatedAt: "2026-01-01T00:00:00Z",
    policy,
  };
}

test("put() creates what is not there, with one request", async () => {
  const { cluster, calls } = clusterWith(undefined);
  expect(await put(wanted, resource, contextOf(cluster), signal)).toMatchObject({
    outcome: "created",
    object: wanted,
  });
  expect(calls).toEqual([{ verb: "create", body: wanted }]);
});

test.each([
  ["equal but for our labels", there({}, { data: { k: "new" } }), "none", "skipped", []],
  [
    "equal, and to be updated",
    there({}, { data: { k: "new" } }),
    "update",
    "skipped",
    [{ metadata: { labels: ours } }],
  ],
  ["different", there({}, { data: { k: "old" } }), "none", "failed", []],
  [
    "different, and to be updated",
    there({}, { data: { k: "old", gone: "x" }, extra: 1 }),
    "update",
    "updated",
    [{ metadata: { labels: ours }, data: { k: "new", gone: null }, extra: null }],
  ],
  [
    "made by this very restore",
    there({ labels: ours, creationTimestamp: "2026-01-01T00:00:05Z" }, { data: { k: "changed since" } }),
    "none",
    "created",
    [],
  ],
  [
    "made by an older restore of the same name",
    there({ labels: ours }, { data: { k: "old" } }),
    "none",
    "failed",
    [],
  ],
] as [string, Item, "none" | "update", string, object[]][])(
  "put() of what exists: %s",
  async (_title, existing, policy, outcome, patches) => {
    const { cluster, calls } = clusterWith(existing);
    const result = await put(wanted, resource, contextOf(cluster, policy), signal);
    expect(result.outcome).toBe(outcome);
    expect(result.warning === undefined).toBe(outcome !== "failed");
    expect(calls.filter(({ verb }) => verb === "patch").map(({ body }) => body)).toEqual(patches);
  },
);

test("put() merges a service account whatever the policy", async () => {
  const kind = { kind: "ServiceAccount" };
  const { cluster, calls } = clusterWith({ ...there({}, { secrets: [{ name: "x" }] }), ...kind });
  const account = { ...wanted, ...kind, data: undefined, imagePullSecrets: [{ name: "p" }] };
  const { data: _data, ...item } = account;
  expect((await put(item, resource, contextOf(cluster), signal)).outcome).toBe("updated");
  expect(calls.at(-1)?.body).toEqual({ metadata: { labels: ours }, imagePullSecrets: [{ name: "p" }] });
});

test("put() that may not update says so and still leaves its labels", async () => {
  const { cluster, calls } = clusterWith(there({}, { data: { k: "old" } }), {
    patch: [apiError(422, "Invalid")],
  });
  cluster.create = async () => {
    throw apiError(409, "AlreadyExists");
  };
  const result = await put(wanted, resource, contextOf(cluster, "update"), signal);
  expect(result).toMatchObject({
    outcome: "failed",
    warning: expect.stringContaining("could not be updated"),
  });
  expect(calls.at(-1)?.body).toEqual({ metadata: { labels: ours } });
});

test.each([
  ["a quota", apiError(403, "Forbidden")],
  ["a webhook", apiError(400, "BadRequest")],
  ["an immutable field", apiError(422, "Invalid")],
])("put() gives %s to the caller", async (_title, error) => {
  const { cluster } = clusterWith(undefined, { create: [error] });
  await expect(put(wanted, resource, contextOf(cluster), signal)).rejects.toBe(error);
});

test("put() takes a taken node port for existence only when the service is there", async () => {
  const taken = apiError(422, "Invalid", [{ message: "provided port is already allocated" }]);
  const gone = clusterWith(undefined, { create: [taken] });
  await expect(put(wanted, resource, contextOf(gone.cluster), signal)).rejects.toBe(taken);
  const same = clusterWith(there({}, { data: { k: "new" } }), { create: [taken] });
  expect((await put(wanted, resource, contextOf(same.cluster), signal)).outcome).toBe("skipped");
});

test("put() waits for a server that is away, and tells so", async () => {
  const clock = new TestClock();
  const { cluster } = clusterWith(undefined, {
    create: [apiError(503, ""), apiError(429, ""), apiError(500, "")],
  });
  const waits: (string | undefined)[] = [];
  const result = put(
    wanted,
    resource,
    { ...contextOf(cluster, "none", clock), waiting: (reason) => waits.push(reason) },
    signal,
  );
  await clock.advance(60_000);
  expect((await result).outcome).toBe("created");
  expect(waits.map((reason) => reason !== undefined)).toEqual([true, true, true, false]);
});

test("put() gives up on a server that always fails inside, soon", async () => {
  const clock = new TestClock();
  const broken = Array.from({ length: 20 }, () => apiError(500, "InternalError"));
  const { cluster, calls } = clusterWith(undefined, { create: broken });
  const result = put(wanted, resource, contextOf(cluster, "none", clock), signal);
  const refused = expect(result).rejects.toMatchObject({ code: "KUBE_API" });
  await clock.advance(60_000);
  await refused;
  expect(calls).toHaveLength(4);
});

test("putStatus() tries again with the newest object after a conflict", async () => {
  const existing = there({ resourceVersion: "2" }, {});
  const { cluster, calls } = clusterWith(existing, { replace: [apiError(409, "Conflict")] });
  const fault = await putStatus(wanted, { ready: true }, resource, contextOf(cluster), signal);
  expect(fault).toBeUndefined();
  expect(calls.at(-1)?.body).toEqual({ ...existing, status: { ready: true } });
});

test("putStatus() that is refused is a warning", async () => {
  const { cluster } = clusterWith(undefined, { replace: [apiError(422, "Invalid")] });
  expect(await putStatus(wanted, { ready: true }, resource, contextOf(cluster), signal)).toContain(
    "was not restored",
  );
});
