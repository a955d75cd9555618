import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type Backup,
  type BackupRepository,
  type BackupStorageLocation,
  type DeleteBackupRequest,
  kinds,
  type PodVolumeBackup,
  type PodVolumeRestore,
} from "../../src/api/index.ts";
import { resources, type Uploader } from "../../src/engines/podvolume/index.ts";
import { isVolumeEnded } from "../../src/kinds/index.ts";
import { isNotFound, type Resource, resourceOf } from "../../src/kube/index.ts";
import { eventually } from "../harness/eventually.ts";
import { plantedBackup } from "../harness/planted-backup.ts";
import { askedBy } from "../harness/volume-copies.ts";
import { type Attack, mustHold } from "./attack.ts";
import type { Lone } from "./lone.ts";
import type { Stage } from "./stage.ts";
import { makePod } from "./victim.ts";

const past = "2020-01-01T00:00:00Z";
const goodId = { restic: "0123abcd", kopia: "00112233445566778899aabbccddeeff" };
const proofOf = (stage: Stage) => join(stage.folder, "PROOF");

/** Options that run a program or read another repository, where a snapshot is expected. */
function hostileId(stage: Stage, uploader: Uploader): string {
  return uploader === "restic"
    ? `--password-command=/bin/sh -c "id > ${proofOf(stage)}"`
    : `--config-file=${stage.folder}/other.config`;
}

function volumeSpec(stage: Stage, uploader: Uploader) {
  const { namespace, uid } = stage.victim;
  return {
    node: stage.node,
    pod: { kind: "Pod", namespace, name: "web", uid },
    volume: "data",
    backupStorageLocation: "default",
    repoIdentifier: "",
    uploaderType: uploader,
    tags: {},
  };
}

async function exists(stage: Stage, resource: Resource, name: string): Promise<boolean> {
  return stage.client.get(resource, name, { namespace: stage.namespace }).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    },
  );
}

/** Attacks by what stands where a snapshot or a namespace is expected. */
function injections(uploader: Uploader): Attack[] {
  const kind = "command injection";
  return [
    {
      kind,
      tried: `a stored ${uploader} snapshot that is an option, in an expired backup that is imported and collected`,
      async run(stage) {
        const status = { phase: "Completed", snapshotID: hostileId(stage, uploader) };
        const copies = [{ spec: volumeSpec(stage, uploader), status }];
        await stage.plant(plantedBackup(`evil-${uploader}`, { status: { expiration: past }, copies }));
        await stage.searched();
        mustHold(!existsSync(proofOf(stage)), "the command ran");
        mustHold(!(await exists(stage, resources.backups, `evil-${uploader}`)), "the backup was imported");
        await stage.operator?.said(new RegExp(`(evil-${uploader}-podvolumebackups.json.gz)`));
        return "the backup was refused and told, no command ran";
      },
    },
    {
      kind,
      tried: `the same ${uploader} snapshot in a copy that another server imported, when its backup expires`,
      async run(stage) {
        const name = `older-${uploader}`;
        await stage.plant(plantedBackup(name, { status: { expiration: past } }));
        const backup = await stage.create<Backup>("Backup", name, {
          spec: { storageLocation: "default" },
          status: { phase: "Completed" },
        });
        await stage.create(
          "PodVolumeBackup",
          `${name}-1`,
          {
            spec: volumeSpec(stage, uploader),
            status: { phase: "Completed", snapshotID: hostileId(stage, uploader) },
          },
          { labels: { "velero.io/backup-name": name, "velero.io/backup-uid": backup.metadata.uid } },
        );
        const labels = { "velero.io/storage-location": "default" };
        await stage.patch(resources.backups, name, { metadata: { labels }, status: { expiration: past } });
        const [request] = await eventually(
          async () =>
            (
              await stage.client.list<DeleteBackupRequest>(resourceOf(kinds.DeleteBackupRequest), stage)
            ).filter((one) => one.spec?.backupName === name),
          (all) => all.some(({ status }) => status?.phase === "Processed"),
          90_000,
        );
        mustHold(!existsSync(proofOf(stage)), "the command ran");
        const errors = request?.status?.errors?.join() ?? "";
        mustHold(errors.includes(`not a snapshot of ${uploader}`), `the mover was asked: ${errors}`);
        return `the deletion says: ${errors}`;
      },
    },
    {
      kind,
      tried: `a PodVolumeRestore of a ${uploader} snapshot that is an option, on the node`,
      async run(stage) {
        const lone = loneOf(stage);
        const name = `again-${uploader}`;
        const uid = await makePod(stage, stage.victim.namespace, name, { held: true });
        const { node: _node, tags: _tags, ...spec } = volumeSpec(stage, uploader);
        const ended = await copied<PodVolumeRestore>(
          stage,
          "PodVolumeRestore",
          {
            ...spec,
            pod: { ...spec.pod, name, uid },
            sourceNamespace: stage.victim.namespace,
            snapshotID: hostileId(stage, uploader),
          },
          lone,
        );
        await stage.client.delete(resources.pods, name, { namespace: stage.victim.namespace });
        mustHold(!existsSync(proofOf(stage)), "the command ran on the node");
        const { phase, message = "" } = ended.status ?? {};
        mustHold(
          phase === "Failed" && message.includes(`cannot be a snapshot of ${uploader}`),
          `it is ${phase}: ${message}`,
        );
        return `Failed: ${message}`;
      },
    },
  ];
}

