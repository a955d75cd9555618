import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ActionSet,
  type Backup,
  type KubeObject,
  kinds,
  type MigMigration,
  type Restore,
} from "../../src/api/index.ts";
import { type PodObject, resources } from "../../src/engines/podvolume/index.ts";
import { builtIn, type Client, type Resource, resourceOf } from "../../src/kube/index.ts";
import { startOperator } from "../../src/operator/index.ts";
import { ActionStage, task } from "../harness/action-stage.ts";
import { noBrowser, openBrowser, openTab } from "../harness/browser.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import {
  makeShop,
  migMigrations,
  migrate,
  openMigrationWorld,
  readyPlan,
  server,
} from "../harness/migration-world.ts";
import { findTestMover } from "../harness/movers.ts";
import { noNodeWorld, openNodeWorld } from "../harness/node-world.ts";
import { expectOne, follow, type Place } from "../harness/surfaces.ts";
import { fillTree } from "../harness/tree.ts";
import { ensureNamespace } from "../harness/volume-world.ts";

const uploader = "restic";
const mover = findTestMover(uploader);
const skip = noBrowser ?? noNodeWorld() ?? ("missing" in mover ? mover.missing : undefined);
const suite = test.skipIf(skip !== undefined);
const token = "surfaces";
let browser: Browser;
beforeAll(async () => {
  if (skip === undefined) browser = await openBrowser();
});
afterAll(() => browser?.close());

interface Stand {
  readonly client: Client;
  readonly namespace: string;
  readonly kubeconfig: string;
  readonly url: string;
}

/** Opens the page of an operation that is not there yet, starts it, and follows it to its end. */
async function watched(
  stand: Stand,
  resource: Resource,
  name: string,
  upstream: Place["upstream"],
  start: () => Promise<unknown>,
) {
  const path = `/operations/${resource.kind.toLowerCase()}/${stand.namespace}/${name}`;
  const { page, clean } = await openTab(browser, `${stand.url}${path}#token=${token}`);
  await page.getByText("then it appears here by itself").waitFor();
  const followed = await follow({ ...stand, token, resource, name, page, upstream }, start);
  clean();
  return followed;
}

/** An operator of another namespace in the same cluster: it sees everything, and writes none of it. */
async function bystander(client: Client): Promise<() => Promise<void>> {
  const namespace = `bystander-${crypto.randomUUID().slice(0, 6)}`;
  await ensureNamespace(client, namespace);
  const stop = new AbortController();
  const done = startOperator(
    { client, namespace, controllers: ["location"], log: () => undefined },
    stop.signal,
  );
  return async () => {
    stop.abort();
    await done;
  };
}

const served = async () => {
  const address = `127.0.0.1:${await freePort()}`;
  return { address, url: `http://${address}` };
};

const itemsOf = (object: KubeObject) => {
  const { itemsBackedUp, itemsRestored } = ((object as Backup).status?.progress ?? {}) as {
    readonly itemsBackedUp?: number;
    readonly itemsRestored?: number;
  };
  return { items: itemsBackedUp ?? itemsRestored ?? 0 };
};

const volumes = ["a", "b", "c", "d", "e"];

/** A pod with five volumes of files, more than an agent copies at once. */
async function fivefold(client: Client, hostPods: string, image: string, app: string): Promise<void> {
  await ensureNamespace(client, app);
  await client.create(resources.pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: app },
    spec: {
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      containers: [
        {
          name: "c",
          image,
          imagePullPolicy: "Never",
          command: ["sh", "-c", "sleep 100000"],
          volumeMounts: volumes.map((name) => ({ name, mountPath: `/data/${name}` })),
        },
      ],
      volumes: volumes.map((name) => ({ name, emptyDir: {} })),
    },
  });
  const pod = await eventually(
    () => client.get<KubeObject & PodObject>(resources.pods, "web", { namespace: app }),
    ({ status }) => (status as { phase?: string } | undefined)?.phase === "Running",
    120_000,
  );
  for (const name of volumes) {
    const folder = join(hostPods, pod.metadata.uid ?? "", "volumes", "kubernetes.io~empty-dir", name);
    fillTree(folder, [60_000_000, 20_000_000, 5], false);
  }
}

