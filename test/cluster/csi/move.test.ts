import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DataDownload, DataUpload, KubeObject } from "../../../src/api/index.ts";
import { builtIn } from "../../../src/kube/index.ts";
import { agentAccount } from "../../harness/agent-account.ts";
import { killHard, moversOf, signalAll, spawnAgent } from "../../harness/agent-process.ts";
import { eventually } from "../../harness/eventually.ts";
import * as movement from "../../harness/movement-world.ts";
import { agentShows, type NodeWorld, openNodeWorld } from "../../harness/node-world.ts";
import { treeLines } from "../../harness/tree.ts";

// With a real CSI driver: snapshot, upload, deletion of the claim, download, bytes equal, nothing left in cluster or storage.

const storageClass = process.env["HEADWAY_CSI_CLASS"] ?? "";
const snapshotClass = process.env["HEADWAY_CSI_SNAPSHOT_CLASS"] ?? "";
const skip = storageClass === "" || snapshotClass === "" ? "no CSI driver: test/parts/csi up" : undefined;

type Pod = KubeObject & { readonly status?: { readonly phase?: string } };
type Claim = KubeObject & {
  readonly spec?: { readonly volumeName?: string };
  readonly status?: { readonly phase?: string };
};

describe.skipIf(skip)(`data moves through a real CSI driver ${skip ?? ""}`, { timeout: 300_000 }, () => {
  let world: NodeWorld;
  let place: movement.MovementPlace;
  let agent: ReturnType<typeof spawnAgent>;
  /** The agent has the rights of an installed one, and no others. */
  let account: Awaited<ReturnType<typeof agentAccount>>;
  const space = `csi-move-${crypto.randomUUID().slice(0, 8)}`;

  const start = () => {
    const { namespace, node, hostPods, folder } = world;
    const { kubeconfig } = account;
    return spawnAgent({ kubeconfig, namespace, node, hostPods, stateDir: join(folder, "agent-state") });
  };
  const movers = () => moversOf(`agent:${join(world.folder, "agent-state")}`);

  beforeAll(async () => {
    world = await openNodeWorld("kopia", false, { controllers: ["location", "backup-repo"] });
    const { client, namespace } = world;
    place = { client, namespace, storageClass, snapshotClass, space };
    account = await agentAccount(world);
    agent = start();
    await agentShows(world);
  });
  afterAll(async () => {
    if (agent) await killHard(agent);
    signalAll(movers(), "SIGKILL");
    await world?.client.delete(builtIn.namespaces, space).catch(() => undefined);
    await account?.remove();
    await world?.close();
  });

  /** Runs a pod with the claim until its script has said so; returns its uid. */
  async function used(claim: string, name: string, block: boolean, script: string): Promise<string> {
    const mount = block
      ? { volumeDevices: [{ name: "v", devicePath: "/dev/v" }] }
      : { volumeMounts: [{ name: "v", mountPath: "/v" }] };
    const done = ["sh", "-c", `${script}; sync; touch /tmp/done; sleep 3600`];
    const pod = await world.client.create<Pod>(builtIn.pods, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: space },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: "c",
            image: world.image,
            imagePullPolicy: "Never",
            command: done,
            ...mount,
            readinessProbe: { exec: { command: ["cat", "/tmp/done"] }, periodSeconds: 1 },
          },
        ],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: claim } }],
      },
    });
    type Ready = Pod & { status?: { conditions?: readonly { type: string; status: string }[] } };
    await eventually(
      () => world.client.get<Ready>(builtIn.pods, name, { namespace: space }),
      ({ status }) =>
        status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true,
      120_000,
    );
    return pod.metadata.uid ?? "";
  }

  async function contentsOf(claim: string, name: string, block: boolean): Promise<readonly string[]> {
    const uid = await used(claim, name, block, "true");
    const { spec } = await world.client.get<Claim>(builtIn.claims, claim, { namespace: space });
    const volume = spec?.volumeName ?? "";
    const pod = join(world.hostPods, uid);
    const found = block
      ? [await hashOf(join(pod, "volumeDevices/kubernetes.io~csi", volume))]
      : treeLines(join(pod, "volumes/kubernetes.io~csi", volume, "mount"));
    await removePod(name);
    return found;
  }

  async function removePod(name: string): Promise<void> {
    await world.client.delete(builtIn.pods, name, { namespace: space });
    await eventually(
      () => world.client.list(builtIn.pods, { namespace: space }),
      (pods) => pods.every(({ metadata }) => metadata.name !== name),
    );
  }

  async function everything(): Promise<readonly string[]> {
    const volumes = await world.client.list<KubeObject & { spec?: { claimRef?: { namespace?: string } } }>(
      builtIn.volumes,
    );
    const ours = volumes.filter(({ spec }) =>
      [space, place.namespace].includes(spec?.claimRef?.namespace ?? ""),
    );
    return [...(await movement.leftovers(place)), ...ours.map(({ metadata }) => `volume ${metadata.name}`)];
  }

  async function uploaded(claim: string): Promise<DataUpload> {
    const snapshot = await movement.takeSnapshot(place, space, claim);
    const backup = await movement.asker(place, "Backup");
    return movement.newUpload(place, backup, { namespace: space, claim, snapshot });
  }

  async function restored(claim: string, from: DataUpload, more: object): Promise<DataDownload> {
    await movement.waitingClaim(place, space, claim, more);
    const restore = await movement.asker(place, "Restore");
    const { snapshotID = "", progress } = from.status ?? {};
    const size = progress?.totalBytes ?? 0;
    const source = { snapshotID, sourceNamespace: space, snapshotSize: size };
    return movement.newDownload(place, restore, { namespace: space, claim }, source);
  }

  test.each([
    [
      "a file system",
      false,
      "head -c 80000000 /dev/urandom >/v/big; mkdir /v/d; echo hello >/v/d/small; chown 1234:4321 /v/d/small",
    ],
    ["a raw device", true, "head -c 60000000 /dev/urandom >/dev/v"],
  ])(
    "%s: upload with an agent that is killed, deletion, download, and nothing left",
    async (_name, block, script) => {
      const before = await everything();
      const mode = block ? { volumeMode: "Block" } : {};
      const [claim, again] = block ? ["raw", "raw-again"] : ["data", "data-again"];
      await movement.boundClaim(place, space, claim, mode);
      await used(claim, `${claim}-writer`, block, script);
      await removePod(`${claim}-writer`);
      const contents = await contentsOf(claim, `${claim}-reader`, block);
      const upload = await uploaded(claim);
      await eventually(
        () => movement.now(place, upload),
        ({ status }) => status?.phase === "InProgress" || status?.phase === "Completed",
        120_000,
      );
      await killHard(agent);
      agent = start();
      const out = await movement.endOf(place, upload, 180_000);
      expect(out.status?.message ?? "").toBe("");
      expect(out.status).toMatchObject({ phase: "Completed", snapshotID: expect.any(String) });
      await world.client.delete(builtIn.claims, claim, { namespace: space });

      const back = await movement.endOf(place, await restored(again, out, mode), 180_000);
      expect(back.status?.message ?? "").toBe("");
      expect(back.status).toMatchObject({ phase: "Completed" });
      expect(await contentsOf(again, `${again}-reader`, block)).toEqual(contents);
      await world.client.delete(builtIn.claims, again, { namespace: space });
      await eventually(everything, (found) => found.every((one) => before.includes(one)), 120_000);
    },
  );
});

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
