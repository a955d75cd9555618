import { afterAll, beforeAll, expect, test } from "vitest";
import { type Backup, type KubeObject, kinds, type OperationObject } from "../../../src/api/index.ts";
import { builtIn, isNotFound, resourceOf } from "../../../src/kube/index.ts";
import { startOperator } from "../../../src/operator/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { installDefinitions } from "../../harness/definitions.ts";
import { eventually } from "../../harness/eventually.ts";

const backups = resourceOf(kinds.Backup);
const volumes = resourceOf(kinds.PodVolumeBackup);
const operations = resourceOf(kinds.Operation);
const { configMaps, events } = builtIn;
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await openCluster();
  await installDefinitions(cluster.client);
});
afterAll(() => cluster.close());

/** An operator without engines: others do the work, as in watch mode. */
function operator() {
  const stop = new AbortController();
  const logged: string[] = [];
  const waits = {
    name: "waits",
    start: (_: unknown, signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
  };
  const { client, namespace } = cluster;
  const log = (_level: string, message: string) => void logged.push(message);
  const running = startOperator(
    { client, namespace, log, controllers: ["waits"], extra: [waits] },
    stop.signal,
  );
  return {
    logged,
    async end() {
      stop.abort();
      await running;
    },
  };
}

async function create(name: string): Promise<Backup> {
  const { client, namespace } = cluster;
  const metadata = { name, namespace, labels: { "velero.io/schedule-name": "nightly" } };
  return client.create<Backup>(backups, { apiVersion: "velero.io/v1", kind: "Backup", metadata, spec: {} });
}

/** As upstream writes it: a merge patch on the object itself. */
async function write(name: string, status: object): Promise<void> {
  const { client, namespace } = cluster;
  await client.patch(backups, name, { type: "merge", body: { status } }, { namespace });
}

function read(name: string): Promise<OperationObject | undefined> {
  const { client, namespace } = cluster;
  return client.get<OperationObject>(operations, `backup-${name}`, { namespace }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

test("a backup that upstream runs gets an Operation that continues after a restart and ends once", async () => {
  const { client, namespace } = cluster;
  let running = operator();
  const root = await create("b1");
  await write("b1", { phase: "InProgress", startTimestamp: new Date().toISOString() });
  await write("b1", { progress: { totalItems: 10, itemsBackedUp: 8 } });
  const before = await eventually(
    () => read("b1"),
    (found) => found?.status?.children[0]?.progress?.done === 8,
  );
  expect(before?.metadata.ownerReferences).toMatchObject([
    { kind: "Backup", name: "b1", uid: root.metadata.uid },
  ]);
  expect(before?.status).toMatchObject({ state: "running", title: "Backup b1", shown: { done: "66%" } });
  await running.end();

  // While nobody looks the total grows: the share is held and not counted anew.
  await write("b1", { progress: { totalItems: 40, itemsBackedUp: 9 } });
  running = operator();
  const after = await eventually(
    () => read("b1"),
    (found) => found?.status?.children[0]?.progress?.done === 9,
  );
  // Its items are held at four fifths; that they are more now makes them weigh a little more in the whole.
  expect(after?.status?.children[0]?.fraction).toBe(before?.status?.children[0]?.fraction);
  expect(after?.status?.fraction).toBeGreaterThanOrEqual(before?.status?.fraction ?? 1);
  expect(after?.status?.fraction).toBeCloseTo(before?.status?.fraction ?? 0, 2);
  expect(after?.status?.children[0]?.scopeGrew).toMatchObject({ from: 10, to: 40, held: true });
  expect(after?.status?.memory?.seenAt).toBe(before?.status?.memory?.seenAt);

  await write("b1", { phase: "Completed", completionTimestamp: new Date().toISOString() });
  const ended = await eventually(
    () => read("b1"),
    (found) => found?.status?.state === "completed",
  );
  expect(ended?.status).toMatchObject({ fraction: 1, shown: { state: "completed", done: "100%" } });
  expect(ended?.status?.children.every((child) => child.state === "completed")).toBe(true);
  expect(ended?.status, "what is no longer so is taken away").not.toHaveProperty("eta");
  expect(ended?.status?.shown?.message).toMatch(/^completed/);
  await running.end();
  const map = await client.get<KubeObject & { data: Record<string, string> }>(configMaps, "headway-history", {
    namespace,
  });
  // The operator watches the whole cluster, where other things may end meanwhile.
  const ours = Object.keys(map.data).filter((key) => key.includes(namespace));
  // Runs of the same namespaces teach each other, too, whatever they are called.
  const keys = ["namespaces", "schedule.nightly"].map((key) => `backup.${namespace}.${key}`);
  expect(ours.toSorted()).toEqual(keys);
  const told = await client.list<KubeObject & { reason: string }>(events, { namespace });
  expect(told.map(({ reason }) => reason)).toContain("Completed");
});

test("the Operation of a deleted backup goes with it, and one that was deleted comes back", async () => {
  const { client, namespace } = cluster;
  const running = operator();
  await create("b2");
  await write("b2", { phase: "InProgress" });
  const first = await eventually(
    () => read("b2"),
    (found) => found !== undefined,
  );
  await client.delete(operations, "backup-b2", { namespace });
  const second = await eventually(
    () => read("b2"),
    (found) => found !== undefined && found.metadata.uid !== first?.metadata.uid,
  );
  expect(second?.status?.state).toBe("running");
  await client.delete(backups, "b2", { namespace });
  await eventually(
    () => read("b2"),
    (found) => found === undefined,
  );
  await running.end();
});

test("a backup that ends in the moment in which it begins has an Operation, one that was over before has none", async () => {
  const { client, namespace } = cluster;
  const refused = (name: string) =>
    client.create(backups, {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      metadata: { name, namespace },
      spec: {},
      status: { phase: "FailedValidation", validationErrors: ["no such location"] },
    });
  const old = await refused("before");
  // Timestamps have whole seconds: what was made in an earlier one than the operator is known to be older.
  const second = Date.parse(old.metadata.creationTimestamp ?? "") + 1_000;
  await eventually(
    async () => Date.now(),
    (now) => now >= second,
  );
  const running = operator();
  await create("b4");
  await write("b4", { phase: "InProgress" });
  await eventually(
    () => read("b4"),
    (found) => found !== undefined,
  );
  await refused("b5");
  const found = await eventually(
    () => read("b5"),
    (operation) => operation !== undefined,
  );
  expect(found?.status).toMatchObject({ state: "failed", message: "no such location" });
  expect(await read("before")).toBeUndefined();
  await running.end();
});

test("a volume on a node without an agent is told to stand still for that reason", async () => {
  const { client, namespace } = cluster;
  const running = operator();
  await create("b3");
  await write("b3", { phase: "InProgress", startTimestamp: new Date(Date.now() - 60_000).toISOString() });
  await client.create(volumes, {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: { name: "b3-v", namespace, labels: { "velero.io/backup-name": "b3" } },
    spec: {
      node: "nowhere",
      volume: "data",
      pod: { kind: "Pod", namespace: "shop", name: "db-0" },
      backupStorageLocation: "default",
      repoIdentifier: "",
    },
    status: { phase: "InProgress", startTimestamp: new Date(Date.now() - 60_000).toISOString() },
  });
  const found = await eventually(
    () => read("b3"),
    // The volume may be seen before the backup is seen to run: each kind has a watch of its own.
    (operation) =>
      operation?.status?.state === "running" &&
      operation.status.children.find(({ id }) => id === "volumes")?.children[0]?.stall?.cause ===
        "agent-missing",
  );
  expect(found?.status?.eta).toEqual({ unknown: "stalled" });
  await running.end();
});
