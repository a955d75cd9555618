import { AppError } from "../../../errors.ts";
import { builtIn, isNotFound, type Resource } from "../../../kube/index.ts";
import { type Chapter, ending, type Scene } from "../chapter.ts";
import { checksums, differences, eventually, untilFilled } from "../data.ts";
import { shopManifests, shopNamespace } from "../shop.ts";

const namespaces: Resource = builtIn.namespaces;

/** A shop, a backup, a disaster, a restore, the proof. The shop stands again at the end. */
export function shopStory(megabytes: number): Chapter[] {
  let before: ReadonlyMap<string, string> = new Map();
  return [
    {
      title: `A small shop with ${megabytes} MB of data in two volumes`,
      async run(scene) {
        for (const manifest of shopManifests(scene.megabytes, scene.image)) await scene.create(manifest);
        await untilFilled(scene.client, 180_000, scene.signal);
        before = await checksums(scene.client, scene.signal);
        scene.say(`${before.size} files written`);
      },
    },
    {
      title: "A backup",
      async run(scene) {
        const spec = { includedNamespaces: [shopNamespace], defaultVolumesToFsBackup: true };
        await scene.create(veleroObject("Backup", spec, scene));
        scene.say(ending(await scene.follow(`backup/${scene.namespace}/${scene.named("shop")}`)));
      },
    },
    {
      title: `A disaster: namespace ${shopNamespace} is deleted, with everything in it`,
      async run({ client, signal }) {
        await client.delete(namespaces, shopNamespace, {}, signal);
        await eventually("the namespace is gone", 120_000, signal, () => isGone({ client, signal }));
      },
    },
    {
      title: "A restore",
      async run(scene) {
        await scene.create(veleroObject("Restore", { backupName: scene.named("shop") }, scene));
        scene.say(ending(await scene.follow(`restore/${scene.namespace}/${scene.named("shop")}`)));
      },
    },
    { title: "The proof", run: (scene) => prove(before, scene) },
  ];
}

async function prove(before: ReadonlyMap<string, string>, scene: Scene): Promise<void> {
  const { client, signal } = scene;
  await untilFilled(client, 120_000, signal);
  const faults = differences(before, await checksums(client, signal));
  if (faults.length > 0) {
    throw new AppError("DEMO_FAILED", `the data are not what they were: ${faults.slice(0, 5).join(", ")}`);
  }
  scene.say(`every byte is back: ${before.size} files with the same checksums`);
}

function veleroObject(kind: "Backup" | "Restore", spec: object, scene: Scene) {
  const metadata = { name: scene.named("shop"), namespace: scene.namespace };
  return { apiVersion: "velero.io/v1", kind, metadata, spec };
}

async function isGone({ client, signal }: Pick<Scene, "client" | "signal">): Promise<boolean> {
  try {
    await client.get(namespaces, shopNamespace, {}, signal);
    return false;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}
