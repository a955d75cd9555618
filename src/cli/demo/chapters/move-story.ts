import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { kubeconfigOf } from "../../../../packages/plane/index.ts";
import { isTrue, type KubeObject, kinds, type MigPlan } from "../../../api/index.ts";
import { AppError } from "../../../errors.ts";
import { builtIn, type Client, findAccess, type Resource, resourceOf } from "../../../kube/index.ts";
import { findMovers, moverFolders, moverKinds } from "../../../movers/index.ts";
import type { ChosenMover } from "../../local/programs.ts";
import { type Chapter, ending, type Scene } from "../chapter.ts";
import { checksums, differences, eventually, untilFilled } from "../data.ts";
import { shopNamespace } from "../shop.ts";
import { openStage, type Stage } from "../stage.ts";

const deployments: Resource = builtIn.deployments;

/** The shop moves to a second cluster, live: blue is the one it stands on, green the new one. */
export const moveStory: Chapter = {
  title: "A second cluster, green: the shop moves there, live",
  skip: ({ place }) => (place === "embedded" ? undefined : "the second cluster is an embedded one"),
  async run(scene) {
    const mover = moverHere();
    const green = await openStage(
      { name: "green", folder: join(scene.folder, "green"), mover },
      scene.signal,
    );
    scene.atEnd(() => green.close());
    if (scene.entry && green.entry) {
      const both = kubeconfigOf([scene.entry, green.entry], scene.entry.name);
      writeFileSync(scene.kubeconfig, both, { mode: 0o600 });
    }
    await move(scene, green);
    await reopen(scene);
  },
};

async function move(scene: Scene, green: Stage): Promise<void> {
  const { client, signal } = scene;
  const before = ofDatabase(await checksums(client, signal));
  await describe(scene, green);
  await eventually("the plan is ready", 60_000, signal, async () => {
    const plan = await client.get<MigPlan>(
      resourceOf(kinds.MigPlan),
      "shop",
      { namespace: "velero" },
      signal,
    );
    return isTrue(plan.status?.conditions, "Ready");
  });
  await scene.create(
    object("MigMigration", "shop-moves", {
      migPlanRef: { name: "shop", namespace: "velero" },
      stage: false,
      quiescePods: true,
      verify: true,
    }),
  );
  scene.say(ending(await scene.follow("migmigration/velero/shop-moves")));
  await untilFilled(green.client, 120_000, signal);
  const faults = differences(before, ofDatabase(await checksums(green.client, signal)));
  if (faults.length > 0 || before.size === 0) {
    throw new AppError("DEMO_FAILED", `the data did not move as they were: ${faults.slice(0, 5).join(", ")}`);
  }
  scene.say(`the shop runs on green: ${before.size} files of its database with the same checksums`);
}

/** Both clusters, the store between them and the plan, all on blue. */
async function describe(scene: Scene, green: Stage): Promise<void> {
  const access = await findAccess({ kubeconfig: green.kubeconfig });
  const { token = "" } = await access.credentials.get();
  const path = join(scene.folder, "shared");
  mkdirSync(path, { recursive: true });
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "green", namespace: "velero" },
    stringData: { saToken: token },
  };
  await scene.create(secret);
  await scene.create(object("MigCluster", "blue", { isHostCluster: true }));
  await scene.create(
    object("MigCluster", "green", {
      isHostCluster: false,
      url: access.server,
      serviceAccountSecretRef: { name: "green", namespace: "velero" },
      ...(access.ca && { caBundle: Buffer.from(access.ca).toString("base64") }),
    }),
  );
  await scene.create(
    object("MigStorage", "shared", {
      backupStorageProvider: "filesystem",
      backupStorageConfig: { filesystemPath: path },
    }),
  );
  await scene.create(
    object("MigPlan", "shop", {
      srcMigClusterRef: { name: "blue" },
      destMigClusterRef: { name: "green" },
      migStorageRef: { name: "shared" },
      namespaces: [shopNamespace],
      indirectImageMigration: true,
      indirectVolumeMigration: true,
    }),
  );
}

/** The shop on blue, as the chapters after this one expect it. */
async function reopen({ client, signal }: Scene): Promise<void> {
  const body = {
    metadata: { annotations: { "migration.openshift.io/preQuiesceReplicas": null } },
    spec: { replicas: 1 },
  };
  for (const name of await names(client, signal)) {
    await client.patch(deployments, name, { type: "merge", body }, { namespace: shopNamespace }, signal);
  }
  await untilFilled(client, 120_000, signal);
}

async function names(client: Client, signal: AbortSignal): Promise<readonly string[]> {
  const found = await client.list<KubeObject>(deployments, { namespace: shopNamespace }, signal);
  return found.map(({ metadata }) => metadata.name);
}

/** Only the claim of the database moves; scratch volumes are filled anew. */
function ofDatabase(sums: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...sums].filter(([file]) => file.startsWith("database:")));
}

function moverHere(): ChosenMover {
  for (const kind of moverKinds) {
    const [program] = findMovers(kind, moverFolders());
    if (program !== undefined) return { kind, folder: dirname(program) };
  }
  throw new AppError("DEMO_FAILED", `there is none of ${moverKinds.join(", ")}`);
}

function object(kind: "MigCluster" | "MigStorage" | "MigPlan" | "MigMigration", name: string, spec: object) {
  return {
    apiVersion: "migration.openshift.io/v1alpha1",
    kind,
    metadata: { name, namespace: "velero" },
    spec,
  };
}
