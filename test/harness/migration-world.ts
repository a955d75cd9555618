import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAgent } from "../../src/agent/index.ts";
import { type KubeObject, kinds, type MigMigration, type MigPlan } from "../../src/api/index.ts";
import { run } from "../../src/cli/index.ts";
import { leaseName, moverFinder, resources } from "../../src/engines/podvolume/index.ts";
import { builtIn, resourceOf, systemClock } from "../../src/kube/index.ts";
import { type OperatorOptions, startOperator } from "../../src/operator/index.ts";
import { eventually } from "./eventually.ts";
import { embeddedSide, realSide, type Side } from "./migration-sides.ts";
import { testMoverFolders } from "./movers.ts";
import { ensureNamespace, prepareServer, testMovement } from "./volume-world.ts";

export const migMigrations = resourceOf(kinds.MigMigration);
export const migPlans = resourceOf(kinds.MigPlan);
const isReal = process.env["HEADWAY_TEST_CLUSTER"] === "1";
/** The namespace of the servers on both clusters. */
export const server = isReal ? `velero-${crypto.randomUUID().slice(0, 8)}` : "velero";

/** Two clusters, `blue` the source and `green` the destination and host, each with operator and agent. */
export interface MigrationWorld {
  readonly blue: Side;
  readonly green: Side;
  /** The host: `green`, or a third cluster. */
  readonly home: Pick<Side, "client" | "kubeconfig">;
  readonly folder: string;
  /** What the operators and agents said above "info". */
  readonly log: string[];
  /** The name of an application's namespace, of this world alone. */
  space(name: string): string;
  /** Starts the migration controllers in this process; the returned function ends them. */
  host(more?: Partial<OperatorOptions>): () => Promise<void>;
  close(): Promise<void>;
}

const quick = ["location", "backup", "restore", "backup-repo", "backup-sync", "backup-deletion"];

/** Opens the world, on embedded clusters or those of KUBECONFIG and KUBECONFIG_DST; the migration controllers run only after `host()`. */
export async function openMigrationWorld({ third = false, snapshots = false } = {}): Promise<MigrationWorld> {
  const openSide: typeof embeddedSide = isReal
    ? (name, at) => realSide(name === "blue" ? name : "green", at)
    : embeddedSide;
  const folder = mkdtempSync(join(tmpdir(), "migration-world-"));
  mkdirSync(join(folder, "shared"));
  const log: string[] = [];
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  const open = async (name: "blue" | "green"): Promise<Side> => {
    const side = await openSide(name, folder, { snapshots });
    mkdirSync(join(folder, `${name}-store`));
    await prepareServer(side.client, server, join(folder, `${name}-store`));
    running.push(...serve(name, side, folder, log, stop.signal));
    await eventually(
      () => side.client.list(resources.leases, { namespace: server }),
      (leases) => leases.some(({ metadata }) => metadata.name === leaseName(side.node)),
    );
    return side;
  };
  const [blue, green] = await Promise.all([open("blue"), open("green")]);
  // There are only two real ones.
  const apart = third && !isReal ? await embeddedSide("home", folder) : undefined;
  if (apart) await prepareServer(apart.client, server, join(folder, "shared"));
  const home = apart ?? green;
  await describeWorld({ blue, green, home }, join(folder, "shared"));
  const spaces = new Set<string>();
  return {
    blue,
    green,
    home,
    folder,
    log,
    space(name) {
      const whole = !isReal ? name : `${name}-${server.slice(-8)}`;
      spaces.add(whole);
      return whole;
    },
    host(more = {}) {
      const own = new AbortController();
      const done = startOperator(
        {
          client: home.client,
          namespace: server,
          log: sayTo(log, "host"),
          tempDir: folder,
          controllers: ["migration"],
          stageImage: blue.image,
          ...more,
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
      for (const side of [blue, green, ...(apart ? [apart] : [])]) await side.close([...spaces], server);
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
  const { client } = world.home;
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
  return world.home.client.create<MigMigration>(migMigrations, {
    apiVersion: "migration.openshift.io/v1alpha1",
    kind: "MigMigration",
    metadata: { name, namespace: server, annotations },
    spec: { migPlanRef: { name: plan, namespace: server }, stage: false, ...spec },
  });
}

export function migration(world: MigrationWorld, name: string): Promise<MigMigration> {
  return world.home.client.get<MigMigration>(migMigrations, name, { namespace: server });
}

/** Waits for the end of a migration. */
export function ended(world: MigrationWorld, name: string, limitMs = 300_000): Promise<MigMigration> {
  return eventually(
    () => migration(world, name),
    ({ status }) => status?.phase === "Completed",
    limitMs,
  );
}

/** An application with a claim, which writes files into it once and then runs. */
export async function makeShop(
  side: Side,
  namespace: string,
  options: {
    readonly kilobytes?: number;
    readonly claim?: boolean;
    readonly storageClass?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  } = {},
): Promise<void> {
  const { kilobytes = 256, claim = true, storageClass, annotations = {} } = options;
  const { client } = side;
  await ensureNamespace(client, namespace);
  const labels = { app: "shop" };
  const metadata = { name: "shop", namespace, labels };
  await client.create(builtIn.configMaps, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...metadata, name: "settings" },
    data: { theme: "winter" },
  });
  if (claim) {
    await client.create(builtIn.claims, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { ...metadata, name: "data" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        ...(storageClass !== undefined && { storageClassName: storageClass }),
      },
    });
  }
  const script = `test -e /data/done || { head -c ${kilobytes}k /dev/urandom > /data/file; sha256sum /data/file > /data/sum; echo yes > /data/done; }; while :; do sleep 3600; done`;
  const source = claim ? { persistentVolumeClaim: { claimName: "data" } } : { emptyDir: {} };
  await client.create(builtIn.deployments, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [
            {
              name: "shop",
              image: side.image,
              command: ["sh", "-c", script],
              volumeMounts: [{ name: "data", mountPath: "/data" }],
            },
          ],
          volumes: [{ name: "data", ...source }],
        },
      },
    },
  });
  await shopFile(side, namespace, "done");
}

