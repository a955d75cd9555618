import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { type DownloadRequest, kinds } from "../../src/api/index.ts";
import { run } from "../../src/cli/index.ts";
import { moverFinder, readRepository } from "../../src/engines/podvolume/index.ts";
import { builtIn, isNotFound, resourceOf } from "../../src/kube/index.ts";
import { claimSource, defaultPassword, type MoverKind, volumeSource } from "../../src/movers/index.ts";
import { findTestMover, testMoverFolders } from "./movers.ts";
import { archiveOf } from "./restore-stage.ts";
import { openVolumeWorld, type VolumeWorld } from "./volume-world.ts";

type Things = Parameters<typeof archiveOf>[0];

/** A world with backups to look into: archives and volumes in a folder, and somebody who answers DownloadRequests. */
export interface BrowseWorld extends VolumeWorld {
  /** A backup that has ended, with these objects. */
  backup(name: string, at: string, things: Things): Promise<void>;
  /** Copies a folder as a volume of a backup: that of a pod, or the moved data of a claim. */
  copy(
    backup: string,
    kind: MoverKind,
    from: string,
    of: { readonly space: string; readonly pod?: string; readonly volume: string },
  ): Promise<void>;
  /** Runs words on the cluster. */
  headway(
    ...words: string[]
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string; readonly bytes: Buffer }>;
}

/** Opens it. */
export async function openBrowseWorld(): Promise<BrowseWorld> {
  const world = await openVolumeWorld();
  const { client, namespace, folder } = world;
  await client.create(builtIn.secrets, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "velero-repo-credentials", namespace },
    data: { "repository-password": Buffer.from(defaultPassword).toString("base64") },
  } as never); // a Secret has data beside its metadata
  const archives = new Map<string, Buffer>();
  const answering = await answerDownloads(world, archives);
  // Old versions of restic give no folder as tar: where there are two, this one is asked.
  const restic = findTestMover("restic", "0.18");
  const folders = ["program" in restic ? dirname(restic.program) : "", ...testMoverFolders()];
  const mover = moverFinder({ scratch: join(folder, "copies"), folders });
  return {
    ...world,
    async backup(name, at, things) {
      archives.set(name, archiveOf(things));
      await client.create(resourceOf(kinds.Backup), {
        apiVersion: "velero.io/v1",
        kind: "Backup",
        metadata: { name, namespace },
        spec: { storageLocation: "default" },
        status: { phase: "Completed", startTimestamp: at, completionTimestamp: at },
      } as never); // the schema's own shape
    },
    async copy(backup, kind, from, { space, pod, volume }) {
      const signal = AbortSignal.timeout(120_000);
      const key = { volumeNamespace: world.space(space), location: "default", type: kind };
      const repository = await readRepository(client, namespace, key, signal);
      await mover(kind).ensureRepository(repository, signal);
      const of = { namespace: key.volumeNamespace, pod: pod ?? "", volume };
      const source =
        pod === undefined
          ? claimSource(kind, { namespace: of.namespace, name: volume })
          : volumeSource(kind, of);
      const { snapshotId, bytes } = await mover(kind).backup(
        { repository, path: from, source, tags: {} },
        signal,
      );
      const status = {
        phase: "Completed",
        snapshotID: snapshotId,
        progress: { totalBytes: bytes, bytesDone: bytes },
      };
      const metadata = { generateName: `${backup}-`, namespace, labels: { "velero.io/backup-name": backup } };
      const location = { backupStorageLocation: "default" };
      if (pod === undefined) {
        const spec = {
          ...location,
          snapshotType: "CSI",
          sourceNamespace: of.namespace,
          sourcePVC: volume,
          operationTimeout: "10m",
        };
        const upload = { apiVersion: "velero.io/v2alpha1", kind: "DataUpload", metadata, spec, status };
        await client.create(resourceOf(kinds.DataUpload), upload as never); // as above
        return;
      }
      const podOf = { kind: "Pod", namespace: of.namespace, name: pod };
      const spec = { ...location, node: "n", pod: podOf, volume, uploaderType: kind, repoIdentifier: "" };
      const copied = { apiVersion: "velero.io/v1", kind: "PodVolumeBackup", metadata, spec, status };
      await client.create(resourceOf(kinds.PodVolumeBackup), copied as never); // as above
    },
    async headway(...words) {
      const seen = { out: "", err: "" };
      const parts: Uint8Array[] = [];
      const io = {
        out: (text: string) => void (seen.out += text),
        err: (text: string) => void (seen.err += text),
        bytes: async (chunk: Uint8Array) => void parts.push(Uint8Array.from(chunk)),
        env: { PATH: folders.join(":") },
        terminal: undefined,
        color: false,
      };
      const place = ["--kubeconfig", world.kubeconfig, "-n", namespace];
      const code = await run([...words, ...place], AbortSignal.timeout(170_000), io);
      return { code, ...seen, bytes: Buffer.concat(parts) };
    },
    async close() {
      await answering();
      await world.close();
    },
  };
}

/** Answers with links to the archives, as the operator does; returns what ends it. */
async function answerDownloads(
  { client, namespace }: VolumeWorld,
  archives: ReadonlyMap<string, Buffer>,
): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const found = archives.get((request.url ?? "").slice(1));
    response.writeHead(found ? 200 : 404).end(found);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const requests = resourceOf(kinds.DownloadRequest);
  const stop = new AbortController();
  const done = (async () => {
    while (!stop.signal.aborted) {
      for (const { metadata, spec, status } of await client.list<DownloadRequest>(requests, { namespace })) {
        if (status?.downloadURL) continue;
        const downloadURL = `http://127.0.0.1:${port}/${spec?.target.name}`;
        const body = { status: { phase: "Processed", downloadURL } };
        await client
          .patch(requests, metadata.name, { type: "merge", body }, { namespace })
          .catch((error: unknown) => {
            if (!isNotFound(error)) throw error; // whoever asked has gone
          });
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return async () => {
    stop.abort();
    await done;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}
