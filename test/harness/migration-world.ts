import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAgent } from "../../src/agent/index.ts";
import { type KubeObject, kinds, type MigMigration, type MigPlan } from "../../src/api/index.ts";
import { leaseName, moverFinder, resources } from "../../src/engines/podvolume/index.ts";
import { type Client, connectTo, type Resource, resourceOf, systemClock } from "../../src/kube/index.ts";
import { startOperator } from "../../src/operator/index.ts";
import { type Plane, startPlane } from "../../src/plane/index.ts";
import { eventually } from "./eventually.ts";
import { testMoverFolders } from "./movers.ts";
import { ensureNamespace, prepareServer } from "./volume-world.ts";

export const migMigrations = resourceOf(kinds.MigMigration);
export const migPlans = resourceOf(kinds.MigPlan);
/** The namespace of the servers on both clusters. */
export const server = "velero";

/** A resource of the core group. */
const core = (plural: string, kind: string, namespaced = true): Resource => ({
  group: "",
  version: "v1",
  plural,
  kind,
  namespaced,
});
export const pods = core("pods", "Pod");
export const claims = core("persistentvolumeclaims", "PersistentVolumeClaim");
export const namespaces = core("namespaces", "Namespace", false);
export const configMaps = core("configmaps", "ConfigMap");
export const deployments: Resource = {
  group: "apps",
  version: "v1",
  plural: "deployments",
  kind: "Deployment",
  namespaced: true,
};

/** One of the two clusters. */
export interface Side {
  readonly client: Client;
  readonly plane: Plane;
  readonly kubeconfig: string;
}

/** Two embedded clusters, `blue` the source and `green` the destination and host, each with operator and agent. */
export interface MigrationWorld {
  readonly blue: Side;
  readonly green: Side;
  readonly folder: string;
  /** What the operators and agents said above "info". */
  readonly log: string[];
  /** Starts the migration controllers in this process; the returned function ends them. */
  host(): () => Promise<void>;
  close(): Promise<void>;
}

const quick = ["location", "backup", "restore", "backup-repo", "backup-sync", "backup-deletion"];

/** Opens the world; the migration controllers run only after `host()`. */
export async function openMigrationWorld(): Promise<MigrationWorld> {
  const folder = mkdtempSync(join(tmpdir(), "migration-world-"));
  mkdirSync(join(folder, "shared"));
  const log: string[] = [];
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  const open = async (name: string): Promise<Side> => {
    const plane = await startPlane({ stateDir: join(folder, name), name });
    const client = connectTo({ server: plane.url, token: plane.token, ca: plane.ca });
    mkdirSync(join(folder, `${name}-store`));
    await prepareServer(client, server, join(folder, `${name}-store`));
    const kubeconfig = join(folder, `${name}.kubeconfig`);
    writeFileSync(kubeconfig, plane.kubeconfig(), { mode: 0o600 });
    running.push(...serve(name, { plane, client, kubeconfig }, folder, log, stop.signal));
    const node = plane.node?.name ?? "";
    await eventually(
      () => client.list(resources.leases, { namespace: server }),
      (leases) => leases.some(({ metadata }) => metadata.name === leaseName(node)),
    );
    return { client, plane, kubeconfig };
  };
  const [blue, green] = await Promise.all([open("blue"), open("green")]);
  await describeWorld(blue, green, join(folder, "shared"));
  return {
    blue,
    green,
    folder,
    log,
    host() {
      const own = new AbortController();
      const done = startOperator(
        {
          client: green.client,
          namespace: server,
          log: sayTo(log, "host"),
          tempDir: folder,
          controllers: ["migration"],
          stageImage: "none",
        },
        AbortSignal.any([stop.signal, own.signal]),
      );
      running.push(done);
      return async () => {
        own.abort();
        await done;
      };
    },
    async close() {
      stop.abort();
      await Promise.all(running);
      for (const { client, plane } of [blue, green]) {
        client.close();
        await plane.close();
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates a plan over the world's clusters and waits until it is ready. */
export async function readyPlan(
  world: MigrationWorld,
  name: string,
  given: readonly string[],
  more: object = {},
): Promise<MigPlan> {
  const { client } = world.green;
  await client.create(migPlans, {
    apiVersion: "migration.openshift.io/v1alpha1",
    kind: "MigPlan",
    metadata: { name, namespace: server },
    spec: {
      srcMigClusterRef: { name: "blue" },
      destMigClusterRef: { name: "green" },
      migStorageRef: { name: "shared" },
      namespaces: given,
      indirectImageMigration: true,
      indirectVolumeMigration: true,
      ...more,
    },
  });
  return eventually(
    () => client.get<MigPlan>(migPlans, name, { namespace: server }),
    ({ status }) => status?.conditions?.some(({ type }) => type === "Ready") === true,
  );
}

/** Starts a migration of a plan. */
export function migrate(
  world: MigrationWorld,
  plan: string,
  name: string,
  spec: Partial<NonNullable<MigMigration["spec"]>> = {},
  annotations: Readonly<Record<string, string>> = {},
): Promise<MigMigration> {
  return world.green.client.create<MigMigration>(migMigrations, {
    apiVersion: "migration.openshift.io/v1alpha1",
    kind: "MigMigration",
    metadata: { name, namespace: server, annotations },
    spec: { migPlanRef: { name: plan, namespace: server }, stage: false, ...spec },
  });
}

export function migration(world: MigrationWorld, name: string): Promise<MigMigration> {
  return world.green.client.get<MigMigration>(migMigrations, name, { namespace: server });
}

/** Waits for the end of a migration. */
export function ended(world: MigrationWorld, name: string, limitMs = 150_000): Promise<MigMigration> {
  return eventually(
    () => migration(world, name),
    ({ status }) => status?.phase === "Completed",
    limitMs,
  );
}

/** An application with a claim, which writes files into it once and then runs. */
export async function makeShop(
  client: Client,
  namespace: string,
  options: { readonly kilobytes?: number; readonly claim?: boolean } = {},
): Promise<void> {
  const { kilobytes = 256, claim = true } = options;
  await ensureNamespace(client, namespace);
  const labels = { app: "shop" };
  const metadata = { name: "shop", namespace, labels };
  await client.create(configMaps, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...metadata, name: "settings" },
    data: { theme: "winter" },
  });
  if (claim) {
    await client.create(claims, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { ...metadata, name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
  }
  const script = `test -e /data/done || { head -c ${kilobytes}k /dev/urandom > /data/file; sha256sum /data/file > /data/sum; echo yes > /data/done; }; while :; do sleep 3600; done`;
  const source = claim ? { persistentVolumeClaim: { claimName: "data" } } : { emptyDir: {} };
  await client.create(deployments, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [
            {
              name: "shop",
              image: "none",
              command: ["sh", "-c", script],
              volumeMounts: [{ name: "data", mountPath: "/data" }],
            },
          ],
          volumes: [{ name: "data", ...source }],
        },
      },
    },
  });
  await shopFile(client, namespace, "done");
}

