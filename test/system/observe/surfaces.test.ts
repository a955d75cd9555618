import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Backup,
  type KubeObject,
  kinds,
  type OperationObject,
  type Restore,
  readOperation,
} from "../../../src/api/index.ts";
import { type PodObject, resources } from "../../../src/engines/podvolume/index.ts";
import { isRunEnded } from "../../../src/kinds/index.ts";
import { builtIn, resourceOf } from "../../../src/kube/index.ts";
import { doneWords, isTerminal, type Operation, shownState } from "../../../src/progress/index.ts";
import { eventually } from "../../harness/eventually.ts";
import { freePort } from "../../harness/free-port.ts";
import { startHeadway } from "../../harness/headway-process.ts";
import { findTestMover } from "../../harness/movers.ts";
import { type NodeWorld, noNodeWorld, openNodeWorld } from "../../harness/node-world.ts";
import { fillTree } from "../../harness/tree.ts";
import { ensureNamespace } from "../../harness/volume-world.ts";

const uploader = "restic";
const mover = findTestMover(uploader);
const skip = noNodeWorld() ?? ("missing" in mover ? mover.missing : undefined);
const token = "surfaces";
const volumes = ["a", "b", "c", "d", "e"];
const app = `surfaces-${crypto.randomUUID().slice(0, 6)}`;
let world: NodeWorld;
let url: string;

beforeAll(async () => {
  if (skip !== undefined) return;
  const address = `127.0.0.1:${await freePort()}`;
  url = `http://${address}`;
  world = await openNodeWorld(uploader, true, { serve: { address, token } });
}, 180_000);
afterAll(async () => {
  await world?.client.delete(builtIn.namespaces, app).catch(() => undefined); // gone already
  await world?.close();
}, 180_000);

/** One moment of an operation, as one surface shows it. */
interface Shown {
  readonly state: string;
  readonly fraction: number | undefined;
  readonly done: string;
}
const shownOf = (operation: Operation): Shown => ({
  state: shownState(operation),
  fraction: operation.fraction,
  done: doneWords(operation),
});

async function fromApi(id: string): Promise<Operation | undefined> {
  const answer = await fetch(`${url}/api/operations`, { headers: { authorization: `Bearer ${token}` } });
  const { operations } = (await answer.json()) as { operations: Operation[] };
  return operations.find((operation) => operation.id === id);
}

async function fromMetrics(name: string): Promise<number | undefined> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const line = (await answer.text())
    .split("\n")
    .find((text) => text.startsWith("headway_operation_progress_ratio{") && text.includes(`name="${name}"`));
  return line === undefined ? undefined : Number(line.split(" ").at(-1));
}

async function fromCluster(kind: "backup" | "restore", name: string): Promise<OperationObject | undefined> {
  const { client, namespace } = world;
  const all = await client.list<OperationObject>(resourceOf(kinds.Operation), { namespace });
  return all.find(({ metadata }) => metadata.name === `${kind}-${name}`);
}

/** What another process makes of the same cluster. */
async function fromCommand(id: string): Promise<Operation | undefined> {
  const run = startHeadway("get", "operations", "-o", "json", "--kubeconfig", world.kubeconfig);
  expect(await run.ended, run.said()).toBe(0);
  const all = JSON.parse(run.lines().join("\n")) as Operation[];
  return all.find((operation) => operation.id === id);
}

