import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Link, openLink } from "../../bench/corpus/link.ts";
import type { KubeObject } from "../../src/api/index.ts";
import { resources, type Uploader } from "../../src/engines/podvolume/index.ts";
import { type ClusterView, openClusterView } from "../../src/observe/index.ts";
import { eventually } from "../harness/eventually.ts";
import { embeddedSide, type Side } from "../harness/migration-sides.ts";
import { agentShows } from "../harness/node-world.ts";
import { startS3 } from "../harness/s3.ts";
import { bucketLocation } from "../harness/volume-copies.ts";
import { ensureNamespace, prepareServer } from "../harness/volume-world.ts";
import { Victims } from "../soak/victims.ts";

export const server = "velero";
const location = "slow";

/** An embedded cluster with operator and agent as processes, a real S3 server behind a slow link, and a viewer in this process. */
export interface FreezeWorld {
  readonly side: Side;
  readonly victims: Victims;
  readonly link: Link;
  readonly view: ClusterView;
  /** Starts a backup of a volume with so many new bytes. */
  backup(name: string, bytes: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens the world for one mover. */
export async function openFreezeWorld(uploader: Uploader): Promise<FreezeWorld> {
  const folder = mkdtempSync(join(tmpdir(), "freeze-"));
  const s3 = await startS3();
  const link = await openLink(Number(new URL(s3.endpoint).port));
  const side = await embeddedSide("blue", folder);
  const { client } = side;
  mkdirSync(join(folder, "store"));
  await prepareServer(client, server, join(folder, "store"));
  const endpoint = `http://127.0.0.1:${link.port}`;
  await bucketLocation({ client, namespace: server }, location, { ...s3, endpoint }, uploader);
  const controllers = "location,backup,restore,backup-repo";
  const victims = new Victims(side, {
    namespace: server,
    folder: join(folder, "own"),
    uploader,
    controllers,
  });
  await agentShows({ client, namespace: server, node: side.node });
  const view = openClusterView({ client, serverNamespace: server });
  const stop = new AbortController();
  const watching = view.run(stop.signal);
  await view.observer.synced(stop.signal);
  return {
    side,
    victims,
    link,
    view,
    async backup(name, bytes) {
      const app = `app-${name}`;
      await makeVolume(side, app, bytes);
      await client.create(resources.backups, {
        apiVersion: "velero.io/v1",
        kind: "Backup",
        metadata: { name, namespace: server },
        spec: { includedNamespaces: [app], defaultVolumesToFsBackup: true, storageLocation: location },
      });
    },
    async close() {
      stop.abort();
      await watching;
      await victims.close();
      await side.close([], server);
      await link.close();
      await s3.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function makeVolume(side: Side, namespace: string, bytes: number): Promise<void> {
  await ensureNamespace(side.client, namespace);
  await side.client.create(resources.pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace },
    spec: {
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      containers: [
        {
          name: "c",
          image: side.image,
          command: ["sh", "-c", "sleep 100000"],
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        },
      ],
      volumes: [{ name: "data", emptyDir: {} }],
    },
  });
  const pod = await eventually(
    () => side.client.get<KubeObject & { status?: { phase?: string } }>(resources.pods, "web", { namespace }),
    ({ status }) => status?.phase === "Running",
    120_000,
  );
  const volume = join(side.podsDir, pod.metadata.uid ?? "", "volumes", "kubernetes.io~empty-dir", "data");
  for (let left = bytes, i = 0; left > 0; left -= 4 << 20, i += 1)
    writeFileSync(join(volume, `file-${i}`), randomBytes(Math.min(left, 4 << 20)));
}
