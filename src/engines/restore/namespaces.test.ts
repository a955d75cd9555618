import { expect, test } from "vitest";
import { TestClock } from "../../../test/harness/clock.ts";
import { ApiError } from "../../kube/index.ts";
import type { Item } from "./archive/item-json.ts";
import { ensureNamespace, namespaceFor } from "./namespaces.ts";
import type { Cluster } from "./served.ts";

const archived: Item = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: {
    name: "shop",
    uid: "u",
    labels: { "kubernetes.io/metadata.name": "shop", team: "a" },
    annotations: { n: "1" },
  },
  spec: { finalizers: ["kubernetes"] },
  status: { phase: "Active" },
};
const signal = new AbortController().signal;
const ours = { "velero.io/backup-name": "b", "velero.io/restore-name": "r" };

/** A cluster whose namespace changes with each look. */
function clusterOf(looks: (Item | undefined)[], clock: TestClock) {
  const created: unknown[] = [];
  const cluster = {
    get: async () => {
      const now = looks.length > 1 ? looks.shift() : looks[0];
      if (now === undefined) throw new ApiError("get", { code: 404, reason: "NotFound", message: "" });
      return now;
    },
    create: async (_resource: unknown, object: unknown) => {
      created.push(object);
      return object;
    },
  };
  const context = {
    cluster: cluster as unknown as Cluster,
    clock,
    labels: { backup: "b", restore: "r" },
    restoreCreatedAt: "2026-01-01T00:00:00Z",
    policy: "none" as const,
    terminatingLimitMs: 600_000,
  };
  return { context, created };
}
const terminating = { ...archived, metadata: { ...archived.metadata, deletionTimestamp: "x" } };

test("namespaceFor() keeps what the namespace had, under its target name", () => {
  expect(namespaceFor(archived, "shop")).toMatchObject({
    metadata: { name: "shop", labels: { team: "a" }, annotations: { n: "1" } },
  });
  expect(namespaceFor(archived, "copy").metadata).toEqual({
    name: "copy",
    labels: { team: "a" },
    annotations: { n: "1" },
  });
  expect(namespaceFor(undefined, "bare")).toEqual({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "bare" },
  });
});

test("ensureNamespace() creates one that is missing and leaves one that is there", async () => {
  const missing = clusterOf([undefined], new TestClock());
  expect(await ensureNamespace(namespaceFor(archived, "shop"), missing.context, signal)).toMatchObject({
    outcome: "created",
  });
  expect(missing.created).toMatchObject([{ metadata: { name: "shop", labels: { team: "a", ...ours } } }]);
  const there = clusterOf([archived], new TestClock());
  expect(await ensureNamespace(namespaceFor(archived, "shop"), there.context, signal)).toBeUndefined();
  expect(there.created).toEqual([]);
});

test("ensureNamespace() knows one that this restore has made before", async () => {
  const mine = {
    ...archived,
    metadata: { name: "shop", labels: ours, creationTimestamp: "2026-01-01T00:00:01Z" },
  };
  expect(await ensureNamespace(archived, clusterOf([mine], new TestClock()).context, signal)).toMatchObject({
    outcome: "created",
  });
});

test("ensureNamespace() waits for one that is being deleted", async () => {
  const clock = new TestClock();
  const { context, created } = clusterOf([terminating, terminating, undefined], clock);
  const done = ensureNamespace(namespaceFor(archived, "shop"), context, signal);
  await clock.advance(5_000);
  expect(await done).toMatchObject({ outcome: "created" });
  expect(created).toHaveLength(1);
});

test("ensureNamespace() does not wait for ever", async () => {
  const clock = new TestClock();
  const done = ensureNamespace(archived, clusterOf([terminating], clock).context, signal);
  const refused = expect(done).rejects.toMatchObject({ code: "NAMESPACE_TERMINATING" });
  await clock.advance(700_000);
  await refused;
});