/** Follows a run on all surfaces; whatever one of them shows must be what the operator itself showed a moment ago. */
async function follow(kind: "backup" | "restore", name: string) {
  const { client, namespace } = world;
  const id = `${kind}/${namespace}/${name}`;
  const resource = kind === "backup" ? resources.backups : resources.restores;
  const truth: Shown[] = [];
  const items = new Set<string>();
  const watch = new AbortController();
  const watching = (async () => {
    while (!watch.signal.aborted) {
      const operation = await fromApi(id);
      if (operation) {
        truth.push(shownOf(operation));
        const counted = operation.children.find((child) => child.id === "items")?.progress;
        if (counted?.total !== undefined) {
          items.add(`${counted.done}/${counted.total}`);
          // A restore shows all items only with its end.
          items.add(`${Math.min(counted.done, counted.total - 1)}/${counted.total}`);
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  const seen: { surface: string; shown: Shown | number | string }[] = [];
  let object: Backup | Restore | undefined;
  do {
    const [stored, ratio, command] = await Promise.all([
      fromCluster(kind, name),
      fromMetrics(name),
      fromCommand(id),
    ]);
    const operation = stored && readOperation(stored);
    if (operation && !isTerminal(operation.state)) {
      seen.push({ surface: "Operation", shown: shownOf(operation) });
      expect(stored.status?.shown).toMatchObject({
        state: shownState(operation),
        done: doneWords(operation),
      });
    }
    if (command && !isTerminal(command.state)) seen.push({ surface: "command", shown: shownOf(command) });
    if (ratio !== undefined) seen.push({ surface: "metrics", shown: ratio });
    object = await client.get<Backup | Restore>(resource, name, { namespace });
    const { totalItems, itemsBackedUp, itemsRestored } = (object.status?.progress ?? {}) as Record<
      string,
      number
    >;
    if (totalItems !== undefined && !isRunEnded(object.status))
      seen.push({ surface: "status", shown: `${itemsBackedUp ?? itemsRestored ?? 0}/${totalItems}` });
  } while (!isRunEnded(object.status));
  // The last of each surface: what has ended well has ended well everywhere.
  const stored = await eventually(
    () => fromCluster(kind, name),
    (found) => found?.status !== undefined && isTerminal(found.status.state),
  );
  const [api, command] = [await fromApi(id), await fromCommand(id)];
  watch.abort();
  await watching;
  return { truth, items, seen, object, ends: [api, command, stored?.status] };
}

function expectOne(
  { truth, items, seen, object, ends }: Awaited<ReturnType<typeof follow>>,
  surfaces: readonly string[],
): void {
  expect(object?.status?.phase).toBe("Completed");
  expect(truth.length, "a check that sees nothing must not pass").toBeGreaterThan(5);
  for (const surface of surfaces)
    expect(
      seen.filter((one) => one.surface === surface).length,
      `moments of ${surface} while it ran`,
    ).toBeGreaterThan(0);
  const same = (a: Shown, b: Shown) => a.state === b.state && a.fraction === b.fraction && a.done === b.done;
  for (const { surface, shown } of seen) {
    if (typeof shown === "string") expect(items, `items of ${surface}`).toContain(shown);
    else if (typeof shown === "number")
      expect(
        truth.map(({ fraction }) => fraction),
        `share of ${surface}`,
      ).toContain(shown);
    else
      expect(
        truth.some((one) => same(one, shown)),
        `${surface} shows ${JSON.stringify(shown)}, which the operator never did`,
      ).toBe(true);
  }
  const [api] = ends;
  for (const end of ends) {
    expect(end).toMatchObject({ state: "completed", fraction: 1 });
    expect(end?.children.map(({ id, title, state }) => [id, title, state])).toEqual(
      api?.children.map(({ id, title, state }) => [id, title, state]),
    );
  }
}

test.skipIf(skip)(
  `a backup and a restore of five volumes are the same on every surface, moment by moment ${skip ?? ""}`,
  { timeout: 600_000 },
  async () => {
    const { client, namespace, image } = world;
    await ensureNamespace(client, app);
    const spec = {
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
    };
    const made = (kind: string, name: string, where: string, more: object) => ({
      apiVersion: kind === "Pod" ? "v1" : "velero.io/v1",
      kind,
      metadata: { name, namespace: where },
      spec: more,
    });
    await client.create(resources.pods, made("Pod", "web", app, spec));
    const pod = await eventually(
      () => client.get<KubeObject & PodObject>(resources.pods, "web", { namespace: app }),
      ({ status }) => (status as { phase?: string } | undefined)?.phase === "Running",
      120_000,
    );
    for (const name of volumes) {
      const folder = join(world.hostPods, pod.metadata.uid ?? "", "volumes", "kubernetes.io~empty-dir", name);
      fillTree(folder, [60_000_000, 20_000_000, 5], false);
    }
    await client.create(
      resources.backups,
      made("Backup", "all", namespace, { includedNamespaces: [app], defaultVolumesToFsBackup: true }),
    );
    expectOne(await follow("backup", "all"), ["Operation", "command", "metrics", "status"]);
    await client.delete(builtIn.namespaces, app);
    await eventually(
      () => client.list(builtIn.namespaces),
      (all) => !all.some(({ metadata }) => metadata.name === app),
      180_000,
    );
    await client.create(resources.restores, made("Restore", "back", namespace, { backupName: "all" }));
    expectOne(await follow("restore", "back"), ["Operation", "command", "status"]);
  },
);
