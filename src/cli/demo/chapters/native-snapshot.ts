import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type KubeObject, kinds, type VolumePluginRestore } from "../../../api/index.ts";
import { AppError } from "../../../errors.ts";
import { builtIn, resourceOf } from "../../../kube/index.ts";
import { formatBytes } from "../../../progress/index.ts";
import { type Chapter, ending, type Scene } from "../chapter.ts";
import { shopNamespace } from "../shop.ts";

const copyNamespace = `${shopNamespace}-copy`;
const { namespaces, volumes } = builtIn;

/** A volume that is a folder, as those of the embedded cluster are. */
type FolderVolume = KubeObject & {
  readonly spec?: {
    readonly hostPath?: { readonly path?: string };
    readonly local?: { readonly path?: string };
  };
};

/** A native snapshot of the shop's database by a plugin, and a second volume out of it in another namespace. */
export function nativeSnapshot(): Chapter {
  return {
    title: "A snapshot of the database's volume by a plugin, and a copy out of it",
    skip: ({ place }) =>
      place === "embedded"
        ? undefined
        : "the folder snapshotter needs volumes that are folders of this machine",
    async run(scene) {
      const [backup, restore] = [scene.named("shop-snapshot"), scene.named("shop-copy")];
      await scene.create(snapshotLocation(scene));
      await scene.create(veleroObject("Backup", backup, { includedNamespaces: [shopNamespace] }, scene));
      scene.say(ending(await scene.follow(`backup/${scene.namespace}/${backup}`)));
      const spec = {
        backupName: backup,
        includedResources: ["persistentvolumeclaims", "persistentvolumes"],
        namespaceMapping: { [shopNamespace]: copyNamespace },
      };
      await scene.create(veleroObject("Restore", restore, spec, scene));
      scene.say(ending(await scene.follow(`restore/${scene.namespace}/${restore}`)));
      scene.say(await compared(scene));
      await scene.client.delete(namespaces, copyNamespace, {}, scene.signal);
    },
  };
}

function snapshotLocation({ folder, namespace }: Scene) {
  return {
    apiVersion: "velero.io/v1",
    kind: "VolumeSnapshotLocation",
    metadata: { name: "folders", namespace },
    spec: { provider: "folder", config: { path: join(folder, "snapshots") } },
  };
}

function veleroObject(kind: "Backup" | "Restore", name: string, spec: object, { namespace }: Scene) {
  return { apiVersion: "velero.io/v1", kind, metadata: { name, namespace }, spec };
}

/** The new volume against the snapshot that it came out of, file by file. */
async function compared({ client, namespace, folder, signal }: Scene): Promise<string> {
  const resource = resourceOf(kinds.VolumePluginRestore);
  const [object] = await client.list<VolumePluginRestore>(resource, { namespace }, signal);
  const { volumeID = "", progress } = object?.status ?? {};
  const volume = await client.get<FolderVolume>(volumes, volumeID, {}, signal);
  const snapshot = join(folder, "snapshots", object?.spec?.snapshotID ?? "", "data");
  const [copy, original] = [
    sums(volume.spec?.hostPath?.path ?? volume.spec?.local?.path ?? ""),
    sums(snapshot),
  ];
  if (original.length === 0 || copy.join("\n") !== original.join("\n")) {
    throw new AppError("DEMO_FAILED", `the volume "${volumeID}" is not what the snapshot has`);
  }
  return `${original.length} files, ${formatBytes(progress?.totalBytes ?? 0)}, the same in snapshot and copy`;
}

function sums(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map(
      (path) =>
        `${createHash("sha256").update(readFileSync(path)).digest("hex")} ${path.slice(folder.length)}`,
    )
    .toSorted();
}
