import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startPlane } from "../../packages/plane/index.ts";
import type { KubeObject } from "../../src/api/index.ts";
import { builtIn, type Client, connect, connectTo } from "../../src/kube/index.ts";
import { attachNode } from "./attached-node.ts";
import { makeVolumes } from "./local-volumes.ts";
import { deleteNamespace } from "./node-world.ts";

/** One of the two clusters of a migration; its pods really run. */
export interface Side {
  readonly client: Client;
  readonly kubeconfig: string;
  readonly node: string;
  /** The folder of the node's pods. */
  readonly podsDir: string;
  /** The image of pods; "none" where they are processes. */
  readonly image: string;
  /** Runs a command in a container; what it said, nothing when it failed. */
  exec(pod: KubeObject, container: string, command: readonly string[]): Promise<string>;
  /** Ends it; these namespaces were made in it. */
  close(spaces: readonly string[], server: string): Promise<void>;
}

/** An embedded cluster. */
export async function embeddedSide(
  name: string,
  folder: string,
  { snapshots = false }: { readonly snapshots?: boolean } = {},
): Promise<Side> {
  const plane = await startPlane({ stateDir: join(folder, name), name, snapshots });
  const client = connectTo({ server: plane.url, token: plane.token, ca: plane.ca });
  const kubeconfig = join(folder, `${name}.kubeconfig`);
  writeFileSync(kubeconfig, plane.kubeconfig(), { mode: 0o600 });
  return {
    client,
    kubeconfig,
    node: plane.node?.name ?? "",
    podsDir: plane.node?.podsDir ?? "",
    image: "none",
    exec: (pod, container, command) => execByServer(client, pod, container, command),
    async close() {
      client.close();
      await plane.close();
    },
  };
}

/** Why there are no two clusters for a migration here; undefined when there are. */
export function noSides(): string | undefined {
  if (process.env["HEADWAY_TEST_CLUSTER"] !== "1") return undefined;
  return process.env["KUBECONFIG_DST"] ? undefined : "KUBECONFIG_DST names no second cluster";
}

/**
 * A real cluster: `blue` that of KUBECONFIG, with its kubelet where HEADWAY_HOST_PODS tells the folder of its pods, `green`
 * that of KUBECONFIG_DST. One without a kubelet gets a node that runs pods as processes. Volumes are folders of this machine.
 */
export async function realSide(name: "blue" | "green", folder: string): Promise<Side> {
  const kubeconfig = process.env[name === "blue" ? "KUBECONFIG" : "KUBECONFIG_DST"] ?? "";
  const client = await connect({ kubeconfig });
  const hostPods = name === "blue" ? process.env["HEADWAY_HOST_PODS"] : undefined;
  const node = hostPods ? await kubelet(client, hostPods) : await attached(client, name, folder);
  // One for the stage run, and one for the final run, which begins with an empty one.
  const removeVolumes = await makeVolumes(client, 2, node.node);
  return {
    client,
    kubeconfig,
    ...node,
    async close(spaces, server) {
      for (const space of spaces) await client.delete(builtIn.namespaces, space).catch(() => undefined);
      await deleteNamespace(client, server);
      await node.stop();
      await removeVolumes();
      client.close();
    },
  };
}

async function attached(client: Client, name: string, folder: string) {
  const node = await attachNode(
    client,
    `${name}-${crypto.randomUUID().slice(0, 8)}`,
    join(folder, `${name}-node`),
  );
  return {
    node: node.name,
    podsDir: node.podsDir,
    image: "none",
    exec: node.exec.bind(node),
    stop: () => node.close(),
  };
}

async function kubelet(client: Client, podsDir: string) {
  const [first] = await client.list(builtIn.nodes);
  return {
    node: first?.metadata.name ?? "",
    podsDir,
    image: process.env["HEADWAY_TEST_IMAGE"] ?? "docker.io/local/tools:1",
    exec: (pod: KubeObject, container: string, command: readonly string[]) =>
      execByServer(client, pod, container, command),
    stop: () => Promise.resolve(),
  };
}

async function execByServer(
  client: Client,
  { metadata: { name, namespace } }: KubeObject,
  container: string,
  command: readonly string[],
): Promise<string> {
  let text = "";
  const { exitCode } = await client.exec(builtIn.pods, name, {
    namespace: namespace ?? "",
    container,
    command,
    onStdout: (chunk) => {
      text += chunk.toString("utf8");
    },
  });
  return exitCode === 0 ? text : "";
}
