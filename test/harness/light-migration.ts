import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allKinds, crdOf, type KubeObject, kinds, type MigMigration } from "../../src/api/index.ts";
import { type MigrationDeps, startMigrationControllers } from "../../src/engines/migration/index.ts";
import {
  builtIn,
  Cache,
  Client,
  connectTo,
  findAccess,
  isAlreadyExists,
  resourceOf,
  systemClock,
} from "../../src/kube/index.ts";
import { accountReady } from "./account.ts";
import { openCluster, type TestCluster } from "./cluster.ts";
import { eventually } from "./eventually.ts";
import { type Bucket, fakeVelero, type Loss } from "./fake-velero.ts";
import { FaultProxy } from "./fault-proxy.ts";

const migMigrations = resourceOf(kinds.MigMigration);
/** Told of each phase that the host is about to write; what it returns goes into the object's spec with it. */
export type OnPhase = (phase: string, migration: string) => object | undefined;

/** Two API servers with a backup server of a few lines each; no pods run. `blue` is the source, `green` the host. */
export interface LightWorld {
  readonly blue: Client;
  readonly green: Client;
  /** The namespace of the servers on both. */
  readonly server: string;
  /** The namespace of the first application. */
  readonly app: string;
  /** The namespaces of all applications; the plan of the first is `plan`, of the second `plan-1`, and so on. */
  readonly apps: readonly string[];
  readonly proxies: { readonly blue: FaultProxy; readonly green: FaultProxy };
  /** Another way to the host, for one client alone. */
  proxy(): Promise<FaultProxy>;
  readonly kind: TestCluster["kind"];
  /** Starts the migration controllers in this process; the returned function ends them. */
  host(onPhase?: OnPhase): () => Promise<void>;
  /** Starts a run of the plan, or of the plan of another application. */
  run(
    name: string,
    spec?: object,
    annotations?: Readonly<Record<string, string>>,
    lane?: number,
  ): Promise<MigMigration>;
  get(name: string): Promise<MigMigration>;
  ended(name: string): Promise<MigMigration>;
  /** Deletes a run's object, so that it is not in the way of the next. */
  forget(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Why there is no such world here; undefined when there is. */
export function noLightWorld(): string | undefined {
  if (process.env["HEADWAY_TEST_CLUSTER"] !== "1") return undefined;
  return process.env["KUBECONFIG_DST"] ? undefined : "KUBECONFIG_DST names no second cluster";
}

/** What is different about a world. */
interface LightOptions {
  /** How many applications with a plan each; one when absent. */
  readonly lanes?: number;
  /** Backups that the backup server fails. */
  readonly fails?: (backup: string) => boolean;
  /** Volumes that the backup server loses, by the kind and the name of what copies them or brings them back. */
  readonly loses?: (kind: "Backup" | "Restore", run: string) => Loss | undefined;
}

/** Opens the world: two embedded API servers, or those of KUBECONFIG and KUBECONFIG_DST. */
export async function openLightWorld({ lanes = 1, fails, loses }: LightOptions = {}): Promise<LightWorld> {
  const source = await openCluster({ node: false });
  const { namespace: server } = source;
  const target = await destination(server);
  const app = `app-${server.slice(-8)}`;
  const apps = Array.from({ length: lanes }, (_, lane) => (lane === 0 ? app : `${app}-${lane}`));
  const folder = mkdtempSync(join(tmpdir(), "light-migration-"));
  mkdirSync(join(folder, "store"));
  for (const { client } of [source, target]) await install(client, server);
  for (const one of apps) await makeApp(source.client, one);
  const proxies = { blue: await FaultProxy.open(source.access), green: await FaultProxy.open(target.access) };
  const stop = new AbortController();
  const bucket: Bucket = new Map();
  const watched = new Set(apps);
  const serving = [source, target].map(({ client }) =>
    fakeVelero({ client, namespace: server, bucket, watched, fails, loses }, stop.signal),
  );
  await describeWorld(target.client, server, proxies.blue.url, join(folder, "store"), apps);
  const green = connectTo({ server: proxies.green.url });
  const hosts: Promise<void>[] = [];
  const more: FaultProxy[] = [];
  const get = (name: string) => target.client.get<MigMigration>(migMigrations, name, { namespace: server });
  return {
    blue: source.client,
    green: target.client,
    server,
    app,
    apps,
    proxies,
    async proxy() {
      const made = await FaultProxy.open(target.access);
      more.push(made);
      return made;
    },
    kind: source.kind,
    get,
    host(onPhase) {
      const own = new AbortController();
      const client = onPhase ? intercepted(green, onPhase) : green;
      const deps: MigrationDeps = {
        client,
        cache: new Cache({ client }),
        namespace: server,
        clock: systemClock,
        log: (level, message, fields) => {
          const { error } = fields ?? {};
          if (process.env["HEADWAY_TEST_LOG"]) {
            process.stderr.write(`${level} ${message} ${error instanceof Error ? error.message : ""}\n`);
          }
        },
        stageImage: "none",
        pollMs: 30,
      };
      const done = startMigrationControllers(deps, AbortSignal.any([own.signal, stop.signal]));
      hosts.push(done);
      return async () => {
        own.abort();
        await done;
      };
    },
    run: (name, spec = {}, annotations = {}, lane = 0) =>
      target.client.create<MigMigration>(migMigrations, {
        apiVersion: "migration.openshift.io/v1alpha1",
        kind: "MigMigration",
        metadata: { name, namespace: server, annotations },
        spec: {
          migPlanRef: { name: planOf(lane), namespace: server },
          stage: false,
          quiescePods: true,
          verify: true,
          ...spec,
        },
      }),
    ended: (name) =>
      eventually(
        () => get(name),
        ({ status }) => status?.phase === "Completed",
        150_000,
      ),
    async forget(name) {
      await target.client.delete(migMigrations, name, { namespace: server });
      await eventually(
        () => target.client.list(migMigrations, { namespace: server }),
        (left) => left.every(({ metadata }) => metadata.name !== name),
      );
    },
    async close() {
      stop.abort();
      await Promise.all([...serving.map((one) => one.catch(() => undefined)), ...hosts]);
      green.close();
      await Promise.all([proxies.blue, proxies.green, ...more].map((proxy) => proxy.close()));
      if (source.kind === "real") for (const one of apps) await source.client.delete(builtIn.namespaces, one);
      await Promise.all([source.close(), target.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function planOf(lane: number): string {
  return lane === 0 ? "plan" : `plan-${lane}`;
}

/** The second cluster, with the server's namespace of the first. */
async function destination(server: string): Promise<Pick<TestCluster, "client" | "access" | "close">> {
  const kubeconfig = process.env["KUBECONFIG_DST"];
  if (process.env["HEADWAY_TEST_CLUSTER"] !== "1" || !kubeconfig) {
    const opened = await openCluster({ node: false });
    await ensure(opened.client, server);
    return opened;
  }
  const access = await findAccess({ kubeconfig });
  const client = new Client(access);
  await ensure(client, server);
  return {
    client,
    access,
    async close() {
      await client.delete(builtIn.namespaces, server);
      client.close();
    },
  };
}

async function ensure(client: Client, name: string): Promise<void> {
  await client
    .create(builtIn.namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } })
    .catch(ignoreThere);
  await accountReady(client, name);
}

async function install(client: Client, server: string): Promise<void> {
  for (const kind of allKinds) await client.create(builtIn.definitions, crdOf(kind)).catch(ignoreThere);
  await eventually(
    () =>
      client.list(migMigrations, { namespace: server }).then(
        () => true,
        () => false,
      ),
    (served) => served,
  );
  await eventually(
    () => client.discover(),
    ({ resources }) =>
      allKinds.every(({ group, plural }) =>
        resources.some((one) => one.group === group && one.plural === plural),
      ),
  );
}

/** An application that is never scheduled, with a claim on a volume that somebody made. */
async function makeApp(client: Client, app: string): Promise<void> {
  await ensure(client, app);
  const spec = { accessModes: ["ReadWriteOnce"], storageClassName: "" };
  await client.create(builtIn.volumes, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: `volume-${app}` },
    spec: {
      ...spec,
      capacity: { storage: "1Mi" },
      hostPath: { path: "/tmp/none" },
      claimRef: { namespace: app, name: "data" },
    },
  });
  await client.create(builtIn.claims, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace: app },
    spec: { ...spec, volumeName: `volume-${app}`, resources: { requests: { storage: "1Mi" } } },
  });
  await eventually(
    () =>
      client.get<KubeObject & { readonly status?: { readonly phase?: string } }>(builtIn.claims, "data", {
        namespace: app,
      }),
    ({ status }) => status?.phase === "Bound",
  );
  const labels = { app: "shop" };
  await client.create(builtIn.deployments, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "shop", namespace: app },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          nodeSelector: { "headway.dev/none": "none" },
          containers: [{ name: "c", image: "none", volumeMounts: [{ name: "data", mountPath: "/data" }] }],
          volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
        },
      },
    },
  });
}

