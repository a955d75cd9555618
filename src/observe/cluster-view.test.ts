import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import type { KubeObject } from "../api/index.ts";
import { ApiError, type ListQuery, type Page, type Resource, type WatchEvent } from "../kube/index.ts";
import { openClusterView } from "./cluster-view.ts";

const labels = { "velero.io/backup-name": "b" };
const objects = [
  {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name: "b", namespace: "velero", uid: "1" },
    spec: {},
    status: { phase: "InProgress", startTimestamp: new Date(0).toISOString() },
  },
  {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: { name: "v", namespace: "velero", uid: "2", labels },
    spec: { node: "n1", volume: "data", pod: { kind: "Pod", namespace: "shop", name: "db-0" } },
    status: { phase: "InProgress", startTimestamp: new Date(0).toISOString() },
  },
  {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1" },
    status: { conditions: [{ type: "Ready", status: "False" }] },
  },
] as unknown as KubeObject[]; // the fields that matter here

/** A server that lists these, on which nothing happens, and which forbids some. */
function fakeClient(forbidden: readonly string[], signal: AbortSignal) {
  const refuse = (what: string) => new ApiError(what, { code: 403, reason: "Forbidden", message: "" });
  return {
    async *pages<T extends KubeObject>(resource: Resource, _query: ListQuery = {}): AsyncGenerator<Page<T>> {
      if (forbidden.includes(resource.plural)) throw refuse("list");
      yield { items: objects.filter(({ kind }) => kind === resource.kind) as T[], resourceVersion: "1" };
    },
    async *watch<T extends KubeObject>(): AsyncGenerator<WatchEvent<T>> {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      yield* [];
    },
    get<T extends KubeObject>(): Promise<T> {
      return Promise.reject(refuse("get"));
    },
  };
}

async function stallOf(forbidden: readonly string[]): Promise<string | undefined> {
  const stop = new AbortController();
  const clock = new TestClock(3_600_000);
  const client = fakeClient(forbidden, stop.signal);
  const { observer, run } = openClusterView({ client, serverNamespace: "velero", clock });
  const running = run(stop.signal);
  await clock.advance(10);
  await observer.synced();
  await clock.advance(600_000);
  const backup = observer.operation("backup/velero/b");
  stop.abort();
  await running;
  expect(backup?.state).toBe("running");
  return backup?.children.find(({ id }) => id === "volumes")?.children[0]?.stall?.cause;
}

test("openClusterView() knows why a volume stands still", async () => {
  expect(await stallOf([])).toBe("agent-missing");
});

test("openClusterView() tells the first time what it knows: there may be no second time", async () => {
  const stop = new AbortController();
  const client = fakeClient([], stop.signal);
  const late = {
    ...client,
    async *pages<T extends KubeObject>(resource: Resource, query?: ListQuery): AsyncGenerator<Page<T>> {
      if (resource.plural === "leases") await new Promise((resolve) => setTimeout(resolve, 100));
      yield* client.pages<T>(resource, query);
    },
  };
  const { observer, run } = openClusterView({ client: late, serverNamespace: "velero" });
  const running = run(stop.signal);
  await observer.synced();
  const volumes = observer.operation("backup/velero/b")?.children.find(({ id }) => id === "volumes");
  stop.abort();
  await running;
  expect(volumes?.children[0]?.stall?.cause).toBe("agent-missing");
});

test("openClusterView() without the right to read pods does not take agents for missing", async () => {
  expect(await stallOf(["nodes", "pods", "leases"])).not.toBe("agent-missing");
});