/** A file of the shop's running pod. */
export function shopFile(client: Client, namespace: string, file: string): Promise<string> {
  return eventually(
    () => inShop(client, namespace, ["cat", `/data/${file}`]),
    (text) => text !== "",
    120_000,
  );
}

/** Runs a command in the shop's running pod; what it said, nothing when there is no pod or it failed. */
export async function inShop(client: Client, namespace: string, command: readonly string[]): Promise<string> {
  const found = await client.list<KubeObject & { readonly status?: { readonly phase?: string } }>(pods, {
    namespace,
    labelSelector: "app=shop",
  });
  const pod = found.find(
    ({ status, metadata }) => status?.phase === "Running" && metadata.deletionTimestamp === undefined,
  );
  if (!pod) return "";
  let text = "";
  const { exitCode } = await client.exec(pods, pod.metadata.name, {
    namespace,
    container: "shop",
    command,
    onStdout: (chunk) => {
      text += chunk.toString("utf8");
    },
  });
  return exitCode === 0 ? text : "";
}

function serve(
  name: string,
  side: Side,
  folder: string,
  log: string[],
  signal: AbortSignal,
): Promise<void>[] {
  const { plane, client } = side;
  const { name: node = "", podsDir = "" } = plane.node ?? {};
  const folders = testMoverFolders();
  const owner = `test:${folder}/${name}`;
  const mover = moverFinder({ scratch: join(folder, `${name}-agent`), owner, folders });
  const say = sayTo(log, name);
  return [
    startAgent(
      {
        client,
        namespace: server,
        node,
        hostPods: podsDir,
        concurrency: 2,
        mover,
        owner,
        clock: systemClock,
        log: say,
      },
      signal,
    ),
    startOperator(
      {
        client,
        namespace: server,
        log: say,
        tempDir: folder,
        controllers: quick,
        volumes: { uploader: "restic", helperImage: "none", moverFolders: folders },
      },
      signal,
    ),
  ];
}

function sayTo(log: string[], who: string) {
  return (level: string, message: string, fields?: Readonly<Record<string, unknown>>) => {
    const { error } = fields ?? {};
    const line = `${who} ${level}: ${message} ${error instanceof Error ? error.message : ""}`;
    if (level !== "info") log.push(line);
    if (process.env["HEADWAY_TEST_LOG"]) process.stderr.write(`${line}\n`);
  };
}

/** The objects that name the clusters and the store in between. */
async function describeWorld(blue: Side, green: Side, path: string): Promise<void> {
  const { client } = green;
  const make = (kind: "MigCluster" | "MigStorage", name: string, spec: object) =>
    client.create(resourceOf(kinds[kind]), {
      apiVersion: "migration.openshift.io/v1alpha1",
      kind,
      metadata: { name, namespace: server },
      spec,
    });
  await client.create(core("secrets", "Secret"), {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "blue", namespace: server },
    data: { saToken: Buffer.from(blue.plane.token).toString("base64") },
  });
  await make("MigCluster", "green", { isHostCluster: true });
  await make("MigCluster", "blue", {
    isHostCluster: false,
    url: blue.plane.url,
    caBundle: Buffer.from(blue.plane.ca).toString("base64"),
    serviceAccountSecretRef: { name: "blue", namespace: server },
  });
  await make("MigStorage", "shared", {
    backupStorageProvider: "filesystem",
    backupStorageConfig: { filesystemPath: path },
  });
}
