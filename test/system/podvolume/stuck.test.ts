import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Backup,
  kinds,
  type OperationObject,
  type OperationStatus,
  type Restore,
} from "../../../src/api/index.ts";
import { resources } from "../../../src/engines/podvolume/index.ts";
import { isNotFound, resourceOf } from "../../../src/kube/index.ts";
import { startOperator } from "../../../src/operator/index.ts";
import { eventually } from "../../harness/eventually.ts";
import { ensureNamespace, openVolumeWorld, type VolumeWorld } from "../../harness/volume-world.ts";

const operations = resourceOf(kinds.Operation);
let world: VolumeWorld;
const stop = new AbortController();
let ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  world = await openVolumeWorld();
  const { client, namespace } = world;
  const waits = {
    name: "waits",
    start: (_: unknown, signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
  };
  // The operator only looks on: whoever made these objects is gone.
  const options = { client, namespace, log: () => undefined, controllers: ["waits"], extra: [waits] };
  const running = startOperator(options, stop.signal);
  ends = [world.agent(), () => running];
}, 180_000);
afterAll(async () => {
  stop.abort();
  for (const end of ends) await end();
  await world.close();
}, 60_000);

/** The causes of all stalls in the tree of an Operation. */
async function causesOf(name: string): Promise<readonly string[]> {
  const { client, namespace } = world;
  const found = await client.get<OperationObject>(operations, name, { namespace }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined; // not written yet
    throw error;
  });
  const all = (part: Pick<OperationStatus, "stall" | "children">): string[] => [
    ...(part.stall ? [part.stall.cause] : []),
    ...part.children.flatMap(all),
  ];
  return found?.status ? all(found.status) : [];
}

function volume(kind: string, root: Backup | Restore, spec: object): object {
  const noun = root.kind.toLowerCase();
  const { name, uid } = root.metadata;
  return {
    apiVersion: "velero.io/v1",
    kind,
    metadata: {
      generateName: `${name}-`,
      namespace: world.namespace,
      labels: { [`velero.io/${noun}-name`]: name, [`velero.io/${noun}-uid`]: uid },
      ownerReferences: [{ apiVersion: "velero.io/v1", kind: root.kind, name, uid }],
    },
    spec: {
      volume: "data",
      backupStorageLocation: "default",
      repoIdentifier: "",
      uploaderType: "restic",
      ...spec,
    },
  };
}

test("a copy whose node has no agent says so", { timeout: 180_000 }, async () => {
  const { client, namespace } = world;
  const pod = await world.pod("shop", "web", ["data"]);
  const backup = await client.create<Backup>(resources.backups, {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name: "orphan", namespace },
    spec: { storageLocation: "default" },
    status: { phase: "InProgress", startTimestamp: new Date().toISOString() },
  });
  const ref = { kind: "Pod", namespace: world.space("shop"), name: "web", uid: pod.uid };
  await client.create(
    resources.podVolumeBackups,
    volume("PodVolumeBackup", backup, { node: `no-agent-${world.node}`, pod: ref, tags: {} }),
  );
  const causes = await eventually(
    () => causesOf("backup-orphan"),
    (found) => found.length > 0,
    120_000,
  );
  expect(new Set(causes)).toEqual(new Set(["agent-missing"]));
});

test("a restore whose pod cannot be scheduled says so", { timeout: 180_000 }, async () => {
  const { client, namespace } = world;
  const space = world.space("again");
  await ensureNamespace(client, space);
  const restore = await client.create<Restore>(resources.restores, {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name: "held", namespace },
    spec: { backupName: "orphan" },
    status: { phase: "InProgress", startTimestamp: new Date().toISOString() },
  });
  const pod = await client.create(resources.pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: space, labels: { "velero.io/restore-name": "held" } },
    spec: {
      nodeSelector: { "headway.dev/nowhere": "true" },
      initContainers: [{ name: "restore-wait", image: "none" }],
      containers: [{ name: "c", image: "none" }],
    },
  });
  await client.create(
    resources.podVolumeRestores,
    volume("PodVolumeRestore", restore, {
      pod: { kind: "Pod", namespace: space, name: "web", uid: pod.metadata.uid },
      snapshotID: "deadbeef",
      sourceNamespace: "shop",
    }),
  );
  const causes = await eventually(
    () => causesOf("restore-held"),
    (found) => found.length > 0,
    120_000,
  );
  expect(new Set(causes)).toEqual(new Set(["pod-pending"]));
});
