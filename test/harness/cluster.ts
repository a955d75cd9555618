import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PlaneOptions, startPlane } from "../../packages/plane/index.ts";
import { type Access, builtIn, Client, findAccess } from "../../src/kube/index.ts";
import { accountReady } from "./account.ts";

/** A cluster for a test file, with a namespace of its own. */
export interface TestCluster {
  readonly client: Client;
  readonly access: Access;
  /** The file that names it, for programs. */
  readonly kubeconfig: string;
  readonly namespace: string;
  /** "real" is the cluster of KUBECONFIG, "embedded" the one in `packages/plane`. */
  readonly kind: "real" | "embedded";
  /** Deletes the namespace and closes what was opened. */
  close(): Promise<void>;
}

const { namespaces } = builtIn;

interface Wanted {
  /** Never that of KUBECONFIG. */
  readonly another?: boolean;
  /** What the namespace is called; a name that nothing else has when absent. */
  readonly namespace?: string;
}

/** Opens the cluster of KUBECONFIG when HEADWAY_TEST_CLUSTER is 1, an embedded one otherwise. */
export async function openCluster(
  plane: Omit<PlaneOptions, "stateDir"> = {},
  { another = false, namespace = `headway-test-${crypto.randomUUID().slice(0, 8)}` }: Wanted = {},
): Promise<TestCluster> {
  const real = process.env["HEADWAY_TEST_CLUSTER"] === "1" && !another;
  const { kubeconfig, stop } = real ? named() : await embedded(plane);
  const access = await findAccess({ kubeconfig });
  const client = new Client(access);
  await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await accountReady(client, namespace);
  return {
    client,
    access,
    kubeconfig,
    namespace,
    kind: real ? "real" : "embedded",
    async close() {
      // An embedded cluster is thrown away as a whole.
      if (real) await client.delete(namespaces, namespace);
      client.close();
      await stop();
    },
  };
}

interface Opened {
  readonly kubeconfig: string;
  readonly stop: () => Promise<void>;
}

function named(): Opened {
  const kubeconfig = process.env["KUBECONFIG"];
  if (!kubeconfig) throw new Error("the cluster tier needs KUBECONFIG to name a cluster");
  return { kubeconfig, stop: () => Promise.resolve() };
}

async function embedded(options: Omit<PlaneOptions, "stateDir">): Promise<Opened> {
  const stateDir = await mkdtemp(join(tmpdir(), "headway-test-"));
  const plane = await startPlane({ node: false, ...options, stateDir });
  const kubeconfig = join(stateDir, "kubeconfig");
  await writeFile(kubeconfig, plane.kubeconfig(), { mode: 0o600 });
  return {
    kubeconfig,
    async stop() {
      await plane.close();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}
