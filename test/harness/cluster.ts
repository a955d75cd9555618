import { type Access, Client, findAccess, type Resource } from "../../src/kube/index.ts";

/** A cluster for a test file, with a namespace of its own. */
export interface TestCluster {
  readonly client: Client;
  readonly access: Access;
  readonly namespace: string;
  /** "real" is the cluster of KUBECONFIG, "embedded" the one in `src/plane`. */
  readonly kind: "real" | "embedded";
  /** Deletes the namespace and closes what was opened. */
  close(): Promise<void>;
}

/** Starts the embedded cluster and returns the path of its kubeconfig; absent while there is none. */
const startEmbedded: (() => Promise<{ readonly kubeconfig: string; stop(): Promise<void> }>) | undefined =
  undefined;

const namespaces: Resource = {
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  namespaced: false,
};

/** Why no cluster can be opened here; undefined when one can. */
export function noCluster(): string | undefined {
  if (process.env["HEADWAY_TEST_CLUSTER"] === "1") {
    return process.env["KUBECONFIG"] ? undefined : "KUBECONFIG names no cluster";
  }
  return startEmbedded ? undefined : "there is no embedded cluster yet";
}

/** Opens the cluster of KUBECONFIG when HEADWAY_TEST_CLUSTER is 1, the embedded one otherwise. */
export async function openCluster(): Promise<TestCluster> {
  const why = noCluster();
  if (why !== undefined) throw new Error(why);
  const real = process.env["HEADWAY_TEST_CLUSTER"] === "1";
  const embedded = real ? undefined : await startEmbedded?.();
  const access = await findAccess(embedded ? { kubeconfig: embedded.kubeconfig } : {});
  const client = new Client(access);
  const namespace = `headway-test-${crypto.randomUUID().slice(0, 8)}`;
  await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  return {
    client,
    access,
    namespace,
    kind: real ? "real" : "embedded",
    async close() {
      await client.delete(namespaces, namespace);
      client.close();
      await embedded?.stop();
    },
  };
}
