import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtIn, type Client } from "../../src/kube/index.ts";

const { nodes, volumes } = builtIn;

/** Volumes for claims without a class: folders of the node, which is this machine. The returned function takes them away. */
export async function makeVolumes(client: Client, count: number, on?: string): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "volumes-"));
  const node = (await client.list(nodes)).find(({ metadata }) => on === undefined || metadata.name === on);
  const values = [node?.metadata.labels?.["kubernetes.io/hostname"] ?? ""];
  const here = { key: "kubernetes.io/hostname", operator: "In", values };
  const made: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const name = `local-${crypto.randomUUID().slice(0, 8)}`;
    const path = join(folder, name);
    mkdirSync(path);
    await client.create(volumes, {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Retain",
        local: { path },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [here] }] } },
      },
    });
    made.push(name);
  }
  return async () => {
    for (const name of made) await client.delete(volumes, name);
    rmSync(folder, { recursive: true, force: true });
  };
}