async function describeWorld(
  client: Client,
  namespace: string,
  url: string,
  path: string,
  apps: readonly string[],
): Promise<void> {
  const make = (kind: "MigCluster" | "MigStorage" | "MigPlan", name: string, spec: object) =>
    client.create(resourceOf(kinds[kind]), {
      apiVersion: "migration.openshift.io/v1alpha1",
      kind,
      metadata: { name, namespace },
      spec,
    });
  await client.create(builtIn.secrets, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "blue", namespace },
    // The proxy brings the credentials.
    data: { saToken: Buffer.from("any").toString("base64") },
  });
  await make("MigCluster", "green", { isHostCluster: true });
  await make("MigCluster", "blue", {
    isHostCluster: false,
    url,
    serviceAccountSecretRef: { name: "blue", namespace },
  });
  await make("MigStorage", "shared", {
    backupStorageProvider: "filesystem",
    backupStorageConfig: { filesystemPath: path },
  });
  for (const [lane, app] of apps.entries()) {
    await make("MigPlan", planOf(lane), {
      srcMigClusterRef: { name: "blue" },
      destMigClusterRef: { name: "green" },
      migStorageRef: { name: "shared" },
      namespaces: [app],
      indirectVolumeMigration: true,
      indirectImageMigration: true,
    });
  }
}

/** The client, with each phase of a migration told before it is written. */
function intercepted(client: Client, onPhase: OnPhase): Client {
  const patch: Client["patch"] = (resource, name, change, options, signal) => {
    const body = change.body as { readonly status?: { readonly phase?: string } };
    const phase = resource.plural === "migmigrations" ? body.status?.phase : undefined;
    const spec = phase === undefined ? undefined : onPhase(phase || "Created", name);
    const whole = spec && change.type === "merge" ? { ...change, body: { ...body, spec } } : change;
    return client.patch(resource, name, whole, options, signal);
  };
  return new Proxy(client, {
    get(target, key) {
      if (key === "patch") return patch;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function ignoreThere(error: unknown): undefined {
  if (!isAlreadyExists(error)) throw error;
}