suite(`a backup and a restore of five volumes are the same on every surface, beside another operator ${skip ?? ""}`, {
  timeout: 600_000,
}, async () => {
  const { address, url } = await served();
  const world = await openNodeWorld(uploader, true, { serve: { address, token } });
  const { client, namespace, kubeconfig } = world;
  const leave = await bystander(client);
  try {
    const app = `surfaces-${crypto.randomUUID().slice(0, 6)}`;
    await fivefold(client, world.hostPods, world.image, app);
    const stand = { client, namespace, kubeconfig, url };
    const velero = (kind: string, name: string, spec: object) => ({
      apiVersion: "velero.io/v1",
      kind,
      metadata: { name, namespace },
      spec,
    });
    const taken = await watched(stand, resources.backups, "all", itemsOf, () =>
      client.create<Backup>(
        resources.backups,
        velero("Backup", "all", { includedNamespaces: [app], defaultVolumesToFsBackup: true }),
      ),
    );
    expectOne(taken, ["Operation", "command", "metrics", "status", "page"]);
    await client.delete(builtIn.namespaces, app);
    await eventually(
      () => client.list(builtIn.namespaces),
      (all) => !all.some(({ metadata }) => metadata.name === app),
      180_000,
    );
    const back = await watched(stand, resources.restores, "back", itemsOf, () =>
      client.create<Restore>(resources.restores, velero("Restore", "back", { backupName: "all" })),
    );
    expectOne(back, ["Operation", "command", "metrics", "page"]);
  } finally {
    await leave();
    await world.close();
  }
});

suite("actions with one phase and with four are the same on every surface", {
  timeout: 300_000,
}, async () => {
  const { address, url } = await served();
  const stage = await ActionStage.open();
  const { client, namespace } = stage;
  stage.operator({}, { serve: { address, token } });
  const leave = await bystander(client);
  try {
    const phases = [1, 2, 3, 4].map((n) => task(`step-${n}`, "sleep 2"));
    await stage.blueprint("uneven", { one: { phases: [task("only", "sleep 6")] }, four: { phases } });
    const stand = { client, namespace, kubeconfig: stage.cluster.kubeconfig, url };
    const percent = (object: KubeObject) => {
      const { percentCompleted } = (object as ActionSet).status?.progress ?? {};
      return percentCompleted === undefined ? {} : { fraction: Number(percentCompleted) / 100 };
    };
    const followed = await watched(stand, resourceOf(kinds.ActionSet), "uneven", percent, () =>
      stage.set("uneven", { name: "one", blueprint: "uneven" }, { name: "four", blueprint: "uneven" }),
    );
    expectOne(followed, ["Operation", "command", "metrics", "status", "page"]);
    expect((followed.object as ActionSet).status?.progress?.percentCompleted).toBe("100.00");
  } finally {
    await leave();
    await stage.close();
  }
});

suite("a migration is the same on every surface", { timeout: 400_000 }, async () => {
  const { address, url } = await served();
  const world = await openMigrationWorld();
  try {
    world.host({ serve: { address, token } });
    await makeShop(world.blue, "shop", { kilobytes: 60_000 });
    await readyPlan(world, "shop", ["shop"]);
    const { client, kubeconfig } = world.home;
    const stand = { client, namespace: server, kubeconfig, url };
    const stepOf = (object: KubeObject) => {
      const step = (object as MigMigration).status?.pipeline?.find(
        ({ started, completed }) => started !== undefined && completed === undefined,
      )?.name;
      return step === undefined ? {} : { step };
    };
    const followed = await watched(stand, migMigrations, "move", stepOf, () =>
      migrate(world, "shop", "move", { quiescePods: true }),
    );
    expectOne(followed, ["Operation", "command", "metrics", "status", "page"]);
  } finally {
    await world.close();
  }
});
