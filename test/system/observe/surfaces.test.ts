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

/** One update of what others read may be this old: the budget of writes stretches to ten seconds. */
const updateMs = 12_000;

interface Moment {
  readonly at: number;
  readonly state: string;
  readonly fraction: number;
  readonly items: number;
}
interface Sight extends Partial<Moment> {
  readonly surface: string;
  readonly at: number;
}

function momentOf(operation: Operation): Moment {
  const items = operation.children.find((child) => child.id === "items")?.progress?.done ?? 0;
  return { at: Date.now(), state: shownState(operation), fraction: operation.fraction ?? 0, items };
}

/** Follows a run on all surfaces, and what the operator itself shows meanwhile. */
async function follow(kind: "backup" | "restore", name: string) {
  const { client, namespace } = world;
  const id = `${kind}/${namespace}/${name}`;
  const resource = kind === "backup" ? resources.backups : resources.restores;
  const truth: Moment[] = [];
  const look = async () => {
    const operation = await fromApi(id);
    if (operation) truth.push(momentOf(operation));
    return operation;
  };
  const seen: Sight[] = [];
  const see = (surface: string, operation: Operation | undefined) => {
    if (operation && !isTerminal(operation.state)) seen.push({ surface, ...momentOf(operation) });
  };
  let object: Backup | Restore | undefined;
  do {
    await look();
    const stored = await fromCluster(kind, name);
    const operation = stored && readOperation(stored);
    see("Operation", operation);
    // The words of kubectl's columns are those of everybody.
    if (operation && !isTerminal(operation.state))
      expect(stored.status?.shown).toMatchObject({
        state: shownState(operation),
        done: doneWords(operation),
      });
    const fraction = await fromMetrics(name);
    if (fraction !== undefined) seen.push({ surface: "metrics", at: Date.now(), fraction });
    see("command", await fromCommand(id));
    object = await client.get<Backup | Restore>(resource, name, { namespace });
    const { itemsBackedUp, itemsRestored, totalItems } = (object.status?.progress ?? {}) as Record<
      string,
      number
    >;
    if (totalItems !== undefined && !isRunEnded(object.status))
      seen.push({ surface: "status", at: Date.now(), items: itemsBackedUp ?? itemsRestored ?? 0 });
    await look();
  } while (!isRunEnded(object.status));
  const stored = await eventually(
    () => fromCluster(kind, name),
    (found) => found?.status !== undefined && isTerminal(found.status.state),
  );
  return { truth, seen, object, ends: [await fromApi(id), await fromCommand(id), stored?.status] };
}

/** Whatever a surface shows is what the operator shows now, or showed within the last update. */
function expectOne(
  { truth, seen, object, ends }: Awaited<ReturnType<typeof follow>>,
  surfaces: readonly string[],
): void {
  expect(object?.status?.phase).toBe("Completed");
  for (const surface of surfaces)
    expect(seen.filter((one) => one.surface === surface).length, `moments of ${surface}`).toBeGreaterThan(0);
  for (const { surface, at, state, fraction, items } of seen) {
    const next = truth.find((moment) => moment.at >= at) ?? truth.at(-1);
    const oldest = truth.findLast((moment) => moment.at <= at - updateMs);
    const window = truth.filter((moment) => moment.at >= at - updateMs && moment.at <= (next?.at ?? at));
    if (state !== undefined)
      expect(
        window.map((moment) => moment.state),
        surface,
      ).toContain(state);
    for (const [what, value] of [
      ["fraction", fraction],
      ["items", items],
    ] as const) {
      if (value === undefined) continue;
      // One item less is what a restore shows before its end.
      const slack = what === "items" ? 1 : 0;
      expect(value, `${what} of ${surface} is ahead`).toBeLessThanOrEqual(next?.[what] ?? 0);
      expect(value, `${what} of ${surface} is too old`).toBeGreaterThanOrEqual((oldest?.[what] ?? 0) - slack);
    }
  }
  const [api] = ends;
  const stepsOf = (operation: Operation | undefined) =>
    operation?.children.map(({ id, title, state }) => [id, title, state]);
  for (const end of ends) {
    expect(end).toMatchObject({ state: "completed", fraction: 1 });
    expect(stepsOf(end)).toEqual(stepsOf(api));
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
