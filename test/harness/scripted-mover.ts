import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DataDownload, type DataUpload, type KubeObject, kinds } from "../../src/api/index.ts";
import { builtIn, type Client, isNotFound, resourceOf } from "../../src/kube/index.ts";

type Claim = KubeObject & {
  readonly spec?: {
    readonly storageClassName?: string;
    readonly volumeName?: string;
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  };
};

const uploads = resourceOf(kinds.DataUpload);
const downloads = resourceOf(kinds.DataDownload);

/** Plays the node agents: takes DataUploads and DataDownloads to their end, without moving a byte. */
export function playMover(
  client: Client,
  namespace: string,
  { folder, end = "Completed" }: { readonly folder: string; readonly end?: "Completed" | "Failed" },
): () => Promise<void> {
  const stop = new AbortController();
  const done = (async () => {
    while (!stop.signal.aborted) {
      for (const one of await client.list<DataUpload>(uploads, { namespace }))
        if (!one.status?.phase || one.status.phase === "New") await upload(client, one, end);
      for (const one of await client.list<DataDownload>(downloads, { namespace }))
        if (!one.status?.phase || one.status.phase === "New") await download(client, one, folder);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return async () => {
    stop.abort();
    await done;
  };
}

async function upload(client: Client, { metadata, spec }: DataUpload, end: string): Promise<void> {
  const { name, namespace } = metadata;
  const write = (status: object) =>
    client.patch(uploads, name, { type: "merge", body: { status } }, { namespace });
  await write({ phase: "InProgress", progress: { totalBytes: 100, bytesDone: 40 } });
  // As the exposer does it: the source's snapshot is taken over.
  await client
    .delete(builtIn.snapshots, spec?.csiSnapshot?.volumeSnapshot ?? "", { namespace: spec?.sourceNamespace })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  const ended = { phase: end, completionTimestamp: new Date().toISOString() };
  const well = {
    snapshotID: "0123456789abcdef0123456789abcdef",
    progress: { totalBytes: 100, bytesDone: 100 },
  };
  await write(end === "Completed" ? { ...ended, ...well } : { ...ended, message: "no space left" });
}

/** The target claim gets a volume that has its selector's labels, as after a rebind. */
async function download(client: Client, { metadata, spec }: DataDownload, folder: string): Promise<void> {
  const { name, namespace } = metadata;
  const target = spec?.targetVolume;
  const claim = await client
    .get<Claim>(builtIn.claims, target?.pvc ?? "", { namespace: target?.namespace })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  if (!claim) return;
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "file"), `moved ${spec?.snapshotID}`);
  await client.create(builtIn.volumes, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: `pv-${name}`, labels: claim.spec?.selector?.matchLabels ?? {} },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: claim.spec?.storageClassName,
      csi: { driver: "csi.headway.dev", volumeHandle: name, volumeAttributes: { path } },
      claimRef: { kind: "PersistentVolumeClaim", namespace: target?.namespace, name: target?.pvc },
    },
  } as KubeObject);
  const status = { phase: "Completed", progress: { totalBytes: 100, bytesDone: 100 } };
  await client.patch(downloads, name, { type: "merge", body: { status } }, { namespace });
}