/** Attacks that want the volume of somebody else's pod in the bucket. */
function thefts(uploader: Uploader): Attack[] {
  const kind = "foreign volume";
  return [
    {
      kind,
      tried: `a stored ${uploader} copy without a status that names a pod of another namespace`,
      async run(stage) {
        const name = `exfil-${uploader}`;
        await stage.plant(
          plantedBackup(name, { copies: [{ spec: volumeSpec(stage, uploader), status: {} }] }),
        );
        await stage.searched();
        mustHold(await exists(stage, resources.backups, name), "the backup was not looked at");
        mustHold(!(await exists(stage, resources.podVolumeBackups, `${name}-1`)), "the copy was imported");
        mustHold((await stolen(stage, uploader)) === 0, "the volume is in the bucket");
        return "the backup was imported without the copy, nothing was uploaded";
      },
    },
    {
      kind,
      tried: `a ${uploader} PodVolumeBackup of a backup that is over, of none, and of one with another uid`,
      async run(stage) {
        const lone = loneOf(stage);
        await stage.plant(plantedBackup(`ended-${uploader}`));
        await stage.searched();
        const over = await stage.get<Backup>("Backup", `ended-${uploader}`);
        const owner = (uid: string | undefined, name: string) => ({
          labels: { "velero.io/backup-name": name, "velero.io/backup-uid": uid ?? "" },
          ownerReferences: [
            { apiVersion: "velero.io/v1", kind: "Backup", name, uid: uid ?? "", controller: true },
          ],
        });
        const spec = volumeSpec(stage, uploader);
        await stage.create(
          "PodVolumeBackup",
          `over-${uploader}`,
          { spec, status: {} },
          owner(over.metadata.uid, over.metadata.name),
        );
        await stage.create("PodVolumeBackup", `ownerless-${uploader}`, { spec, status: {} });
        await stage.create(
          "PodVolumeBackup",
          `forged-${uploader}`,
          { spec, status: {} },
          { ...owner(crypto.randomUUID(), "in-progress"), namespace: lone.namespace },
        );
        const told: string[] = [];
        const places = [
          [stage.namespace, "over"],
          [stage.namespace, "ownerless"],
          [lone.namespace, "forged"],
        ] as const;
        for (const [namespace, what] of places) {
          const { status } = await eventually(
            () =>
              stage.client.get<PodVolumeBackup>(resources.podVolumeBackups, `${what}-${uploader}`, {
                namespace,
              }),
            (one) => Boolean(one.status?.message ?? one.status?.phase),
            60_000,
          ).catch(async (error: unknown) => {
            // The garbage collector of the cluster was faster: its owner does not exist.
            if (isNotFound(error))
              return { status: { phase: undefined, message: "not run: deleted by the cluster" } };
            throw error;
          });
          mustHold(
            status?.phase === undefined && (status?.message ?? "").startsWith("not run"),
            `the copy "${what}" is ${JSON.stringify(status)}`,
          );
          told.push(status?.message ?? "");
        }
        mustHold((await stolen(stage, uploader)) === 0, "the volume is in the bucket");
        return told.join("; ");
      },
    },
    {
      kind,
      tried: `a ${uploader} PodVolumeBackup whose volume climbs out of the pod's folder`,
      async run(stage) {
        const lone = loneOf(stage);
        const spec = { ...volumeSpec(stage, uploader), volume: "../../../../../../../etc" };
        const { status } = await copied<PodVolumeBackup>(stage, "PodVolumeBackup", spec, lone);
        mustHold(status?.phase === "Failed" && !status.snapshotID, `it is ${JSON.stringify(status)}`);
        return `Failed: ${status?.message}`;
      },
    },
    {
      kind: "control",
      tried: `a ${uploader} PodVolumeBackup of a backup in progress: the agent would have copied the volume`,
      async run(stage) {
        const { status } = await copied<PodVolumeBackup>(
          stage,
          "PodVolumeBackup",
          volumeSpec(stage, uploader),
          loneOf(stage),
        );
        mustHold(
          status?.phase === "Completed" && Boolean(status.snapshotID),
          `it is ${JSON.stringify(status)}`,
        );
        return `Completed, ${status?.progress?.totalBytes} bytes`;
      },
    },
  ];
}

