import type { PodVolumeBackup, PodVolumeRestore } from "../../src/api/index.ts";
import { resources, type Uploader } from "../../src/engines/podvolume/index.ts";
import { isVolumeEnded } from "../../src/kinds/index.ts";
import { eventually } from "./eventually.ts";
import type { S3Server } from "./s3.ts";
import type { VolumeWorld } from "./volume-world.ts";

/** Which volume of which pod, where to, and with what. */
export interface CopySpec {
  readonly podNamespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly uploader: Uploader;
  readonly location?: string;
  readonly node?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

/** A PodVolumeBackup of the volume "data". */
export function copyOut(world: VolumeWorld, spec: CopySpec): object {
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata: { generateName: "b-", ...askedBy(world, "backup") },
    spec: { ...common(spec), node: spec.node ?? world.node, tags: spec.tags ?? { volume: "data" } },
  };
}

/** A PodVolumeRestore of a snapshot into the volume "data". */
export function copyBack(
  world: VolumeWorld,
  spec: CopySpec,
  from: { readonly snapshotID: string; readonly sourceNamespace: string; readonly snapshotSize?: number },
): object {
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeRestore",
    metadata: { generateName: "r-", ...askedBy(world, "restore") },
    spec: { ...common(spec), ...from },
  };
}

/** The metadata of a copy that belongs to the world's Backup or Restore, as servers make it. */
export function askedBy(world: Pick<VolumeWorld, "askers" | "namespace">, by: "backup" | "restore") {
  const { apiVersion, kind, metadata } = world.askers[by];
  const { name, uid = "" } = metadata;
  return {
    namespace: world.namespace,
    ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
    labels: { [`velero.io/${by}-name`]: name, [`velero.io/${by}-uid`]: uid },
  };
}

function common({ podNamespace, pod, podUid, uploader, location = "default" }: CopySpec) {
  return {
    pod: { kind: "Pod", namespace: podNamespace, name: pod, uid: podUid },
    volume: "data",
    backupStorageLocation: location,
    repoIdentifier: "",
    uploaderType: uploader,
  };
}

/** Creates a copy and waits for its end. */
export async function copied<T extends PodVolumeBackup | PodVolumeRestore>(
  world: VolumeWorld,
  object: object,
): Promise<T> {
  const { client, namespace } = world;
  const { kind } = object as { kind: string };
  const resource = kind === "PodVolumeBackup" ? resources.podVolumeBackups : resources.podVolumeRestores;
  const made = await client.create<T>(resource, object);
  return eventually(
    () => client.get<T>(resource, made.metadata.name, { namespace }),
    ({ status }) => isVolumeEnded(status),
    180_000,
  );
}

/** What a pod that waits for its volumes looks like. */
export const heldBack = {
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
};

/** A storage location in a bucket, with its keys in a Secret. */
export async function bucketLocation(
  world: Pick<VolumeWorld, "client" | "namespace">,
  name: string,
  s3: S3Server,
  prefix: string,
): Promise<void> {
  const { client, namespace } = world;
  const keys = `[default]\naws_access_key_id=${s3.accessKeyId}\naws_secret_access_key=${s3.secretAccessKey}\n`;
  await client.create(resources.secrets, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace },
    data: { cloud: Buffer.from(keys).toString("base64") },
  });
  await client.create(resources.locations, {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name, namespace },
    spec: {
      provider: "aws",
      objectStorage: { bucket: s3.bucket, prefix },
      config: { region: s3.region, s3Url: s3.endpoint, s3ForcePathStyle: "true" },
      credential: { name, key: "cloud" },
    },
  });
}
