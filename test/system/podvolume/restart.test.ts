import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Backup, PodVolumeBackup, PodVolumeRestore } from "../../../src/api/index.ts";
import { resources, type Uploader } from "../../../src/engines/podvolume/index.ts";
import { isVolumeEnded } from "../../../src/kinds/index.ts";
import type { Resource } from "../../../src/kube/index.ts";
import { killHard, moversOf, signalAll, spawnAgent } from "../../harness/agent-process.ts";
import { eventually } from "../../harness/eventually.ts";
import { findTestMover } from "../../harness/movers.ts";
import { fillTree, treeLines } from "../../harness/tree.ts";
import { askedBy } from "../../harness/volume-copies.ts";
import { openVolumeWorld, readyRepository, type VolumeWorld } from "../../harness/volume-world.ts";

/** A few moments each time, twenty when asked: each is a backup and a restore with a kill in each. */
const rounds = process.env["HEADWAY_LONG"] === "1" ? 20 : 2;
const missing = (["restic", "kopia"] as const)
  .map((kind) => findTestMover(kind))
  .find((one) => "missing" in one);
const skip = missing && "missing" in missing ? missing.missing : undefined;

let world: VolumeWorld;
let agent: ChildProcess;
let stateDir: string;
beforeAll(async () => {
  world = await openVolumeWorld();
  stateDir = join(world.folder, "state");
  start();
}, 180_000);
afterAll(async () => {
  await killHard(agent);
  signalAll(moversOf(`agent:${stateDir}`), "SIGKILL");
  await world.close();
});

function start(): void {
  const { kubeconfig, namespace, node, hostPods } = world;
  agent = spawnAgent({ kubeconfig, namespace, node, hostPods, stateDir });
}

test.skipIf(skip)(
  `every kill -9 ends well, with numbers that never fall ${skip ?? ""}`,
  { timeout: 1_800_000 },
  async () => {
    for (const uploader of ["restic", "kopia"] as const) await readyRepository(world, "shop", uploader);
    const pod = await world.pod("shop", "web", ["data"]);
    const source = pod.folders["data"] ?? "";
    fillTree(source, [1_000_000, 3, 70_000]);
    for (let round = 0; round < rounds; round += 1) {
      const uploader: Uploader = round % 2 === 0 ? "restic" : "kopia";
      const victim = Math.floor(round / 2) % 2 === 0 ? "agent" : "mover";
      writeFileSync(join(source, "big"), randomBytes(12 << 20));
      const pvb = await copyWithKill<PodVolumeBackup>(
        resources.podVolumeBackups,
        await newBackup(round, pod.uid, uploader),
        victim,
      );
      expect(pvb.status, `round ${round}, ${uploader}, ${victim}: ${pvb.status?.message}`).toMatchObject({
        phase: "Completed",
      });
      const pvr = await copyWithKill<PodVolumeRestore>(
        resources.podVolumeRestores,
        await newRestore(round, pvb),
        victim,
      );
      expect(pvr.status, `round ${round}, ${uploader}, ${victim}: ${pvr.status?.message}`).toMatchObject({
        phase: "Completed",
      });
      const target = join(
        world.hostPods,
        pvr.spec?.pod.uid ?? "",
        "volumes",
        "kubernetes.io~empty-dir",
        "data",
      );
      expect(treeLines(target)).toEqual(treeLines(source));
      expect(moversOf(`agent:${stateDir}`)).toEqual([]);
    }
  },
);

/** Creates a copy, kills something at a random moment of it, and waits for its end; every status on the way is checked. */
async function copyWithKill<T extends PodVolumeBackup | PodVolumeRestore>(
  resource: Resource,
  object: object,
  victim: "agent" | "mover",
): Promise<T> {
  const { client, namespace } = world;
  const made = await client.create<T>(resource, object);
  const read = () => client.get<T>(resource, made.metadata.name, { namespace });
  await eventually(read, ({ status }) => status?.phase !== undefined && status.phase !== "New", 120_000);
  await pause(Math.random() * 1_500);
  if (victim === "agent") {
    await killHard(agent);
    start();
  } else {
    signalAll(moversOf(`agent:${stateDir}`), "SIGKILL");
  }
  let done = 0;
  return eventually(
    read,
    ({ status }) => {
      const { bytesDone = 0, totalBytes = 0 } = status?.progress ?? {};
      expect(bytesDone).toBeGreaterThanOrEqual(done);
      done = bytesDone;
      if (status?.phase !== "Completed" && totalBytes > 0) expect(bytesDone).toBeLessThan(totalBytes);
      return isVolumeEnded(status);
    },
    180_000,
  );
}

async function newBackup(round: number, podUid: string, uploaderType: Uploader): Promise<object> {
  const { namespace, client, node } = world;
  const backup = await client.create<Backup>(resources.backups, {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name: `b-${round}`, namespace },
    spec: { storageLocation: "default" },
    status: { phase: "InProgress" },
  });
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: {
      generateName: `b-${round}-`,
      namespace,
      labels: { "velero.io/backup-uid": backup.metadata.uid },
      ownerReferences: [
        { apiVersion: "velero.io/v1", kind: "Backup", name: `b-${round}`, uid: backup.metadata.uid },
      ],
    },
    spec: {
      node,
      pod: { kind: "Pod", namespace: world.space("shop"), name: "web", uid: podUid },
      volume: "data",
      backupStorageLocation: "default",
      repoIdentifier: "",
      uploaderType,
      tags: { backup: `b-${round}` },
    },
  };
}

async function newRestore(round: number, pvb: PodVolumeBackup): Promise<object> {
  const target = await world.pod("again", `web-${round}`, ["data"], {
    initContainers: [{ name: "restore-wait", image: "helper" }],
    status: {
      phase: "Pending",
      initContainerStatuses: [
        {
          name: "restore-wait",
          image: "helper",
          imageID: "",
          ready: false,
          restartCount: 0,
          state: { running: {} },
        },
      ],
    },
  });
  mkdirSync(target.folders["data"] ?? "", { recursive: true });
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeRestore",
    metadata: { generateName: `r-${round}-`, ...askedBy(world, "restore") },
    spec: {
      pod: { kind: "Pod", namespace: world.space("again"), name: `web-${round}`, uid: target.uid },
      volume: "data",
      backupStorageLocation: "default",
      repoIdentifier: "",
      uploaderType: pvb.spec?.uploaderType,
      snapshotID: pvb.status?.snapshotID,
      snapshotSize: pvb.status?.progress?.totalBytes,
      sourceNamespace: world.space("shop"),
    },
  };
}