/** Attacks by namespaces that are paths. */
function climbs(uploader: Uploader): Attack[] {
  const kind = "climbing namespace";
  return [
    {
      kind,
      tried: `a ${uploader} BackupRepository of the namespace "../../../climbed"`,
      async run(stage) {
        const path = join(stage.folder, "climb/a/b/c");
        await fileLocation(stage, `climb-${uploader}`, path);
        await stage.create("BackupRepository", `climb-${uploader}`, {
          spec: {
            volumeNamespace: "../../../climbed",
            backupStorageLocation: `climb-${uploader}`,
            repositoryType: uploader,
            maintenanceFrequency: "1h",
          },
        });
        const { status } = await eventually(
          () => stage.get<BackupRepository>("BackupRepository", `climb-${uploader}`),
          (one) => one.status?.phase !== undefined && one.status.phase !== "New",
          60_000,
        );
        const made = readdirSync(join(stage.folder, "climb"), { recursive: true, encoding: "utf8" }).filter(
          (one) => one.includes("climbed"),
        );
        mustHold(
          status?.phase !== "Ready" && made.length === 0,
          `it is ${status?.phase}, made: ${made.join()}`,
        );
        return `${status?.phase}: ${status?.message}`;
      },
    },
    {
      kind,
      tried: `a stored ${uploader} copy of a pod in the namespace "../../../x"`,
      async run(stage) {
        const name = `climb-${uploader}`;
        const spec = { ...volumeSpec(stage, uploader), pod: { namespace: "../../../x", name: "web" } };
        const status = { phase: "Completed", snapshotID: goodId[uploader] };
        await stage.plant(plantedBackup(name, { status: { expiration: past }, copies: [{ spec, status }] }));
        await stage.searched();
        mustHold(!(await exists(stage, resources.backups, name)), "the backup was imported");
        return "the backup was refused";
      },
    },
  ];
}

/** A location in a folder, whose path is made; once it is available. */
export async function fileLocation(
  stage: Stage,
  name: string,
  path: string,
  more: object = {},
): Promise<BackupStorageLocation> {
  mkdirSync(path, { recursive: true });
  await stage.create("BackupStorageLocation", name, {
    spec: { provider: "filesystem", objectStorage: { bucket: "b" }, config: { path }, ...more },
  });
  return eventually(
    () => stage.get<BackupStorageLocation>("BackupStorageLocation", name),
    ({ status }) => status?.phase === "Available",
  );
}

function loneOf({ lone }: Stage): Lone {
  if (!lone) throw new Error("there is no lone agent");
  return lone;
}

/** Makes a copy that a Backup or Restore in progress asks for, and waits for its end. */
async function copied<T extends PodVolumeBackup | PodVolumeRestore>(
  stage: Stage,
  kind: "PodVolumeBackup" | "PodVolumeRestore",
  spec: object,
  lone: Lone,
): Promise<T> {
  const asker = askedBy(lone, kind === "PodVolumeBackup" ? "backup" : "restore");
  const made = await stage.create<T>(kind, `copy-${crypto.randomUUID().slice(0, 8)}`, { spec }, asker);
  const resource = resourceOf(kinds[kind]);
  return eventually(
    () => stage.client.get<T>(resource, made.metadata.name, { namespace: lone.namespace }),
    ({ status }) => isVolumeEnded(status),
    90_000,
  );
}

/** How many files of the victim's repositories are in the bucket. */
async function stolen(stage: Stage, uploader: Uploader): Promise<number> {
  let count = 0;
  for await (const _ of stage.bucket.list(`${uploader}/${stage.victim.namespace}/`)) count += 1;
  return count;
}

/** All of them, for both movers. */
export const moverAttacks: readonly Attack[] = (["restic", "kopia"] as const).flatMap((uploader) => [
  ...injections(uploader),
  ...thefts(uploader),
  ...climbs(uploader),
]);