/** A file of the shop's running pod. */
export function shopFile(side: Side, namespace: string, file: string): Promise<string> {
  return eventually(
    () => inShop(side, namespace, ["cat", `/data/${file}`]),
    (text) => text !== "",
    120_000,
  );
}

/** Runs a command in the shop's running pod; what it said, nothing when there is no pod or it failed. */
export async function inShop(side: Side, namespace: string, command: readonly string[]): Promise<string> {
  const found = await side.client.list<KubeObject & { readonly status?: { readonly phase?: string } }>(
    builtIn.pods,
    { namespace, labelSelector: "app=shop" },
  );
  const pod = found.find(
    ({ status, metadata }) => status?.phase === "Running" && metadata.deletionTimestamp === undefined,
  );
  return pod ? side.exec(pod, "shop", command) : "";
}

function serve(
  name: string,
  side: Side,
  folder: string,
  log: string[],
  signal: AbortSignal,
): Promise<void>[] {
  const { client, node, podsDir } = side;
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
        movement: testMovement,
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
        volumes: { uploader: "restic", helperImage: side.image, moverFolders: folders },
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
export async function describeWorld(
  { blue, green, home }: Pick<MigrationWorld, "blue" | "green" | "home">,
  path: string,
): Promise<void> {
  const { client } = home;
  const make = (kind: "MigStorage", name: string, spec: object) =>
    client.create(resourceOf(kinds[kind]), {
      apiVersion: "migration.openshift.io/v1alpha1",
      kind,
      metadata: { name, namespace: server },
      spec,
    });
  // As a person makes them: with an account on the other cluster and its token.
  const io = { out: String, err: String, env: process.env, terminal: undefined, color: false };
  for (const [name, side] of Object.entries({ blue, green })) {
    const from = side === home ? ["--host"] : ["--from-kubeconfig", side.kubeconfig];
    const where = ["--kubeconfig", home.kubeconfig, "-n", server];
    const code = await run(["cluster", "create", name, ...from, ...where], AbortSignal.timeout(60_000), io);
    if (code !== 0) throw new Error(`headway cluster create ended ${code}`);
  }
  await make("MigStorage", "shared", {
    backupStorageProvider: "filesystem",
    backupStorageConfig: { filesystemPath: path },
  });
}
